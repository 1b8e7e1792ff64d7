import { availableParallelism } from 'node:os';
import { RecalError } from '../base/errors.js';
import type { Batch } from './batch.js';
import { detectFormat, FORMATS, formatByName } from './formats/known-formats.js';
import { DEFAULT_MAX_LINE, type Format, oversizeReason } from './formats/reader.js';
import { type Lease, ParsePool } from './parse/parse-pool.js';
import { SourceClock } from './source-clock.js';
import { type ByteSource, type InputFile, openInput } from './sources/byte-source.js';
import { quoted } from './sources/input-errors.js';
import { type FilledBlock, LineBlocks } from './sources/line-blocks.js';
import type { TimeUnit } from './time.js';

const BLOCK_BYTES = 4 << 20;
/** For less input, starting threads costs more time than it saves. */
const INLINE_BYTES = 16 << 20;
const MAX_THREADS = 4;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

export interface ReadOptions {
  /** The name of a format, or `auto` to detect it from the content. */
  format?: string;
  /** The longest line to read, in bytes. */
  maxLine?: number;
  /** The unit of times in the log. The default is the unit of most events, for each file. */
  timeUnit?: TimeUnit | undefined;
  /** The number of parse threads. 0 parses in the calling thread. */
  threads?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Facts about a source, which is a file or a member of an archive. */
export interface SourceReport {
  readonly name: string;
  readonly format: string;
  timeUnit: TimeUnit | undefined;
  /** The number of events without a valid time. */
  badTime: number;
  lines: number;
  bytes: number;
}

/** A batch of a source, with times in nanoseconds. Batches come in the order of the file. */
export interface SourceBatch {
  readonly source: SourceReport;
  readonly batch: Batch;
  /** The line number of the first line of the batch, from 1. */
  readonly firstLine: number;
  /** The number of bytes of the file read so far. */
  readonly consumed: number;
}

/** Returns the number of parse threads for inputs of this size. */
export function defaultThreads(bytes: number): number {
  return bytes < INLINE_BYTES ? 0 : Math.min(MAX_THREADS, availableParallelism());
}

/**
 * Reads log files into batches, in bounded memory: it decompresses, splits into blocks of lines, parses and converts
 * times. All files share one pool of parse threads.
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

  /** Reads an open input. The caller closes it. */
  async *read(input: InputFile): AsyncGenerator<SourceBatch> {
    for await (const source of input.sources()) yield* this.#readSource(source);
  }

  /** Opens, reads and closes a file. */
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
    // The next block is filled while the caller processes the batches before it.
    let filling = this.#fillNext(blocks);
    let ended = false;
    try {
      while (!ended) {
        this.#options.signal?.throwIfAborted();
        const { lease, length, dropped } = await filling;
        ended = length === 0 && dropped.length === 0;
        if (ended && out === undefined) {
          lease.release(); // an empty member of an archive; empty files do not get here
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
      // All blocks must be back in the pool before it serves another file.
      await Promise.allSettled(pending.map((entry) => entry.batch));
      if (!ended) await filling.then(({ lease }) => lease.release()).catch(() => undefined);
    }
  }

  /** Takes a block from the pool and fills it. */
  #fillNext(blocks: LineBlocks): Promise<FilledBlock & { lease: Lease }> {
    const filled = this.#pool
      .acquire()
      .then(async (lease) => ({ lease, ...(await this.#fill(blocks, lease)) }));
    filled.catch(() => undefined); // awaited later: without this, Node would report an early rejection as unhandled
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
    // Spaces replace a byte order mark, so that all offsets stay the same.
    if (BYTE_ORDER_MARK.every((byte, i) => lease.bytes[i] === byte))
      lease.bytes.fill(0x20, 0, BYTE_ORDER_MARK.length);
    const format = this.#formatOf(source.name, lease, length);
    return new SourceOutput(source, format, this.#options.timeUnit);
  }

  #formatOf(name: string, lease: Lease, length: number): Format {
    const wanted = this.#options.format ?? 'auto';
    if (wanted !== 'auto') return formatByName(wanted);
    const found = detectFormat(lease.bytes.subarray(0, length), this.#maxLine);
    if (found !== undefined) return found;
    lease.release();
    const known = FORMATS.map((format) => `${format.name} (${format.title})`).join(' or ');
    throw new RecalError('unknown-format', `${quoted(name)} is not in a format that recal reads`, {
      hint: `convert it to ${known}, or set --format if it is already in one of them`,
      where: { file: name },
    });
  }

  /** Counts the lines that are longer than a block, which the reader did not see. */
  #noteDropped(batch: Batch, dropped: readonly number[]): Batch {
    if (dropped.length === 0) return batch;
    for (let i = 0; i < batch.events; i++) batch.line[i] += dropped.length;
    for (const problem of batch.problems) problem.line += dropped.length;
    for (const [line, bytes] of dropped.entries()) {
      batch.problem({ line, code: 'oversize', reason: oversizeReason(bytes, this.#maxLine), sample: '' });
    }
    batch.lines += dropped.length;
    return batch;
  }
}

/** Adds times and line numbers to the batches of a source. */
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
    return this.#clock.take(batch).map((ready) => this.#numberLines(ready));
  }

  finish(): SourceBatch[] {
    return this.#clock.finish().map((ready) => this.#numberLines(ready));
  }

  #numberLines(batch: Batch): SourceBatch {
    const { report } = this;
    const firstLine = this.#line;
    this.#line += batch.lines;
    report.lines += batch.lines;
    report.badTime = this.#clock.badTime;
    report.timeUnit = this.#clock.unit;
    return { source: report, batch, firstLine, consumed: this.#source.consumed };
  }
}

/** A batch that is being parsed. */
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
