import { Worker } from 'node:worker_threads';
import { Batch } from '../batch.js';
import type { ReaderOptions } from '../formats/reader.js';
import { kernelModule, ScanMemory } from '../scan/json-scan.js';
import { BlockParser } from './block-parser.js';
import { type ParseResult, type ParseSetup, unpackBatch } from './parse-message.js';

/** Each thread has two blocks: one is filled while the other is parsed. */
const BLOCKS_PER_THREAD = 2;

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

/** Parses blocks of input to batches, in threads of its own or, with 0 threads, in the caller's thread. */
export class ParsePool {
  readonly blockBytes: number;
  readonly #free: Lease[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #workers: Worker[] = [];
  #failure: unknown;

  constructor(threads: number, blockBytes: number, options: ReaderOptions) {
    this.blockBytes = blockBytes;
    if (threads === 0) this.#addInline(options);
    for (let i = 0; i < threads; i++) this.#addThread(options);
  }

  /** Waits for a free block. */
  acquire(): Promise<Lease> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const lease = this.#free.shift();
    if (lease !== undefined) return Promise.resolve(lease);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
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
          parser.parse(format, 0, length, batch);
          return batch;
        } finally {
          this.#release(lease);
        }
      },
      release: () => this.#release(lease),
    };
    this.#free.push(lease);
  }

  #addThread(options: ReaderOptions): void {
    const memory = new ScanMemory(this.blockBytes, BLOCKS_PER_THREAD);
    const setup: ParseSetup = {
      memory: memory.memory,
      kernel: kernelModule(),
      blockBytes: this.blockBytes,
      blocks: BLOCKS_PER_THREAD,
      options,
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
            worker.postMessage({ format, block, length });
          }),
        release: () => this.#release(lease),
      };
      return lease;
    });
    worker.on('message', (result: ParseResult) => {
      pending[result.block](unpackBatch(result));
      this.#release(leases[result.block]);
    });
    worker.on('error', (error) => {
      this.#failure = error;
      for (const reject of rejecters) reject?.(error);
      for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
    });
    this.#workers.push(worker);
    this.#free.push(...leases);
  }
}
