import { Worker } from 'node:worker_threads';
import type { Fingerprint } from './content-hash.js';

/** A request to hash bytes (after reading them from a file, if there is a descriptor), or for the digest. */
export type ReadRequest = { descriptor?: number; bytes: Uint8Array } | { digest: true };

export type ReadReply =
  | { length: number }
  | { digest: Fingerprint }
  | { error: { message: string; code: string | undefined } };

interface Waiter {
  resolve(reply: ReadReply): void;
  reject(error: unknown): void;
}

/**
 * A thread that reads and hashes one file after another, because SHA-256 would take a third of the calling thread's time.
 * It reads into shared memory in place.
 */
export class ReadThread {
  readonly #worker = new Worker(new URL('./read-worker.js', import.meta.url));
  readonly #waiting: Waiter[] = [];
  #failure: unknown;

  constructor() {
    this.#worker.on('message', (reply: ReadReply) => this.#waiting.shift()?.resolve(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the read thread has ended')));
  }

  /** Reads from the file into `target`, in shared memory, and hashes the bytes. Stops early only at the end. */
  async read(descriptor: number, target: Uint8Array): Promise<number> {
    return ((await this.#ask({ descriptor, bytes: target })) as { length: number }).length;
  }

  /** Hashes bytes. The caller must not change bytes in shared memory before the promise resolves. */
  async hash(bytes: Uint8Array): Promise<void> {
    await this.#ask({ bytes });
  }

  /** Returns the fingerprint of all bytes since the last digest. */
  async digest(): Promise<Fingerprint> {
    return ((await this.#ask({ digest: true })) as { digest: Fingerprint }).digest;
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
