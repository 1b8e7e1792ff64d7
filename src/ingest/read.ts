import { availableParallelism } from 'node:os';
import { RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';
import type { Batch } from './batch.js';
import { DETECT_BYTES, detectFormat, FORMATS, formatByName } from './formats/known-formats.js';
import { DEFAULT_MAX_LINE, type Format } from './formats/reader.js';
import { type Lease, ParsePool } from './parse/parse-pool.js';
import { SourceClock } from './source-clock.js';
import { type ByteSource, type InputFile, openInput } from './sources/byte-source.js';
import { type FilledBlock, LineBlocks } from './sources/line-blocks.js';
import type { TimeUnit } from './time.js';

const BLOCK_BYTES = 4 << 20;
/** Below this much input, starting threads costs more than it saves. */
const INLINE_BYTES = 16 << 20;
const MAX_THREADS = 4;
/** What some exports put before UTF-8. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

export interface ReadOptions {
  /** A format's name, or `auto` to find out from the content. */
  format?: string;
  maxLine?: number;
  /** What the numbers in the log count; without it, the unit of most events of each file. */
  timeUnit?: TimeUnit | undefined;
  /** Parse threads; 0 parses in the calling thread. */
  threads?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** What was found out about one source (a file, or a member of an archive) besides its batches. */
export interface SourceReport {
  readonly name: string;
  readonly format: string;
  timeUnit: TimeUnit | undefined;
  badTime: number;
  lines: number;
  bytes: number;
}

/** A batch of one source, in the order of its file, with exact nanoseconds. */
export interface SourceBatch {
  readonly source: SourceReport;
  readonly batch: Batch;
  /** Number of the block's first line in its source, from 1. */
  readonly firstLine: number;
  /** Bytes of the file on disk read so far. */
  readonly consumed: number;
}

/** Threads worth starting for inputs of this size on disk. */
export function defaultThreads(bytes: number): number {
  return bytes < INLINE_BYTES ? 0 : Math.min(MAX_THREADS, availableParallelism());
}

/**
 * Reads log files into batches: decompression, line blocks, parse threads and time units, in bounded memory however
 * long the input. One pool serves all files of a run.
 */
export class LogReader {
  readonly #options: ReadOptions;
  readonly #maxLine: number;
  readonly #pool: ParsePool;

  constructor(options: ReadOptions = {}) {
    this.#options = options;
    this.#maxLine = options.maxLine ?? DEFAULT_MAX_LINE;
    const blockBytes = Math.max(BLOCK_BYTES, 2 * this.#maxLine);
    this.#pool = new ParsePool(options.threads ?? 0, blockBytes, { maxLine: this.#maxLine });
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  /** Reads one input, which the caller opened and will close. */
  async *read(input: InputFile): AsyncGenerator<SourceBatch> {
    for await (const source of input.sources()) yield* this.#readSource(source);
  }

  /** Opens, reads and closes one path. */
  async *readPath(path: string): AsyncGenerator<SourceBatch> {
    const input = await openInput(path);
    try {
      yield* this.read(input);
    } finally {
      await input.close();
    }
  }

  async *#readSource(source: ByteSource): AsyncGenerator<SourceBatch> {
    const blocks = new LineBlocks(source);
    const pending: PendingBatch[] = [];
    let out: SourceOutput | undefined;
    // The next block is filled while whoever pulls this generator is busy with the batches before it.
    let filling = this.#fillNext(blocks);
    let ended = false;
    try {
      while (!ended) {
        this.#options.signal?.throwIfAborted();
        const { lease, length, dropped } = await filling;
        ended = length === 0 && dropped.length === 0;
        if (ended && out === undefined) {
          lease.release(); // an empty member of an archive has no format; an empty file is refused before
          return;
        }
        try {
          out ??= this.#begin(source, lease, length);
        } catch (error) {
          ended = true;
          throw error;
        }
        if (ended) {
          lease.release();
          break;
        }
        out.report.bytes += dropped.reduce((sum, line) => sum + line + 1, length);
        const parsed = lease.parse(out.report.format, length);
        pending.push(track(parsed.then((batch) => this.#noteDropped(batch, dropped))));
        filling = this.#fillNext(blocks);
        while (pending[0]?.done) yield* out.take(await shift(pending));
      }
      while (pending.length > 0) yield* (out as SourceOutput).take(await shift(pending));
      yield* (out as SourceOutput).finish();
    } finally {
      // The blocks must be back before the pool serves another file.
      await Promise.allSettled(pending.map((entry) => entry.batch));
      if (!ended) await filling.then(({ lease }) => lease.release()).catch(() => undefined);
    }
  }

  /** Takes a block and fills it; the promise may be left alone for a while without being a stray rejection. */
  #fillNext(blocks: LineBlocks): Promise<FilledBlock & { lease: Lease }> {
    const filled = this.#pool
      .acquire()
      .then(async (lease) => ({ lease, ...(await this.#fill(blocks, lease)) }));
    filled.catch(() => undefined);
    return filled;
  }

  async #fill(blocks: LineBlocks, lease: Lease): Promise<FilledBlock> {
    try {
      return await blocks.fill(lease.bytes, this.#pool.blockBytes);
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  #begin(source: ByteSource, lease: Lease, length: number): SourceOutput {
    // A byte order mark, as some exports have, would spoil the first record; blanks do not, and every byte stays in its place.
    if (BYTE_ORDER_MARK.every((byte, i) => lease.bytes[i] === byte))
      lease.bytes.fill(0x20, 0, BYTE_ORDER_MARK.length);
    const format = this.#formatOf(source.name, lease, length);
    return new SourceOutput(source, format, this.#options.timeUnit);
  }

  #formatOf(name: string, lease: Lease, length: number): Format {
    const wanted = this.#options.format ?? 'auto';
    if (wanted !== 'auto') return formatByName(wanted);
    const found = detectFormat(lease.bytes.slice(0, Math.min(length, DETECT_BYTES)));
    if (found !== undefined) return found;
    lease.release();
    const known = FORMATS.map((format) => `${format.name} (${format.title})`).join(', ');
    throw new RecalError('unknown-format', `${printable(name)} is of no format that recal reads`, {
      hint: `it reads ${known}; if this is one of them, say so with --format`,
      where: { file: name },
    });
  }

  /** Lines longer than a whole block never reached the reader; they are counted all the same. */
  #noteDropped(batch: Batch, dropped: readonly number[]): Batch {
    if (dropped.length === 0) return batch;
    for (let i = 0; i < batch.events; i++) batch.line[i] += dropped.length;
    for (const problem of batch.problems) problem.line += dropped.length;
    for (const [line, bytes] of dropped.entries()) {
      batch.problem(line, `oversize: ${bytes} bytes, over the limit of ${this.#maxLine}`, '');
    }
    batch.lines += dropped.length;
    return batch;
  }
}

/** Gives a source's batches their times and line numbers, in order. */
class SourceOutput {
  readonly report: SourceReport;
  readonly #source: ByteSource;
  readonly #clock: SourceClock;
  #line = 1;

  constructor(source: ByteSource, format: Format, unit: TimeUnit | undefined) {
    this.#source = source;
    this.report = {
      name: source.name,
      format: format.name,
      timeUnit: undefined,
      badTime: 0,
      lines: 0,
      bytes: 0,
    };
    this.#clock = new SourceClock(source.name, format.exactTime ? 'ns' : unit);
  }

  take(batch: Batch): SourceBatch[] {
    return this.#clock.take(batch).map((ready) => this.#place(ready));
  }

  finish(): SourceBatch[] {
    return this.#clock.finish().map((ready) => this.#place(ready));
  }

  #place(batch: Batch): SourceBatch {
    const { report } = this;
    const firstLine = this.#line;
    this.#line += batch.lines;
    report.lines += batch.lines;
    report.badTime = this.#clock.badTime;
    report.timeUnit = this.#clock.unit;
    return { source: report, batch, firstLine, consumed: this.#source.consumed };
  }
}

/** A batch under way, and whether it has arrived. */
interface PendingBatch {
  readonly batch: Promise<Batch>;
  done: boolean;
}

function track(batch: Promise<Batch>): PendingBatch {
  const entry: PendingBatch = { batch, done: false };
  const mark = (): void => {
    entry.done = true;
  };
  batch.then(mark, mark);
  return entry;
}

function shift(pending: PendingBatch[]): Promise<Batch> {
  return (pending.shift() as PendingBatch).batch;
}
