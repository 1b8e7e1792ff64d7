import { enlarge } from '../base/enlarge.js';
import type { EntityKey } from './entity-key.js';

/** How reliable a name is. A name never replaces one of a higher rank: see `name_rank` in docs/reference/store.md. */
export const RANK_HINT = 0;
export const RANK_STATED = 1;
export const RANK_ADDRESS = 2;

/** The text fields of an upsert, in the order of the columns. */
export const TEXT_FIELDS = ['id', 'name', 'cmd', 'local', 'session', 'container', 'unit'] as const;
export const TEXT_ID = 0;
export const TEXT_NAME = 1;
export const TEXT_CMD = 2;
export const TEXT_LOCAL = 3;
export const TEXT_SESSION = 4;
export const TEXT_CONTAINER = 5;
export const TEXT_UNIT = 6;
export const TEXTS_PER_UPSERT = TEXT_FIELDS.length;
/** The number of an absent symbol. */
export const NO_SYMBOL = 0xffff;
/** The length of an absent text. */
export const ABSENT_TEXT = 0xffffffff;

/** A malformed line. `line` counts from 0 within the block. */
export interface Problem {
  line: number;
  /** `oversize`: the line is too long; `syntax`: it is not a JSON object; `record`: it is not a record of the format. */
  code: 'oversize' | 'syntax' | 'record';
  reason: string;
  /** The beginning of the line. */
  sample: string;
}

/** Records that the sensor lost or suppressed, according to the log itself. */
export interface Loss {
  /** Host as the log names it, or undefined. */
  host: string | undefined;
  /** Nanoseconds; the loss happened between these times. */
  from: bigint;
  to: bigint;
  /** The number of lost records, or 0 if the log does not say. */
  records: number;
  /** Such as `serial-gap`, `drop`, `throttle` or `sensor-error`. */
  reason: string;
}

const ENCODER = new TextEncoder();
/** For shorter texts, a loop is faster than a call of the encoder. */
const LONG_TEXT = 128;

/** The number of problems that a batch describes. All problems are counted. */
export const PROBLEMS_KEPT = 10;

/** The columns of events, with the number of elements per row. */
export const EVENT_COLUMNS = {
  ts: 1,
  tsDigits: 1,
  seq: 1,
  subject: 4,
  object: 4,
  object2: 4,
  relation: 1,
  action: 1,
  host: 1,
  flow: 1,
  ok: 1,
  line: 1,
} as const;

/** The columns of upserts, with the number of elements per row. */
export const UPSERT_COLUMNS = {
  upsertRow: 1,
  upsertLast: 1,
  upsertKey: 4,
  upsertParent: 4,
  upsertUser: 4,
  upsertHost: 1,
  upsertType: 1,
  upsertKind: 1,
  upsertPid: 1,
  upsertRank: 1,
  upsertText: TEXTS_PER_UPSERT * 2,
} as const;

/**
 * The events and entity upserts that a reader found in one block of input, with counters of skipped records. They are
 * columns, not objects, because columns cross threads and enter the store without a copy per value.
 *
 * Keys have the layout of UUIDs in DuckDB (low half first, top bit flipped). An absent key is the all-zero UUID.
 */
export class Batch {
  events = 0;
  /** The time as written, with its number of digits in `tsDigits`. SourceClock converts it to nanoseconds. */
  ts = new BigInt64Array(0);
  tsWords = new Uint32Array(0);
  tsDigits = new Uint8Array(0);
  seq = new BigInt64Array(0);
  seqWords = new Uint32Array(0);
  subject = new Uint32Array(0);
  object = new Uint32Array(0);
  object2 = new Uint32Array(0);
  /** Index into `symbols`. */
  relation = new Uint16Array(0);
  /** Index into ACTIONS plus one, or 0 if the reader gives none. */
  action = new Uint8Array(0);
  /** Index into `symbols`, or NO_SYMBOL if the log names no host. */
  host = new Uint16Array(0);
  flow = new Uint8Array(0);
  /** 0 unknown, 1 failed, 2 succeeded. */
  ok = new Uint8Array(0);
  /** Counts from the first line of the block, modulo 2^32: the event of an assembler may come from a line before it. */
  line = new Uint32Array(0);
  /** Events with further attributes. They are rare and occur in some formats only. Events of one line differ in `seq`. */
  attrs: { row: number; json: string }[] = [];

