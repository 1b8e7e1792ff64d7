import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RecalError } from '../../base/errors.js';
import { type Build, type LearnKernels, loadKernels } from './kernel-module.js';

/** Words of the control block, at the start of the shared memory's own part. */
export const CONTROL = {
  /** Goes up by one with each list. */
  round: 0,
  list: 1,
  /** Commands in the list; CLOSED ends the threads. */
  count: 2,
  failed: 3,
  scratch: 4,
  scratchBytes: 5,
  /** Threads that have come to the end of the list. */
  parked: 6,
} as const;
export const CLOSED = 0xffff_ffff | 0;
const CONTROL_WORDS = 16;

export interface ThreadSetup {
  memory: WebAssembly.Memory;
  build: Build;
  /** Address of the control block. */
  control: number;
  /** From 1: the thread that made the pool is 0 and works too. */
  thread: number;
}

export function controlWords(memory: WebAssembly.Memory, address: number): Int32Array {
  return new Int32Array(memory.buffer, address, CONTROL_WORDS);
}

/** Threads that run lists of commands together with the calling one. With one thread nothing is started. */
export class ThreadPool {
  readonly threads: number;
  readonly #kernels: LearnKernels;
  readonly #control: Int32Array;
  readonly #workers: Worker[] = [];

  private constructor(memory: WebAssembly.Memory, build: Build, control: number, threads: number) {
    this.threads = threads;
    this.#kernels = loadKernels(build, memory);
    this.#control = controlWords(memory, control);
    for (let thread = 1; thread < threads; thread++) {
      const workerData: ThreadSetup = { memory, build, control, thread };
      this.#workers.push(new Worker(new URL('./learn-worker.js', import.meta.url), { workerData }));
    }
  }

  static async start(memory: WebAssembly.Memory, build: Build, control: number, threads: number) {
    const pool = new ThreadPool(memory, build, control, threads);
    await Promise.all(pool.#workers.map((worker) => once(worker, 'message')));
    for (const worker of pool.#workers) worker.unref(); // an idle pool does not keep the process alive
    return pool;
  }

  run(list: number, count: number, scratch: number, scratchBytes: number): void {
    const control = this.#control;
    control[CONTROL.list] = list;
    control[CONTROL.count] = count;
    control[CONTROL.scratch] = scratch;
    control[CONTROL.scratchBytes] = scratchBytes;
    Atomics.store(control, CONTROL.parked, 0);
    if (this.#workers.length > 0) this.#wake();
    const failedAt = control.byteOffset + 4 * CONTROL.failed;
    this.#kernels.execute(list, count, scratch, failedAt);
    // The list may be overwritten only when nobody reads it any more.
    for (let parked = 0; parked < this.#workers.length; ) {
      if (Atomics.load(control, CONTROL.failed) !== 0) break;
      parked = Atomics.load(control, CONTROL.parked);
      if (parked < this.#workers.length) Atomics.wait(control, CONTROL.parked, parked, 50);
    }
    if (Atomics.load(control, CONTROL.failed) !== 0) {
      throw new RecalError('device-failed', 'a compute thread stopped in the middle of its work', {
        hint: 'this is a defect of the program: please report it',
      });
    }
  }

  async close(): Promise<void> {
    this.#control[CONTROL.count] = CLOSED;
    this.#wake();
    await Promise.all(this.#workers.splice(0).map((worker) => worker.terminate()));
  }

  #wake(): void {
    Atomics.add(this.#control, CONTROL.round, 1);
    Atomics.notify(this.#control, CONTROL.round);
  }
}
