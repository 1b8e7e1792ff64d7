import { Crew } from './crew.js';
import { type Build, type LearnKernels, loadKernels } from './kernel-module.js';

/** Orders to the threads: a list of commands, and scratch memory for each. */
export const ORDERS = { list: 0, count: 1, scratch: 2, scratchBytes: 3, failedAt: 4 } as const;

/** Threads that run lists of commands together with the calling one. */
export class ThreadPool {
  readonly #crew: Crew;
  readonly #kernels: LearnKernels;

  private constructor(crew: Crew, kernels: LearnKernels) {
    this.#crew = crew;
    this.#kernels = kernels;
  }

  static async start(
    memory: WebAssembly.Memory,
    build: Build,
    control: number,
    threads: number,
  ): Promise<ThreadPool> {
    const worker = new URL('./learn-worker.js', import.meta.url);
    const crew = await Crew.start(worker, { memory, build, control }, threads);
    return new ThreadPool(crew, loadKernels(build, memory));
  }

  get threads(): number {
    return this.#crew.threads;
  }

  run(list: number, count: number, scratch: number, scratchBytes: number): void {
    const { failedAt } = this.#crew;
    this.#crew.run([list, count, scratch, scratchBytes, failedAt], () =>
      this.#kernels.execute(list, count, scratch, failedAt),
    );
  }

  close(): Promise<void> {
    return this.#crew.close();
  }
}
