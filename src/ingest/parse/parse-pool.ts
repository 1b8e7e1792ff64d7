import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { Batch } from '../batch.js';
import { formatByName } from '../formats/known-formats.js';
import type { ReaderOptions } from '../formats/reader.js';
import { kernelModule, ScanMemory } from '../scan/json-scan.js';
import { BlockParser } from './block-parser.js';
import {
  type FormatPlace,
  type ParseJob,
  type ParseResult,
  type ParseSetup,
  unpackBatch,
} from './parse-message.js';

/** Each thread has two blocks: one is filled while the other is parsed. */
const BLOCKS_PER_THREAD = 2;
/** A further thread must load and compile all code before it helps, so the pool looks at this many blocks first. */
const BLOCKS_BEFORE_THREAD = 8;
/** A caller that is busy for a larger part of the time would not be served faster by a further thread. */
const BUSY = 0.5;
/** The most results whose memory waits to be used again. */
const MOST_SPARE = 8;

/** A block of input to fill and parse. It returns to the pool after `parse` or `release`. */
export interface Lease {
  readonly bytes: Uint8Array;
  parse(format: string, length: number): Promise<Batch>;
  /** Returns the block to the pool without parsing it. */
  release(): void;
}

interface Waiter {
  resolve(lease: Lease): void;
  reject(error: unknown): void;
}

/**
 * Parses blocks of input to batches, in threads of its own or, with 0 threads, in the caller's thread. It starts with one
 * thread, and adds others while the caller waits for blocks.
 */
export class ParsePool {
  readonly blockBytes: number;
  readonly #free: Lease[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #workers: Worker[] = [];
  readonly #options: ReaderOptions;
  readonly #mostThreads: number;
  /** The blocks that came back since the last thread was added, and how busy the caller was before the first of them. */
  #parsed = 0;
  #since: EventLoopUtilization | undefined;
  #failure: unknown;
  /** The memory of results that the caller is done with. */
  readonly #spare: ArrayBuffer[] = [];

  constructor(threads: number, blockBytes: number, options: ReaderOptions) {
    this.blockBytes = blockBytes;
    this.#options = options;
    this.#mostThreads = threads;
    if (threads === 0) this.#addInline(options);
    else this.#addThread(options);
  }

  /** The number of threads so far. */
  get threads(): number {
    return this.#workers.length;
  }

  /** Starts threads at once, up to this number, for a format whose parsing is the slowest stage. */
  start(threads: number, format: string): void {
    const most = Math.min(threads, this.#mostThreads);
    while (this.#workers.length < most) this.#addThread(this.#options, placeOf(format));
  }

  /** Waits for a free block. */
  acquire(): Promise<Lease> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#free.length === 0 && this.#needsThread()) this.#addThread(this.#options);
    const lease = this.#free.shift();
    if (lease !== undefined) return Promise.resolve(lease);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /**
   * Uses the memory of a batch again, which the caller is done with. New memory for each batch would cost a garbage
   * collection every few blocks.
   */
  reuse(batch: Batch): void {
    const { memory } = batch;
    if (memory === undefined) return;
    batch.memory = undefined;
    batch.clear();
    if (this.#spare.length < MOST_SPARE) this.#spare.push(memory);
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  /** Tells whether the caller waits for the threads rather than they for the caller. */
  #needsThread(): boolean {
    if (this.#workers.length >= this.#mostThreads || this.#parsed < BLOCKS_BEFORE_THREAD) return false;
    return (
      performance.eventLoopUtilization(performance.eventLoopUtilization(), this.#since).utilization < BUSY
    );
  }

  #release(lease: Lease): void {
    const waiter = this.#waiting.shift();
    if (waiter === undefined) this.#free.push(lease);
    else waiter.resolve(lease);
  }

  #addInline(options: ReaderOptions): void {
    const memory = new ScanMemory(this.blockBytes, 1);
    const parser = new BlockParser(memory, options);
    const lease: Lease = {
      bytes: memory.blocks[0],
      parse: async (format, length) => {
        try {
          const batch = new Batch();
          parser.parse(formatByName(format), 0, length, batch);
          return batch;
        } finally {
          this.#release(lease);
        }
      },
      release: () => this.#release(lease),
    };
    this.#free.push(lease);
  }

  #addThread(options: ReaderOptions, format?: FormatPlace): void {
    const memory = new ScanMemory(this.blockBytes, BLOCKS_PER_THREAD);
    const setup: ParseSetup = {
      memory: memory.memory,
      kernel: kernelModule(),
      blockBytes: this.blockBytes,
      blocks: BLOCKS_PER_THREAD,
      options,
      format,
    };
    const worker = new Worker(new URL('./parse-worker.js', import.meta.url), {
      workerData: setup,
      resourceLimits: { maxYoungGenerationSizeMb: 64 }, // batches are short-lived: this makes garbage collection rarer
    });
    const pending: ((result: Batch) => void)[] = [];
    const rejecters: ((error: unknown) => void)[] = [];
    const leases = memory.blocks.map((bytes, block): Lease => {
      const lease: Lease = {
        bytes,
        parse: (format, length) =>
          new Promise<Batch>((resolve, reject) => {
            pending[block] = resolve;
            rejecters[block] = reject;
            const memory = this.#spare.pop();
            const job: ParseJob = { format: placeOf(format), block, length, memory };
            worker.postMessage(job, memory === undefined ? [] : [memory]);
          }),
        release: () => this.#release(lease),
      };
      return lease;
    });
    worker.on('message', (result: ParseResult) => {
      if (this.#parsed++ === 0) this.#since = performance.eventLoopUtilization();
      pending[result.block](unpackBatch(result));
      this.#release(leases[result.block]);
    });
    worker.on('error', (error) => {
      this.#failure = error;
      for (const reject of rejecters) reject?.(error);
      for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
    });
    this.#workers.push(worker);
    for (const lease of leases) this.#release(lease);
    this.#parsed = 0;
  }
}

/** What a thread needs to load a format. The format itself has functions, which cannot be sent. */
function placeOf(format: string): FormatPlace {
  const { name, module } = formatByName(format);
  return { name, module };
}
