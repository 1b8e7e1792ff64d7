import { availableParallelism } from 'node:os';
import { Batch } from './batch.js';
import { detectFormat, formatByName } from './formats/known-formats.js';
import { type Assembler, DEFAULT_MAX_LINE, type Format, oversizeReason } from './formats/reader.js';
import { unknownFormatError } from './formats/unknown-format.js';
import { type Lease, ParsePool } from './parse/parse-pool.js';
import { PlausibleTimes } from './plausible-times.js';
import { SourceClock } from './source-clock.js';
import { type ByteSource, type InputFile, openInput } from './sources/byte-source.js';
import { inLines } from './sources/document-lines.js';
import { BYTE_ORDER_MARK, startsWithMark } from './sources/json-layout.js';
import { type FilledBlock, LineBlocks } from './sources/line-blocks.js';
import type { TimeUnit } from './time.js';

const BLOCK_BYTES = 4 << 20;
/** For less input, starting threads costs more time than it saves. */
const INLINE_BYTES = 16 << 20;
const MAX_THREADS = 4;
/** The most parse threads to start at once. Further ones start while the caller waits. */
const THREADS_AT_ONCE = 2;

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
  /** What `saveStates` returned for the files before, by format. */
  states?: Readonly<Record<string, unknown>> | undefined;
}

/** How to read an input. */
export interface InputOptions {
  /** False if other files follow, in which events may go on. Default: true. */
  readonly last?: boolean;
  /** The beginning that was read before, after which a file has grown. */
  readonly after?: ReadBefore | undefined;
  /** True if the file may still be written to. A last line without a newline then waits. Default: false. */
  readonly grows?: boolean;
}

/** The beginning of a file that was read before. */
export interface ReadBefore {
  readonly bytes: number;
  readonly lines: number;
}

const NOTHING_BEFORE: ReadBefore = { bytes: 0, lines: 0 };
const SKIP_BYTES = 1 << 20;

/** Facts about a source, which is a file or a member of an archive. */
export interface SourceReport {
  readonly name: string;
  readonly format: string;
  timeUnit: TimeUnit | undefined;
  /** The number of events without a valid time. */
  badTime: number;
  /** The number of events with a time far from most times around it. */
  farTime: number;
  lines: number;
  bytes: number;
  /** The number of bytes of a last line that is not complete yet and was not read. */
  unfinished: number;
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
  /** The stages that need order, by format. They go on from file to file. */
  readonly #assemblers = new Map<string, Assembler>();

