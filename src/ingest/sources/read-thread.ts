import { Worker } from 'node:worker_threads';

/** What the thread is asked: to hash bytes (from a file, which it reads into them first), or for the digest so far. */
export type ReadRequest = { descriptor?: number; bytes: Uint8Array } | { digest: true };

export type ReadReply =
  | { length: number }
  | { digest: string }
  | { error: { message: string; code: string | undefined } };

interface Waiter {
  resolve(reply: ReadReply): void;
  reject(error: unknown): void;
}

/**
 * A thread that reads and hashes one file after another: SHA-256 takes a third of the time that a core has for a byte,
 * and the calling thread has to feed all the others. What lies in shared memory is read there in place.
 */
export class ReadThread {
  readonly #worker = new Worker(new URL('./read-worker.js', import.meta.url));
  readonly #waiting: Waiter[] = [];
  #failure: unknown;

  constructor() {
    this.#worker.on('message', (reply: ReadReply) => this.#waiting.shift()?.resolve(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the reading thread ended')));
  }

  /** Fills `target`, in shared memory, from the file's position on, and hashes it; short only at the file's end. */
  async read(descriptor: number, target: Uint8Array): Promise<number> {
    return ((await this.#ask({ descriptor, bytes: target })) as { length: number }).length;
  }

  /** Hashes bytes that were read elsewhere; those in shared memory must stay as they are until it is done. */
  async hash(bytes: Uint8Array): Promise<void> {
    await this.#ask({ bytes });
  }

  /** SHA-256 (hex) of everything since the last digest. */
  async digest(): Promise<string> {
    return ((await this.#ask({ digest: true })) as { digest: string }).digest;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  async #ask(request: ReadRequest): Promise<ReadReply> {
    if (this.#failure !== undefined) throw this.#failure;
    const answered = new Promise<ReadReply>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.#worker.postMessage(request);
    const reply = await answered;
    if ('error' in reply) throw Object.assign(new Error(reply.error.message), { code: reply.error.code });
    return reply;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const waiter of this.#waiting.splice(0)) waiter.reject(this.#failure);
  }
}
