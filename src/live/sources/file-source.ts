import { z } from 'zod';
import { partOf } from '../../ingest/sources/part-order.js';
import type { LogChunk } from '../../store/live/log-chunk.js';
import { findLogFiles, whyNoLog } from './log-files.js';
import { CHUNK_BYTES, type Source, type SourceLag, type SourceRead } from './source.js';
import { TailedLog } from './tailed-log.js';

/** How often the folder is searched for new and renamed files. */
const LOOK_EVERY_MS = 500;
/** Logs that are gone are remembered, so that a copy of one that comes back is not read again. */
const MOST_GONE = 64;
const LEAST_CHUNK = 1 << 16;

const count = z.number().int().nonnegative();
const positionSchema = z.strictObject({
  logs: z.array(
    z.strictObject({
      log: z.string(),
      name: z.string(),
      head: z.string(),
      id: z.string(),
      offset: count,
      lines: count,
      skipping: z.boolean(),
    }),
  ),
});

/**
 * Follows a file, or all files of a pattern, and their rotated parts. A log is recognised by its first bytes, so that
 * renaming, copying and truncating, and compressing it lose nothing and repeat nothing.
 */
export class FileSource implements Source {
  readonly name: string;
  readonly ends = false;
  readonly losses = new Map<string, number>();
  readonly #pattern: string;
  #heads = new Map<string, { key: string; head: Buffer }>();
  /** The oldest first. */
  #logs: TailedLog[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.name = `file:${pattern}`;
  }

  async open(position: unknown): Promise<void> {
    const { logs } = position === undefined ? { logs: [] } : positionSchema.parse(position);
    this.#logs = logs.map((saved) => new TailedLog(saved));
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    await this.#look();
  }

  async read(most: number): Promise<SourceRead> {
    const chunks: LogChunk[] = [];
    let left = await this.#readLogs(most, chunks);
    if (left > 0 && performance.now() - this.#lookedAt >= LOOK_EVERY_MS) {
      await this.#look();
      left = await this.#readLogs(left, chunks);
    }
    return { chunks, position: { logs: this.#logs.map(({ saved }) => saved) }, idle: left > 0, ended: false };
  }

  async commit(): Promise<void> {}

  /** Looks at the files as they are now: a source that is far behind does not look for new ones while it reads. */
  async lag(): Promise<SourceLag> {
    const logs = new Map(this.#logs.map((log) => [log.saved.id, log]));
    let bytes = 0;
    for (const file of await findLogFiles(this.#pattern, new Map(this.#heads))) {
      const known = logs.get(file.id);
      if (known?.matches(file)) bytes += file.packed ? 0 : file.size - known.saved.offset;
      else if (!this.#logs.some((log) => log.matches(file) || log.hasCopy(file))) bytes += file.size;
    }
    return { bytes };
  }

  async problem(): Promise<string | undefined> {
    return this.#logs.length > 0 ? undefined : await whyNoLog(this.#pattern);
  }

  async close(): Promise<void> {
    for (const log of this.#logs) await log.close();
  }

  async #readLogs(most: number, chunks: LogChunk[]): Promise<number> {
    let left = most;
    // Not the rest of what is wanted: a line that is longer than that would be left out.
    const size = Math.min(CHUNK_BYTES, Math.max(most, LEAST_CHUNK));
    const newest = new Map(this.#logs.map((log) => [partOf(log.saved.name).topic, log]));
    for (const log of this.#logs) {
      for (let more = true; more && left > 0; ) {
        const { log: key, name, lines: linesBefore } = log.saved;
        const isOld = newest.get(partOf(name).topic) !== log;
        const read = await log.read(size, isOld);
        more = read.more;
        if (read.dropped > 0) this.losses.set('oversize', (this.losses.get('oversize') ?? 0) + read.dropped);
        if (read.bytes.length > 0) chunks.push({ log: key, name, linesBefore, bytes: read.bytes });
        left -= read.bytes.length;
      }
      if (left <= 0) return 0;
    }
    return left;
  }

  /** Finds the file of every log, and logs that are new. */
  async #look(): Promise<void> {
    this.#lookedAt = performance.now();
    const files = await findLogFiles(this.#pattern, this.#heads);
    const ids = new Set(files.map(({ id }) => id));
    this.#heads = new Map([...this.#heads].filter(([id]) => ids.has(id)));
    const free = new Set(this.#logs);
    const order = new Map<TailedLog, number>();
    const take = (log: TailedLog, at: number): void => {
      free.delete(log);
      log.attach(files[at]);
      order.set(log, at);
    };
    const left: number[] = [];
    files.forEach((file, at) => {
      const same = [...free].find((log) => log.saved.id === file.id && log.matches(file));
      if (same === undefined) left.push(at);
      else take(same, at);
    });
    for (const at of left) {
      const file = files[at];
      const [best] = [...free]
        .filter((log) => log.matches(file))
        .sort((a, b) => b.head.length - a.head.length);
      // A copy of a log whose file is there, too, has nothing new.
      const isCopy = best === undefined && [...order.keys()].some((log) => log.hasCopy(file));
      if (best !== undefined) take(best, at);
      else if (!isCopy) {
        const log = TailedLog.begin(file);
        this.#logs.push(log);
        take(log, at);
      }
    }
    for (const log of free) {
      if (log.behind > 0 && !log.isOpen) this.losses.set('removed', (this.losses.get('removed') ?? 0) + 1);
      log.detach();
    }
    const gone = this.#logs.filter((log) => !order.has(log));
    const kept = gone.slice(-MOST_GONE);
    this.#logs = [...kept, ...[...order].sort((a, b) => a[1] - b[1]).map(([log]) => log)];
  }
}
