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

/** A log format. */
export interface Format {
  /** The name on the command line. */
  readonly name: string;
  readonly title: string;
  /** True if times are always nanoseconds. Otherwise most events of a file decide its unit. */
  readonly exactTime: boolean;
  /** Tells whether this parsed line is a record of this format. */
  recognises(record: unknown): boolean;
  open(memory: ScanMemory, options: ReaderOptions): Reader;
}

export const DEFAULT_MAX_LINE = 1 << 20;

/** Why a line longer than `maxLine` is malformed. */
export function oversizeReason(bytes: number, maxLine: number): string {
  return `the line has ${bytes} bytes, more than the limit of ${maxLine}`;
}
