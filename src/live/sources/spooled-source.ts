import { z } from 'zod';
import type { LogChunk } from '../../store/live/log-chunk.js';
import { CHUNK_BYTES, type Source, type SourceLag, type SourceRead } from './source.js';
import { SPOOL_START, Spool, type SpoolPosition } from './spool.js';

/** Refuses, or makes wait, what comes beyond this. */
const DEFAULT_LIMIT = 256 << 20;

const count = z.number().int().nonnegative();
const positionSchema = z.strictObject({ file: count, offset: count, lines: count });

/** Writes what a sender gives to a spool. */
export interface Feed {
  start(spool: Spool): Promise<void>;
  /** True if it will end. */
  readonly ends: boolean;
  /** True if nothing will come any more. */
  readonly ended: boolean;
  readonly losses: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** A source whose sender cannot be asked again: lines go to a spool first, and are read from there. */
export class SpooledSource implements Source {
  readonly name: string;
  readonly #spool: Spool;
  readonly #feed: Feed;
  #at: SpoolPosition = SPOOL_START;

  constructor(name: string, folder: string, feed: Feed, limit = DEFAULT_LIMIT) {
    this.name = name;
    this.#spool = new Spool(folder, limit);
    this.#feed = feed;
  }

  get ends(): boolean {
    return this.#feed.ends;
  }

  get losses(): ReadonlyMap<string, number> {
    return this.#feed.losses;
  }

  async open(position: unknown): Promise<void> {
    this.#at = position === undefined ? SPOOL_START : positionSchema.parse(position);
    await this.#spool.open(this.#at);
    await this.#feed.start(this.#spool);
  }

  async read(most: number): Promise<SourceRead> {
    const ended = this.#feed.ended; // before reading: what it wrote last is read now
    const chunks: LogChunk[] = [];
    let left = most;
    while (left > 0) {
      const { lines: linesBefore } = this.#at;
      const { bytes, next } = await this.#spool.read(this.#at, Math.min(most, CHUNK_BYTES));
      if (bytes.length === 0) break;
      chunks.push({ log: this.name, name: this.name, linesBefore, bytes });
      this.#at = next;
      left -= bytes.length;
    }
    return { chunks, position: this.#at, idle: left > 0, ended: ended && chunks.length === 0 };
  }

  commit(position: unknown): Promise<void> {
    return this.#spool.commit(positionSchema.parse(position));
  }

  async lag(): Promise<SourceLag> {
    return { bytes: this.#spool.waiting };
  }

  async close(): Promise<void> {
    await this.#feed.stop();
    await this.#spool.close();
  }
}
