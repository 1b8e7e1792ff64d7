import { type Build, type LearnKernels, loadKernels } from './kernel-module.js';
import { KernelThreads } from './kernel-threads.js';

/** Indices into a task: the command list, the scratch memory of each thread, and the address of the failure flag. */
export const TASK = { list: 0, count: 1, scratch: 2, scratchBytes: 3, failedAt: 4 } as const;

/** Threads that run command lists of the learning kernels together with the calling thread. */
export class LearnThreads {
  readonly #threads: KernelThreads;
  readonly #kernels: LearnKernels;

  private constructor(threads: KernelThreads, kernels: LearnKernels) {
    this.#threads = threads;
    this.#kernels = kernels;
  }

  static async start(
    memory: WebAssembly.Memory,
    build: Build,
    control: number,
    threads: number,
  ): Promise<LearnThreads> {
    const worker = new URL('./learn-worker.js', import.meta.url);
    const started = await KernelThreads.start(worker, { memory, build, control }, threads);
    return new LearnThreads(started, loadKernels(build, memory));
  }

  get threads(): number {
    return this.#threads.threads;
  }

  run(list: number, count: number, scratch: number, scratchBytes: number): void {
    const { failedAt } = this.#threads;
    this.#threads.run([list, count, scratch, scratchBytes, failedAt], () =>
      this.#kernels.execute(list, count, scratch, failedAt),
    );
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
