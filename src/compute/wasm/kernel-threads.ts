import { once } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { RecalError } from '../../base/errors.js';
import type { Build } from './kernel-module.js';

/** Indices into the control block, which lies in memory that all threads share. */
const TASKS_STARTED = 0;
const CLOSED = 1;
const FAILED = 2;
const THREADS_DONE = 3;
const TASK = 4;
const CONTROL_LENGTH = 16;

export const CONTROL_BYTES = 4 * CONTROL_LENGTH;

/** What a worker thread needs to start. */
interface ThreadSetup {
  readonly memory: WebAssembly.Memory;
  readonly build: Build;
  /** Address of the control block. */
  readonly control: number;
  /** Counted from 1: the calling thread is 0 and works too. */
  readonly thread: number;
}

/**
 * Worker threads that run kernels together with the calling thread. They wait on shared memory, so a task needs no
 * message. With one thread, no worker is started.
 */
export class KernelThreads {
  readonly threads: number;
  readonly #control: Int32Array;
  readonly #workers: Worker[] = [];

  private constructor(worker: URL, setup: Omit<ThreadSetup, 'thread'>, threads: number) {
    this.threads = threads;
    this.#control = new Int32Array(setup.memory.buffer, setup.control, CONTROL_LENGTH);
    for (let thread = 1; thread < threads; thread++) {
      this.#workers.push(new Worker(worker, { workerData: { ...setup, thread } satisfies ThreadSetup }));
    }
  }

  /** `worker` is a file that calls `serveKernelThread`. */
  static async start(
    worker: URL,
    setup: Omit<ThreadSetup, 'thread'>,
    threads: number,
  ): Promise<KernelThreads> {
    const started = new KernelThreads(worker, setup, threads);
    await Promise.all(started.#workers.map((each) => once(each, 'message')));
    for (const each of started.#workers) each.unref(); // idle threads must not keep the process alive
    return started;
  }

  /** Address of an integer that becomes nonzero when a thread fails. */
  get failedAt(): number {
    return this.#control.byteOffset + 4 * FAILED;
  }

  /** Runs one task on all threads. The workers read `task`; the calling thread runs `own`. Returns when all are done. */
  run(task: readonly number[], own: () => void): void {
    const control = this.#control;
    control.set(task, TASK);
    Atomics.store(control, THREADS_DONE, 0);
    this.#wake();
    try {
      own();
    } catch (error) {
      Atomics.store(control, FAILED, 1); // workers may still read the task: no other task may follow
      throw error;
    }
    // The next task may overwrite this one only when no worker reads it any more.
    for (let done = 0; done < this.#workers.length; ) {
      if (Atomics.load(control, FAILED) !== 0) break;
      done = Atomics.load(control, THREADS_DONE);
      if (done < this.#workers.length) Atomics.wait(control, THREADS_DONE, done, 50);
    }
    if (Atomics.load(control, FAILED) === 0) return;
    throw new RecalError('internal', 'a compute thread stopped unexpectedly', {
      hint: 'report this as a bug',
    });
  }

  async close(): Promise<void> {
    this.#control[CLOSED] = 1;
    this.#wake();
    await Promise.all(this.#workers.splice(0).map((worker) => worker.terminate()));
  }

  #wake(): void {
    if (this.#workers.length === 0) return;
    Atomics.add(this.#control, TASKS_STARTED, 1);
    Atomics.notify(this.#control, TASKS_STARTED);
  }
}

/** Runs tasks in a worker thread until it is closed. `prepare` returns the function that runs one task. */
export function serveKernelThread(
  prepare: (setup: ThreadSetup) => (task: Int32Array, thread: number) => void,
): void {
  const setup = workerData as ThreadSetup;
  const work = prepare(setup);
  const control = new Int32Array(setup.memory.buffer, setup.control, CONTROL_LENGTH);
  const task = control.subarray(TASK);
  let started = Atomics.load(control, TASKS_STARTED);
  parentPort?.postMessage('ready');
  for (;;) {
    Atomics.wait(control, TASKS_STARTED, started);
    started = Atomics.load(control, TASKS_STARTED);
    if (control[CLOSED] !== 0) break;
    try {
      work(task, setup.thread);
    } catch {
      Atomics.store(control, FAILED, 1);
    }
    Atomics.add(control, THREADS_DONE, 1);
    Atomics.notify(control, THREADS_DONE);
  }
}
