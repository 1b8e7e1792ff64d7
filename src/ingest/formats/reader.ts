import type { Batch } from '../batch.js';
import type { ScanMemory } from '../scan/json-scan.js';

export interface ReaderOptions {
  /** The longest line to read, in bytes. A longer one counts as malformed. */
  maxLine: number;
}

/**
 * Turns bytes into events and entity upserts. A reader gets blocks of whole lines, so that several threads can read the
 * blocks of a file in any order. It counts the lines that it cannot use, by reason and with the position.
 */
export interface Reader {
  /** Reads the lines in the first `length` bytes of `block`, which is a block of the reader's memory. */
  read(block: Uint8Array, length: number, batch: Batch): void;
}

/**
 * Turns the parsed records of a format into events, in the order of the file. Formats without stable process ids need it:
 * their records refer to earlier ones by process number and descriptor. Its state must stay bounded.
 */
export interface Assembler {
  /** Called before the first batch of each file or member of an archive. */
  beginFile?(): void;
  /** Adds the events of the tape of `batch` to that batch. Batches come in the order of the file. */
  take(batch: Batch): void;
  /** True while events of earlier batches may still change. Their batches are held back. */
  readonly waiting?: boolean;
  /** Ends a source: no event of its batches changes any more. */
  endSource?(): void;
  /** Ends the input: adds the events of records that wait for others to an empty batch. Times are nanoseconds. */
  finish(batch: Batch): void;
  /** The state as JSON, with which the next file goes on, also after a restart. */
  save(): unknown;
}

/** A log format. */
export interface Format {
  /** The name on the command line, and of the export of its module. */
  readonly name: string;
  /** The URL of its module. A parse thread loads this one only. */
  readonly module: string;
  readonly title: string;
  /** True if times are always nanoseconds. Otherwise most events of a file decide its unit. */
  readonly exactTime: boolean;
  /** How busy the assembler is: 1 if it takes as long as one parse thread. Default: nearly 0. */
  readonly assemblerLoad?: number;
  /** Tells whether this parsed line is a record of this format. */
  recognises(record: unknown): boolean;
  /** Tells whether a line that is not JSON is a record of this format. */
  recognisesLine?(line: string): boolean;
  open(memory: ScanMemory, options: ReaderOptions): Reader;
  /**
   * Opens the stage that needs order, if the format has one. `state` is what `save` of the same format returned for the
   * files before; an unusable state gives a new one.
   */
  assembler?(state: unknown): Assembler;
}

export const DEFAULT_MAX_LINE = 1 << 20;

/** Why a line longer than `maxLine` is malformed. */
export function oversizeReason(bytes: number, maxLine: number): string {
  return `the line has ${bytes} bytes, more than the limit of ${maxLine}`;
}