  constructor(options: ReadOptions = {}) {
    this.#options = options;
    this.#maxLine = options.maxLine ?? DEFAULT_MAX_LINE;
    const blockBytes = Math.max(BLOCK_BYTES, 2 * this.#maxLine);
    this.#pool = new ParsePool(options.threads ?? 0, blockBytes, { maxLine: this.#maxLine });
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  /**
   * Reads an open input. The caller closes it. Records at the end of a file may belong to an event that goes on in the next
   * file, so they wait for it unless this is the last one.
   */
  async *read(
    input: InputFile,
    { last = true, after = NOTHING_BEFORE, grows = false }: InputOptions = {},
  ): AsyncGenerator<SourceBatch> {
    let out: SourceOutput | undefined;
    for await (const source of input.sources()) {
      await skipBytes(source, after.bytes);
      out = (yield* this.#readSource(source, { line: after.lines + 1, grows })) ?? out;
    }
    if (last && out !== undefined) {
      for (const assembler of this.#assemblers.values()) yield* out.flush(assembler);
    }
  }

  /** Takes back a batch that the caller is done with. Its memory serves for later batches. */
  reuse(batch: Batch): void {
    this.#pool.reuse(batch);
  }

  /** The states of the stages that need order, as JSON values by format. The next ingest goes on with them. */
  saveStates(): Record<string, unknown> {
    const saved = [...this.#assemblers].map(([format, assembler]) => [format, assembler.save()]);
    return { ...this.#options.states, ...Object.fromEntries(saved) };
  }

  /** Returns the events that wait for further records of a log from which nothing came for a while. */
  *finish(name: string, line: number): Generator<SourceBatch> {
    for (const [format, assembler] of this.#assemblers) {
      const nothing = { name, consumed: 0, read: async () => 0, close: async () => undefined };
      yield* new SourceOutput(nothing, formatByName(format), line, 'ns', assembler).flush(assembler);
    }
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

  async *#readSource(
    given: ByteSource,
    { line, grows }: { line: number; grows: boolean },
  ): AsyncGenerator<SourceBatch, SourceOutput | undefined> {
    const source = await inLines(given);
    const blocks = new LineBlocks(source, { grows: grows && !source.documents });
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
          return undefined;
        }
        try {
          out ??= this.#begin(source, lease, length, line);
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
      (out as SourceOutput).report.unfinished = blocks.unfinished;
      return out;
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

  #begin(source: ByteSource, lease: Lease, length: number, line: number): SourceOutput {
    // Spaces replace a byte order mark, so that all offsets stay the same.
    if (startsWithMark(lease.bytes)) lease.bytes.fill(0x20, 0, BYTE_ORDER_MARK.length);
    const format = this.#formatOf(source.name, lease, length);
    this.#pool.start(threadsAtOnce(format), format.name);
    const assembler = this.#assemblerOf(format);
    assembler?.beginFile?.();
    return new SourceOutput(source, format, line, this.#options.timeUnit, assembler);
  }

  #assemblerOf(format: Format): Assembler | undefined {
    const known = this.#assemblers.get(format.name);
    if (known !== undefined) return known;
    const assembler = format.assembler?.(this.#options.states?.[format.name]);
    if (assembler !== undefined) this.#assemblers.set(format.name, assembler);
    return assembler;
  }

  #formatOf(name: string, lease: Lease, length: number): Format {
    const wanted = this.#options.format ?? 'auto';
    if (wanted !== 'auto') return formatByName(wanted);
    const found = detectFormat(lease.bytes.subarray(0, length), this.#maxLine);
    if (found !== undefined) return found;
    const error = unknownFormatError(name, lease.bytes.subarray(0, length));
    lease.release();
    throw error;
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
    batch.linesBefore = dropped.length;
    return batch;
  }
}

/**
 * The parse threads to start at once. A second one compiles all code again, so it pays off only if it does not have to share
 * a processor with the assembler.
 */
function threadsAtOnce({ assemblerLoad = 0 }: Format): number {
  const isAlone = assemblerLoad === 0 || (assemblerLoad < 1 && availableParallelism() > THREADS_AT_ONCE);
  return isAlone ? THREADS_AT_ONCE : 1;
}

/** Assembles events, and adds times and line numbers to the batches of a source. */
class SourceOutput {
  readonly report: SourceReport;
  readonly #source: ByteSource;
  readonly #clock: SourceClock;
  readonly #plausible = new PlausibleTimes();
  readonly #assembler: Assembler | undefined;
  /** The batches whose events the assembler may still change. */
  readonly #held: Batch[] = [];
  #line: number;

  constructor(
    source: ByteSource,
    format: Format,
    line: number,
    unit: TimeUnit | undefined,
    assembler: Assembler | undefined,
  ) {
    this.#source = source;
    this.#line = line;
    this.#assembler = assembler;
    this.report = {
      name: source.name,
      format: format.name,
      timeUnit: undefined,
      badTime: 0,
      farTime: 0,
      lines: 0,
      bytes: 0,
      unfinished: 0,
    };
    this.#clock = new SourceClock(source.name, format.exactTime ? 'ns' : unit);
  }

  take(batch: Batch): SourceBatch[] {
    this.#assembler?.take(batch);
    this.#held.push(batch);
    if (this.#assembler?.waiting === true) return [];
    return this.#release().map((ready) => this.#numberLines(ready));
  }

  finish(): SourceBatch[] {
    this.#assembler?.endSource?.();
    const known = [
      ...this.#release(),
      ...this.#clock.finish().flatMap((batch) => this.#plausible.take(batch)),
    ];
    return [...known, ...this.#plausible.finish()].map((ready) => this.#numberLines(ready));
  }

  #release(): Batch[] {
    return this.#held
      .splice(0)
      .flatMap((batch) => this.#clock.take(batch).flatMap((timed) => this.#plausible.take(timed)));
  }

  /** Returns the events that wait in an assembler for further records. */
  flush(assembler: Assembler): SourceBatch[] {
    const batch = new Batch();
    assembler.finish(batch);
    const isEmpty = batch.events + batch.losses.length + batch.skipped.size + batch.merged.size === 0;
    return isEmpty ? [] : [this.#numberLines(batch)];
  }

  #numberLines(batch: Batch): SourceBatch {
    const { report } = this;
    const firstLine = this.#line;
    this.#line += batch.lines;
    report.lines += batch.lines;
    report.badTime = this.#clock.badTime;
    report.farTime = this.#plausible.count;
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

/** Reads the first bytes of a source without using them. */
async function skipBytes(source: ByteSource, bytes: number): Promise<void> {
  const buffer = new Uint8Array(Math.min(bytes, SKIP_BYTES));
  for (let left = bytes; left > 0; ) {
    const read = await source.read(buffer.subarray(0, Math.min(left, buffer.length)));
    if (read === 0) return;
    left -= read;
  }
}
