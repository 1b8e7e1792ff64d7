import type { Batch } from '../../batch.js';
import type { TimeWords } from '../../time-words.js';

/** What the assembler needs to know about a record, besides its times. */
export const RECORD = {
  /** An event whose two clocks show the offset between them; event 1 shows it best. */
  other: 0,
  processCreate: 1,
  /** An event whose `UtcTime` comes from a clock of its own. */
  ownClock: 2,
  /** Records about Sysmon itself. */
  started: 3,
  stopped: 4,
  configured: 5,
  error: 6,
} as const;

/** The record has no `UtcTime`, no `TimeCreated`, or a record id that orders its events. */
export const NO_UTC = 1;
export const NO_CREATED = 2;
export const NUMBERED = 4;

/** One record on the tape. */
export interface TapeRecord {
  kind: number;
  /** The events of the record. */
  row: number;
  rows: number;
  /** The symbol of the host. */
  host: number;
  flags: number;
  utc: bigint;
  created: bigint;
}

const WORDS = 9;
/** Joins words to 64-bit integers. */
const LONG = new BigInt64Array(2);
const HALVES = new Int32Array(LONG.buffer);

/** Writes a record: its kind, the first and the number of its events, the symbol of its host, its flags and its times. */
export function writeTape(
  batch: Batch,
  kind: number,
  row: number,
  rows: number,
  host: number,
  flags: number,
  utc: TimeWords,
  created: TimeWords,
): void {
  const at = batch.extendTape(WORDS);
  const { tape } = batch;
  tape[at] = kind;
  tape[at + 1] = row;
  tape[at + 2] = rows;
  tape[at + 3] = host;
  tape[at + 4] = flags;
  tape[at + 5] = utc.low;
  tape[at + 6] = utc.high;
  tape[at + 7] = created.low;
  tape[at + 8] = created.high;
}

/** The number of records on the tape. */
export function tapeRecords({ tapeLength }: Batch): number {
  return Math.floor(tapeLength / WORDS);
}

export function readTape({ tape }: Batch, record: number): TapeRecord {
  const at = record * WORDS;
  for (let i = 0; i < 4; i++) HALVES[i] = tape[at + 5 + i];
  return {
    kind: tape[at],
    row: tape[at + 1],
    rows: tape[at + 2],
    host: tape[at + 3],
    flags: tape[at + 4],
    utc: LONG[0],
    created: LONG[1],
  };
}
