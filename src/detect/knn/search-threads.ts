import { Crew } from '../../compute/wasm/crew.js';
import type { Build } from '../../compute/wasm/kernel-module.js';
import { type KnnKernels, loadKnnKernels, OPERATIONS, type Operation } from './knn-module.js';

/** Orders to the threads: the number of an operation, what it works on, and scratch memory for each. */
export const ORDERS = { operation: 0, setup: 1, job: 2, scratch: 3, scratchBytes: 4 } as const;

/** Threads that take pieces of one job after another, together with the calling one. */
export class SearchThreads {
  readonly #crew: Crew;
  readonly #kernels: KnnKernels;

  private constructor(crew: Crew, kernels: KnnKernels) {
    this.#crew = crew;
    this.#kernels = kernels;
  }

  static async start(
    memory: WebAssembly.Memory,
    build: Build,
    control: number,
    threads: number,
  ): Promise<SearchThreads> {
    const worker = new URL('./knn-worker.js', import.meta.url);
    const crew = await Crew.start(worker, { memory, build, control }, threads);
    return new SearchThreads(crew, loadKnnKernels(build, memory));
  }

  get threads(): number {
    return this.#crew.threads;
  }

  /** `scratch` is the address of `scratchBytes` for each thread. */
  run(operation: Operation, setup: number, job: number, scratch: number, scratchBytes: number): void {
    this.#crew.run([OPERATIONS.indexOf(operation), setup, job, scratch, scratchBytes], () =>
      this.#kernels[operation](setup, job, scratch),
    );
  }

  close(): Promise<void> {
    return this.#crew.close();
  }
}