  upserts = 0;
  /**
   * The first event with this information or, for a record of its own, the event before that record. -1 if there is
   * none.
   */
  upsertRow = new Int32Array(0);
  /** The last event with this information. */
  upsertLast = new Int32Array(0);
  upsertKey = new Uint32Array(0);
  upsertParent = new Uint32Array(0);
  upsertUser = new Uint32Array(0);
  upsertHost = new Uint16Array(0);
  /** Index into ENTITY_TYPES plus one, or 0 if unknown. */
  upsertType = new Uint8Array(0);
  /** Index into `symbols`, or NO_SYMBOL. */
  upsertKind = new Uint16Array(0);
  upsertPid = new Int32Array(0);
  upsertRank = new Uint8Array(0);
  /** Offset and length in `text`, for each of TEXT_FIELDS. */
  upsertText = new Uint32Array(0);
  text: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  textLength = 0;

  /** The names of relations, hosts and kinds. The list only grows while the reader exists. */
  symbols: readonly string[] = [];
  /** Host names by host identifier, if the log has them. */
  readonly hostNames = new Map<string, string>();

  /** Records that wait for the assembler of their format, in a layout of its own. Texts are in `text`. */
  tape = new Int32Array(0);
  tapeLength = 0;
  /** The number of events and upserts that the assembler of the format is expected to add. */
  eventRoom = 0;
  upsertRoom = 0;
  /** The memory of all columns, if they came from another thread together. */
  memory: ArrayBuffer | undefined;
  /** The number of lines before the block that were too long to read. An assembler adds it to its line numbers. */
  linesBefore = 0;
  losses: Loss[] = [];

  lines = 0;
  blank = 0;
  malformed = 0;
  problems: Problem[] = [];
  /** Skipped records, by reason. */
  skipped = new Map<string, number>();
  /** The number of event records, including skipped ones. Separate from `records` for speed. */
  eventRecords = 0;
  /** The number of other records, by the kind that the log gives them. */
  records = new Map<string, number>();
  /** Records that became part of another record or event, by what they are. */
  merged = new Map<string, number>();
  /** Values that the reader corrected, by reason. */
  repaired = new Map<string, number>();
  /** The number of texts that were not valid UTF-8 or UTF-16. Invalid parts became U+FFFD. */
  badText = 0;

  /** Removes all rows and resets the counters. */
  clear(): void {
    this.events = 0;
    this.attrs = [];
    this.upserts = 0;
    this.textLength = 0;
    this.hostNames.clear();
    this.tapeLength = 0;
    this.eventRoom = 0;
    this.upsertRoom = 0;
    this.linesBefore = 0;
    this.losses = [];
    this.repaired = new Map();
    this.merged = new Map();
    this.lines = 0;
    this.blank = 0;
    this.malformed = 0;
    this.problems = [];
    this.skipped = new Map();
    this.records = new Map();
    this.eventRecords = 0;
    this.badText = 0;
  }

