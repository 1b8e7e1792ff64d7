import type { Build } from '../../compute/wasm/kernel-module.js';
import { KernelThreads } from '../../compute/wasm/kernel-threads.js';
import { type KnnKernels, loadKnnKernels, OPERATIONS, type Operation } from './knn-module.js';

/** Indices into a task: the operation, its setup and job, and the scratch memory of each thread. */
export const TASK = { operation: 0, setup: 1, job: 2, scratch: 3, scratchBytes: 4 } as const;

/** Threads that work on one job at a time, together with the calling thread. */
export class SearchThreads {
  readonly #threads: KernelThreads;
  readonly #kernels: KnnKernels;

  private constructor(threads: KernelThreads, kernels: KnnKernels) {
    this.#threads = threads;
    this.#kernels = kernels;
  }

  static async start(
    memory: WebAssembly.Memory,
    build: Build,
    control: number,
    threads: number,
  ): Promise<SearchThreads> {
    const worker = new URL('./knn-worker.js', import.meta.url);
    const started = await KernelThreads.start(worker, { memory, build, control }, threads);
    return new SearchThreads(started, loadKnnKernels(build, memory));
  }

  get threads(): number {
    return this.#threads.threads;
  }

  /** `scratch` is the address of `scratchBytes` bytes for each thread. */
  run(operation: Operation, setup: number, job: number, scratch: number, scratchBytes: number): void {
    this.#threads.run([OPERATIONS.indexOf(operation), setup, job, scratch, scratchBytes], () =>
      this.#kernels[operation](setup, job, scratch),
    );
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
