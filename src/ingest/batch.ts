import { enlarge } from '../base/enlarge.js';
import type { EntityKey } from './entity-key.js';

/** How sure a name is, so that a hint never replaces a statement: see NameRank in docs/reference/store.md. */
export const RANK_HINT = 0;
export const RANK_STATED = 1;
export const RANK_ADDRESS = 2;

/** The text fields of an upsert, in the order of their slots. */
export const TEXT_FIELDS = ['id', 'name', 'cmd', 'local'] as const;
export const TEXT_ID = 0;
export const TEXT_NAME = 1;
export const TEXT_CMD = 2;
export const TEXT_LOCAL = 3;
export const TEXTS_PER_UPSERT = TEXT_FIELDS.length;
/** The number of a word that is not there. */
export const NO_SYMBOL = 0xffff;
/** Length of a text that is not there. */
export const ABSENT_TEXT = 0xffffffff;

/** A line that could not be read. `line` counts from 0 within its block until the pipeline makes it absolute. */
export interface Problem {
  line: number;
  reason: string;
  /** The beginning of the line, for the person who has to find out what it is. */
  sample: string;
}

/** How many problems a batch describes; all are counted. */
export const PROBLEMS_KEPT = 10;

/** The columns of events and how many elements each has a row. */
export const EVENT_COLUMNS = {
  ts: 1,
  tsDigits: 1,
  seq: 1,
  subject: 4,
  object: 4,
  object2: 4,
  relation: 1,
  host: 1,
  flow: 1,
  ok: 1,
  line: 1,
} as const;

/** The same for upserts. */
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
 * What a reader made of one block of input, as columns: events and entity upserts, with counters for everything it
 * left out. Columns rather than objects, because they cross threads and enter the store without a copy per value.
 *
 * Keys are stored the way DuckDB and Parquet hold UUIDs in memory (low half first, top bit flipped), absent ones as
 * the all-zero UUID.
 */
export class Batch {
  events = 0;
  /** Time as read: `tsDigits` says how many digits it had, and the pipeline settles the file's unit from that. */
  ts = new BigInt64Array(0);
  tsWords = new Uint32Array(0);
  tsDigits = new Uint8Array(0);
  seq = new BigInt64Array(0);
  seqWords = new Uint32Array(0);
  subject = new Uint32Array(0);
  object = new Uint32Array(0);
  object2 = new Uint32Array(0);
  /** Number in `words`. */
  relation = new Uint16Array(0);
  /** Number in `words`, or NO_SYMBOL where the log names no host. */
  host = new Uint16Array(0);
  flow = new Uint8Array(0);
  /** 0 unsaid, 1 failed, 2 succeeded. */
  ok = new Uint8Array(0);
  line = new Uint32Array(0);
  /** Rows with attributes of their own, few and only in some formats. */
  attrs: { row: number; json: string }[] = [];

  upserts = 0;
  /** The first event that says so, or the last one before it; -1 before the first. Gives it its place in time. */
  upsertRow = new Int32Array(0);
  /** The last event that says so. */
  upsertLast = new Int32Array(0);
  upsertKey = new Uint32Array(0);
  upsertParent = new Uint32Array(0);
  upsertUser = new Uint32Array(0);
  upsertHost = new Uint16Array(0);
  /** Number in ENTITY_TYPES plus one; 0 unsaid. */
  upsertType = new Uint8Array(0);
  /** Number in `words`, or NO_SYMBOL. */
  upsertKind = new Uint16Array(0);
  upsertPid = new Int32Array(0);
  upsertRank = new Uint8Array(0);
  /** Offset and length in `text` for each of TEXT_FIELDS. */
  upsertText = new Uint32Array(0);
  text: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  textLength = 0;

  /** The vocabulary that `relation`, `host` and `upsertKind` number; it only grows while a reader lives. */
  symbols: readonly string[] = [];
  /** Host names by host identifier, where the log tells. */
  readonly hostNames = new Map<string, string>();

  lines = 0;
  blank = 0;
  malformed = 0;
  problems: Problem[] = [];
  /** Records left out, by reason. */
  skipped = new Map<string, number>();
  /** Event records read, skipped ones among them; apart from `records`, because there are so many. */
  eventRecords = 0;
  /** Other records read, by the source's own kind. */
  records = new Map<string, number>();
  /** Texts that were not valid UTF-8 or UTF-16: what could not be read became U+FFFD. */
  badText = 0;

  /** Forgets the rows and counters, to be filled again. */
  clear(): void {
    this.events = 0;
    this.attrs = [];
    this.upserts = 0;
    this.textLength = 0;
    this.hostNames.clear();
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

  count(kind: string): void {
    this.records.set(kind, (this.records.get(kind) ?? 0) + 1);
  }

  problem(line: number, reason: string, sample: string): void {
    this.malformed++;
    if (this.problems.length < PROBLEMS_KEPT) this.problems.push({ line, reason, sample });
  }

  /** Makes room for an event and gives its row; the caller fills every column. */
  addEvent(): number {
    const row = this.events++;
    if (row === this.tsDigits.length) this.#grow(EVENT_COLUMNS, Math.max(4096, row * 2));
    return row;
  }

  #grow(columns: Readonly<Record<string, number>>, capacity: number): void {
    for (const [name, width] of Object.entries(columns)) {
      const column = name as keyof typeof EVENT_COLUMNS | keyof typeof UPSERT_COLUMNS;
      this[column] = enlarge(this[column], capacity * width) as never;
    }
    this.tsWords = new Uint32Array(this.ts.buffer);
    this.seqWords = new Uint32Array(this.seq.buffer);
  }

  /** Adds an upsert that says nothing yet but whose it is, and when. */
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
    this.upsertText.fill(ABSENT_TEXT, at * TEXTS_PER_UPSERT * 2, (at + 1) * TEXTS_PER_UPSERT * 2);
    return at;
  }

  /** Sets one of an upsert's texts from bytes that are the text as it stands. */
  setAscii(at: number, field: number, bytes: Uint8Array, start: number, stop: number): void {
    const offset = this.#room(stop - start);
    const { text } = this;
    for (let i = start, o = offset; i < stop; i++, o++) text[o] = bytes[i];
    this.#setSlot(at, field, offset, stop - start);
  }

  setText(at: number, field: number, value: string): void {
    if (!value.isWellFormed() || value.includes('\ufffd')) this.badText++;
    const offset = this.#room(value.length * 3);
    const { written } = new TextEncoder().encodeInto(value, this.text.subarray(offset));
    this.textLength = offset + written;
    this.#setSlot(at, field, offset, written);
  }

  #setSlot(at: number, field: number, offset: number, length: number): void {
    this.upsertText[(at * TEXTS_PER_UPSERT + field) * 2] = offset;
    this.upsertText[(at * TEXTS_PER_UPSERT + field) * 2 + 1] = length;
  }

  #room(bytes: number): number {
    const offset = this.textLength;
    this.textLength += bytes;
    if (this.textLength > this.text.length) {
      this.text = enlarge(this.text, Math.max(1 << 16, this.textLength * 2));
    }
    return offset;
  }

  /** A text of an upsert, or undefined. */
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