  skip(reason: string): void {
    this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + 1);
  }

  merge(kind: string): void {
    this.merged.set(kind, (this.merged.get(kind) ?? 0) + 1);
  }

  repair(reason: string): void {
    this.repaired.set(reason, (this.repaired.get(reason) ?? 0) + 1);
  }

  /** Makes room for `words` more words on the tape and returns where they start. The caller fills them. */
  extendTape(words: number): number {
    const at = this.tapeLength;
    this.tapeLength += words;
    if (this.tapeLength > this.tape.length)
      this.tape = enlarge(this.tape, Math.max(1 << 14, this.tapeLength * 2));
    return at;
  }

  count(kind: string): void {
    this.records.set(kind, (this.records.get(kind) ?? 0) + 1);
  }

  problem({ line, code, reason, sample }: Problem): void {
    this.malformed++;
    if (this.problems.length < PROBLEMS_KEPT) this.problems.push({ line, code, reason, sample });
  }

  /** Makes room for this many events and upserts at once, if there is none yet. */
  reserve(events: number, upserts: number): void {
    if (this.tsDigits.length < events) this.#grow(EVENT_COLUMNS, events);
    if (this.upsertRow.length < upserts) this.#grow(UPSERT_COLUMNS, upserts);
  }

  /** Adds an event and returns its row. The caller fills every column but `action`. */
  addEvent(): number {
    const row = this.events++;
    if (row === this.tsDigits.length) this.#grow(EVENT_COLUMNS, Math.max(4096, row * 2));
    this.action[row] = 0;
    return row;
  }

  #grow(columns: Readonly<Record<string, number>>, capacity: number): void {
    for (const [name, width] of Object.entries(columns)) {
      const column = name as keyof typeof EVENT_COLUMNS | keyof typeof UPSERT_COLUMNS;
      this[column] = enlarge(this[column], capacity * width) as never;
    }
    this.viewWords();
  }

  /** Makes the views of 64-bit columns as words, after these columns were replaced. */
  viewWords(): void {
    const { ts, seq } = this;
    this.tsWords = new Uint32Array(ts.buffer, ts.byteOffset, ts.length * 2);
    this.seqWords = new Uint32Array(seq.buffer, seq.byteOffset, seq.length * 2);
  }

  /** Adds an upsert without any information yet, and returns its row. */
  addUpsert(key: EntityKey, host: number, row: number): number {
    const at = this.upserts++;
    if (at === this.upsertRow.length) this.#grow(UPSERT_COLUMNS, Math.max(1024, at * 2));
    this.upsertRow[at] = row;
    this.upsertLast[at] = row;
    setKey(this.upsertKey, at, key);
    clearKey(this.upsertParent, at);
    clearKey(this.upsertUser, at);
    this.upsertHost[at] = host;
    this.upsertType[at] = 0;
    this.upsertKind[at] = NO_SYMBOL;
    this.upsertPid[at] = -1;
    this.upsertRank[at] = RANK_STATED;
    const { upsertText } = this;
    const end = (at + 1) * TEXTS_PER_UPSERT * 2;
    for (let i = at * TEXTS_PER_UPSERT * 2; i < end; i++) upsertText[i] = ABSENT_TEXT;
    return at;
  }

  /** Sets a text of an upsert from ASCII bytes. */
  setAscii(at: number, field: number, bytes: Uint8Array, start: number, stop: number): void {
    this.#setSlot(at, field, this.appendText(bytes, start, stop), stop - start);
  }

  setText(at: number, field: number, value: string): void {
    if (this.#setShortAscii(at, field, value)) return;
    if (!value.isWellFormed() || value.includes('\ufffd')) this.badText++;
    const offset = this.#reserve(value.length * 3);
    const { written } = ENCODER.encodeInto(value, this.text.subarray(offset));
    this.textLength = offset + written;
    this.#setSlot(at, field, offset, written);
  }

  /** Returns false if the text is long or not ASCII. */
  #setShortAscii(at: number, field: number, value: string): boolean {
    const { length } = value;
    if (length > LONG_TEXT) return false;
    const offset = this.#reserve(length);
    const { text } = this;
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) {
        this.textLength = offset;
        return false;
      }
      text[offset + i] = code;
    }
    this.#setSlot(at, field, offset, length);
    return true;
  }

  /** Appends bytes to `text` and returns their offset. */
  appendText(bytes: Uint8Array, start: number, stop: number): number {
    const offset = this.#reserve(stop - start);
    const { text } = this;
    for (let i = start, o = offset; i < stop; i++, o++) text[o] = bytes[i];
    return offset;
  }

  /** Sets a text of an upsert to bytes that `text` already has. */
  setTextAt(at: number, field: number, offset: number, length: number): void {
    this.#setSlot(at, field, offset, length);
  }

  #setSlot(at: number, field: number, offset: number, length: number): void {
    this.upsertText[(at * TEXTS_PER_UPSERT + field) * 2] = offset;
    this.upsertText[(at * TEXTS_PER_UPSERT + field) * 2 + 1] = length;
  }

  #reserve(bytes: number): number {
    const offset = this.textLength;
    this.textLength += bytes;
    if (this.textLength > this.text.length) {
      this.text = enlarge(this.text, Math.max(1 << 16, this.textLength * 2));
    }
    return offset;
  }

  /** Returns a text of an upsert, or undefined if it is absent. */
  textOf(at: number, field: number): string | undefined {
    const slot = (at * TEXTS_PER_UPSERT + field) * 2;
    const length = this.upsertText[slot + 1];
    if (length === ABSENT_TEXT) return undefined;
    const offset = this.upsertText[slot];
    return Buffer.from(this.text.buffer, this.text.byteOffset + offset, length).toString('utf8');
  }
}

export function setKey(column: Uint32Array, row: number, key: EntityKey): void {
  const at = row * 4;
  column[at] = key.w3;
  column[at + 1] = key.w2;
  column[at + 2] = key.w1;
  column[at + 3] = key.w0 ^ 0x80000000;
}

function clearKey(column: Uint32Array, row: number): void {
  const at = row * 4;
  column[at] = 0;
  column[at + 1] = 0;
  column[at + 2] = 0;
  column[at + 3] = 0x80000000;
}
