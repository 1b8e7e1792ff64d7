import type { Readable } from 'node:stream';
import type { Bytes } from './bytes.js';
import { inputUseError } from './input-errors.js';

/** The size of the queue, in addition to the stream's own buffer. */
const QUEUE_BYTES = 2 << 20;

/**
 * Reads bytes from a Node stream. Unlike the stream's own buffer, the queue survives an error: the bytes before the error
 * are read first, so that the position of a problem does not depend on timing.
 */
export class ReadableBytes implements Bytes {
  /** The number of bytes that the stream has produced. */
  produced = 0;
  readonly #stream: Readable;
  readonly #name: string;
  #queue: Uint8Array[] = [];
  #queued = 0;
  #ended = false;
  #error: unknown;
  #wake: (() => void) | undefined;

  constructor(stream: Readable, name: string) {
    this.#stream = stream;
    this.#name = name;
    stream.on('error', (error) => this.#finish(error));
    stream.on('end', () => this.#finish(undefined));
    stream.on('close', () => this.#finish(inputUseError('input-closed', name)));
    stream.on('data', (chunk: Uint8Array | string) => {
      if (this.#ended || this.#error !== undefined) return;
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      if (bytes.length === 0) return;
      this.#queue.push(bytes);
      this.#queued += bytes.length;
      this.produced += bytes.length;
      if (this.#queued >= QUEUE_BYTES) stream.pause();
      this.#wake?.();
    });
  }

  /** Handles the first of end, error and close. */
  #finish(error: unknown): void {
    if (this.#ended || this.#error !== undefined) return;
    if (error === undefined) this.#ended = true;
    else this.#error = error;
    this.#wake?.();
  }

  async read(target: Uint8Array): Promise<number> {
    let filled = 0;
    while (filled < target.length) {
      const chunk = this.#queue[0];
      if (chunk === undefined) {
        if (this.#error !== undefined) throw this.#error;
        if (this.#ended) break;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
        continue;
      }
      const part = chunk.subarray(0, target.length - filled);
      target.set(part, filled);
      filled += part.length;
      this.#queued -= part.length;
      if (part.length === chunk.length) this.#queue.shift();
      else this.#queue[0] = chunk.subarray(part.length);
      if (this.#queued < QUEUE_BYTES && this.#stream.isPaused()) this.#stream.resume();
    }
    return filled;
  }

  async close(): Promise<void> {
    this.#queue = [];
    this.#queued = 0;
    this.#ended = false;
    this.#error = inputUseError('input-closed', this.#name);
    this.#wake?.();
    this.#stream.destroy();
  }
}
