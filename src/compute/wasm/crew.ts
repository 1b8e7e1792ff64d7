import { once } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { RecalError } from '../../base/errors.js';
import type { Build } from './kernel-module.js';

/** Words of the control block, in memory that all threads share. */
const ROUND = 0; // goes up by one with each piece of work
const CLOSED = 1;
const FAILED = 2;
const PARKED = 3; // threads that are done with it
const ORDERS = 4;
const WORDS = 16;

export const CREW_BYTES = 4 * WORDS;

/** Where a thread finds what it works on. */
interface Post {
  readonly memory: WebAssembly.Memory;
  readonly build: Build;
  /** Address of the control block. */
  readonly control: number;
  /** From 1: the thread that called the crew together is 0 and works too. */
  readonly thread: number;
}

/**
 * Threads that work through one piece of work after another, together with the calling one; no message is sent for any
 * of them. With one thread nothing is started.
 */
export class Crew {
  readonly threads: number;
  readonly #control: Int32Array;
  readonly #workers: Worker[] = [];

  private constructor(worker: URL, post: Omit<Post, 'thread'>, threads: number) {
    this.threads = threads;
    this.#control = new Int32Array(post.memory.buffer, post.control, WORDS);
    for (let thread = 1; thread < threads; thread++) {
      this.#workers.push(new Worker(worker, { workerData: { ...post, thread } satisfies Post }));
    }
  }

  /** `worker` is a file that calls `serveCrew`. */
  static async start(worker: URL, post: Omit<Post, 'thread'>, threads: number): Promise<Crew> {
    const crew = new Crew(worker, post, threads);
    await Promise.all(crew.#workers.map((each) => once(each, 'message')));
    for (const each of crew.#workers) each.unref(); // an idle crew does not keep the process alive
    return crew;
  }

  /** Address of a word that is not zero once a thread has failed. */
  get failedAt(): number {
    return this.#control.byteOffset + 4 * FAILED;
  }

  /** `orders` are what the other threads read; `own` is the calling one's part. All are done when it returns. */
  run(orders: readonly number[], own: () => void): void {
    const control = this.#control;
    control.set(orders, ORDERS);
    Atomics.store(control, PARKED, 0);
    this.#wake();
    try {
      own();
    } catch (error) {
      Atomics.store(control, FAILED, 1); // the others may still be reading: no round may follow
      throw error;
    }
    // What they read may be overwritten only when nobody reads it any more.
    for (let parked = 0; parked < this.#workers.length; ) {
      if (Atomics.load(control, FAILED) !== 0) break;
      parked = Atomics.load(control, PARKED);
      if (parked < this.#workers.length) Atomics.wait(control, PARKED, parked, 50);
    }
    if (Atomics.load(control, FAILED) === 0) return;
    throw new RecalError('device-failed', 'a compute thread stopped in the middle of its work', {
      hint: 'this is a defect of the program: please report it',
    });
  }

  async close(): Promise<void> {
    this.#control[CLOSED] = 1;
    this.#wake();
    await Promise.all(this.#workers.splice(0).map((worker) => worker.terminate()));
  }

  #wake(): void {
    if (this.#workers.length === 0) return;
    Atomics.add(this.#control, ROUND, 1);
    Atomics.notify(this.#control, ROUND);
  }
}

/** A worker thread's whole life: `prepare` gives what does one piece of work; scratch memory is a thread's own. */
export function serveCrew(prepare: (post: Post) => (orders: Int32Array, thread: number) => void): void {
  const post = workerData as Post;
  const work = prepare(post);
  const control = new Int32Array(post.memory.buffer, post.control, WORDS);
  const orders = control.subarray(ORDERS);
  let round = Atomics.load(control, ROUND);
  parentPort?.postMessage('ready');
  for (;;) {
    Atomics.wait(control, ROUND, round);
    round = Atomics.load(control, ROUND);
    if (control[CLOSED] !== 0) break;
    try {
      work(orders, post.thread);
    } catch {
      Atomics.store(control, FAILED, 1);
    }
    Atomics.add(control, PARKED, 1);
    Atomics.notify(control, PARKED);
  }
}
