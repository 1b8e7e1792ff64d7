import type { Batch } from '../batch.js';
import type { ScanMemory } from '../scan/json-scan.js';

/** What every reader is told. */
export interface ReaderOptions {
  /** Longest line read, in bytes; a longer one is counted as malformed (`oversize`). */
  maxLine: number;
}

/**
 * Turns bytes into events and entity upserts. A reader sees whole lines only, so that blocks of one file can be read
 * by several threads in any order; what it cannot use it counts, by reason and with the position.
 */
export interface Reader {
  /** Reads the lines in the first `length` bytes of `block`, a block of the memory it was opened with. */
  read(block: Uint8Array, length: number, batch: Batch): void;
}

/** A log format: its name on the command line, and how to recognise it. */
export interface Format {
  readonly name: string;
  readonly title: string;
  /** True where times are nanoseconds by definition; otherwise the file's unit is taken by majority. */
  readonly exactTime: boolean;
  /** True if this parsed line, one of the first of a file, is of this format. */
  recognises(record: unknown): boolean;
  open(memory: ScanMemory, options: ReaderOptions): Reader;
}

export const DEFAULT_MAX_LINE = 1 << 20;
