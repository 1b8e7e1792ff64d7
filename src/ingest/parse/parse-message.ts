import { Batch, EVENT_COLUMNS, UPSERT_COLUMNS } from '../batch.js';
import type { Format, ReaderOptions } from '../formats/reader.js';
import { ScanMemory } from '../scan/json-scan.js';

/** Where a thread finds a format. */
export type FormatPlace = Pick<Format, 'name' | 'module'>;

/** The data to start a parse thread. Its memory is shared with the thread that fills the blocks. */
export interface ParseSetup {
  memory: WebAssembly.Memory;
  kernel: WebAssembly.Module;
  blockBytes: number;
  blocks: number;
  options: ReaderOptions;
  /** The format to load at once, if it is known. */
  format: FormatPlace | undefined;
}

export interface ParseJob {
  format: FormatPlace;
  block: number;
  length: number;
  /** Memory of an earlier result, to use for this one. */
  memory: ArrayBuffer | undefined;
}

export interface ParseResult {
  block: number;
  /** The fields of the batch that are not columns. */
  fields: Record<string, unknown>;
  attributes: PackedAttributes;
  /** All columns, one after another. */
  columns: ArrayBuffer;
  /** The position of each column in `columns`. */
  places: readonly ColumnPlace[];
}

interface ColumnPlace {
  name: Column;
  offset: number;
  /** The number of elements that have values, and with spare ones. */
  used: number;
  length: number;
}

/** The attributes of all events as one text, because sending an object per event takes longer than parsing it. */
interface PackedAttributes {
  text: string;
  /** For each event with attributes: its row, and where its part of the text ends. */
  places: Uint32Array;
}

export function reviveMemory(setup: ParseSetup): ScanMemory {
  return new ScanMemory(setup.blockBytes, setup.blocks, setup.memory);
}

const SPARE_TEXT = 1 << 14;
const SPARE_TAPE = 1 << 12;
/** Memory for results has a multiple of this size, so that it can serve for results of about the same size. */
const MEMORY_STEP = 1 << 18;

type Column = keyof typeof EVENT_COLUMNS | keyof typeof UPSERT_COLUMNS | 'text' | 'tape';

/**
 * Converts a batch to a message, with the used part of its columns in one buffer that can be transferred. The thread
 * keeps the batch itself and fills it again, which saves allocations. The buffer is `memory` if that is large enough.
 */
export function packBatch(block: number, batch: Batch, memory?: ArrayBuffer): ParseResult {
  const places: ColumnPlace[] = [];
  let bytes = 0;
  const place = (name: Column, used: number, spare = 0): void => {
    const length = used + spare;
    places.push({ name, offset: bytes, used, length });
    bytes = (bytes + length * batch[name].BYTES_PER_ELEMENT + 7) & ~7;
  };
  // An assembler adds to the batch. Without room, it would copy what is there.
  const isAssembled = batch.tapeLength > 0;
  for (const [name, width] of Object.entries(EVENT_COLUMNS))
    place(name as Column, batch.events * width, batch.eventRoom * width);
  for (const [name, width] of Object.entries(UPSERT_COLUMNS))
    place(name as Column, batch.upserts * width, batch.upsertRoom * width);
  place('text', batch.textLength, isAssembled ? SPARE_TEXT + (batch.textLength >> 2) : 0);
  place('tape', batch.tapeLength, isAssembled ? SPARE_TAPE : 0);
  const columns =
    memory !== undefined && memory.byteLength >= bytes
      ? memory
      : new ArrayBuffer(Math.ceil(bytes / MEMORY_STEP) * MEMORY_STEP);
  for (const { name, offset, used } of places) {
    const { buffer, byteOffset, BYTES_PER_ELEMENT } = batch[name];
    const bytes = new Uint8Array(buffer, byteOffset, used * BYTES_PER_ELEMENT);
    new Uint8Array(columns, offset, bytes.length).set(bytes);
  }
  const fields = Object.fromEntries(
    Object.entries(batch).filter(([name, value]) => !ArrayBuffer.isView(value) && name !== 'attrs'),
  );
  return { block, fields, attributes: packAttributes(batch), columns, places };
}

function packAttributes({ attrs }: Batch): PackedAttributes {
  const places = new Uint32Array(attrs.length * 2);
  let end = 0;
  for (let i = 0; i < attrs.length; i++) {
    end += attrs[i].json.length;
    places[i * 2] = attrs[i].row;
    places[i * 2 + 1] = end;
  }
  return { text: attrs.map(({ json }) => json).join(''), places };
}

function unpackAttributes({ text, places }: PackedAttributes): Batch['attrs'] {
  const attrs: Batch['attrs'] = [];
  for (let i = 0, start = 0; i < places.length; i += 2) {
    attrs.push({ row: places[i], json: text.slice(start, places[i + 1]) });
    start = places[i + 1];
  }
  return attrs;
}

export function unpackBatch({ fields, attributes, columns, places }: ParseResult): Batch {
  const batch = Object.assign(new Batch(), fields);
  batch.attrs = unpackAttributes(attributes);
  for (const { name, offset, length } of places) {
    const View = batch[name].constructor as new (
      buffer: ArrayBuffer,
      offset: number,
      length: number,
    ) => never;
    batch[name] = new View(columns, offset, length);
  }
  batch.viewWords();
  batch.memory = columns;
  return batch;
}
