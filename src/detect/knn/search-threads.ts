import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RecalError } from '../../base/errors.js';
import type { Build } from '../../compute/wasm/kernel-module.js';
import { type KnnKernels, loadKnnKernels, OPERATIONS, type Operation } from './knn-module.js';

/** Words of the control block. */
export const CONTROL = {
  /** Goes up by one with each job. */
  round: 0,
  /** Number of the operation; CLOSED ends the threads. */
  operation: 1,
  setup: 2,
  job: 3,
  scratch: 4,
  scratchBytes: 5,
  failed: 6,
  /** Threads that found no more work. */
  parked: 7,
} as const;
export const CLOSED = -1;
export const CONTROL_BYTES = 64;

export interface ThreadSetup {
  memory: WebAssembly.Memory;
  build: Build;
  /** Address of the control block. */
  control: number;
  /** From 1: the thread that made the others is 0 and works too. */
  thread: number;
}

export function controlWords(memory: WebAssembly.Memory, address: number): Int32Array {
  return new Int32Array(memory.buffer, address, CONTROL_BYTES / 4);
}

/** Threads that take pieces of one job after another, together with the calling one. With one thread none is started. */
export class SearchThreads {
  readonly threads: number;
  readonly #kernels: KnnKernels;
  readonly #control: Int32Array;
  readonly #workers: Worker[] = [];

  private constructor(memory: WebAssembly.Memory, build: Build, control: number, threads: number) {
    this.threads = threads;
    this.#kernels = loadKnnKernels(build, memory);
    this.#control = controlWords(memory, control);
    for (let thread = 1; thread < threads; thread++) {
      const workerData: ThreadSetup = { memory, build, control, thread };
      this.#workers.push(new Worker(new URL('./knn-worker.js', import.meta.url), { workerData }));
    }
  }

  static async start(memory: WebAssembly.Memory, build: Build, control: number, threads: number) {
    const started = new SearchThreads(memory, build, control, threads);
    await Promise.all(started.#workers.map((worker) => once(worker, 'message')));
    for (const worker of started.#workers) worker.unref(); // idle threads do not keep the process alive
    return started;
  }

  /** `scratch` is the address of `scratchBytes` for each thread. */
  run(operation: Operation, setup: number, job: number, scratch: number, scratchBytes: number): void {
    const control = this.#control;
    control[CONTROL.operation] = OPERATIONS.indexOf(operation);
    control[CONTROL.setup] = setup;
    control[CONTROL.job] = job;
    control[CONTROL.scratch] = scratch;
    control[CONTROL.scratchBytes] = scratchBytes;
    Atomics.store(control, CONTROL.parked, 0);
    this.#wake();
    this.#kernels[operation](setup, job, scratch);
    for (let parked = 0; parked < this.#workers.length; ) {
      if (Atomics.load(control, CONTROL.failed) !== 0) break;
      parked = Atomics.load(control, CONTROL.parked);
      if (parked < this.#workers.length) Atomics.wait(control, CONTROL.parked, parked, 50);
    }
    if (Atomics.load(control, CONTROL.failed) !== 0) {
      throw new RecalError('search-failed', 'a search thread stopped in the middle of its work', {
        hint: 'this is a defect of the program: please report it',
      });
    }
  }

  async close(): Promise<void> {
    this.#control[CONTROL.operation] = CLOSED;
    this.#wake();
    await Promise.all(this.#workers.splice(0).map((worker) => worker.terminate()));
  }

  #wake(): void {
    if (this.#workers.length === 0) return;
    Atomics.add(this.#control, CONTROL.round, 1);
    Atomics.notify(this.#control, CONTROL.round);
  }
}
