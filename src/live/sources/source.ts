import type { LogChunk } from '../../store/live/log-chunk.js';

/** What a source has read. */
export interface SourceRead {
  /** Whole lines, in order. Empty if there is nothing new. */
  readonly chunks: readonly LogChunk[];
  /** Where to go on after these lines. Any JSON value; only the source understands it. */
  readonly position: unknown;
  /** True if everything that is there now was read. */
  readonly idle: boolean;
  /** True if nothing will come any more, such as at the end of standard input. */
  readonly ended: boolean;
}

/** How far a source is behind. */
export interface SourceLag {
  /** Bytes that wait to be read. */
  readonly bytes: number;
}

/**
 * Reads lines from somewhere that grows. The caller pulls: a source that nobody reads from keeps what comes, makes its sender
 * wait, or refuses it, and never drops it. What was read again after `open` begins exactly after the given position.
 */
export interface Source {
  /** Stays the same over restarts: positions are stored under it. */
  readonly name: string;
  /** True if it will end, such as standard input. */
  readonly ends: boolean;
  /** Opens the source after a committed position; undefined at the first start. */
  open(position: unknown): Promise<void>;
  /** Reads about `most` bytes of what is there now. Does not wait for more. */
  read(most: number): Promise<SourceRead>;
  /** Everything up to this position is stored: the source may forget it, or acknowledge it to its sender. */
  commit(position: unknown): Promise<void>;
  lag(): Promise<SourceLag>;
  /** Why nothing can be read yet, such as a file that does not exist; undefined if there is no reason. */
  problem?(): Promise<string | undefined>;
  /** What the source itself knows to be lost, by reason. */
  readonly losses: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Lines of one commit, in bytes. All of them are in memory. A source that is not behind has fewer, and is stored sooner. */
export const COMMIT_BYTES = 32 << 20;
/** Lines read at a time. A block of the parser has 4 MiB. */
export const CHUNK_BYTES = 4 << 20;
