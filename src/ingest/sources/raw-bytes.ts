import { closeSync, constants, createReadStream, open as openDescriptor, openSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { RecalError } from '../../base/errors.js';
import type { Bytes } from './bytes.js';
import { ContentHash, type Fingerprint } from './content-hash.js';
import { directoryError, inputUseError, openError, readError, shortenedError } from './input-errors.js';
import type { ReadThread } from './read-thread.js';
import { ReadableBytes } from './readable-bytes.js';

/** The size of one system read. Each block is hashed while the next one is read. */
const BLOCK = 1 << 20;

/** The argument for standard input. */
export const STDIN = '-';
const STDIN_NAME = '<stdin>';
const WAKE_MS = 10;

export interface RawOptions {
  readonly stdin?: Readable | undefined;
  readonly thread?: ReadThread | undefined;
  /** Closes the input; pending reads reject with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The bytes of an input as they are on disk. They are hashed and counted while they are read, so that a file is read once.
 * A read thread, if given, does all the hashing, and also reads files into shared memory.
 */
export class RawBytes implements Bytes {
  /** The number of bytes read so far. */
  consumed = 0;
  readonly name: string;
  /** The size on disk, or undefined for pipes. */
  readonly size: number | undefined;
  readonly #from: FileHandle | ReadableBytes;
  readonly #hash: ContentHash | ReadThread;
  #digest: Fingerprint | undefined;
  #reading: Promise<number> | undefined;
  #closed = false;
  readonly #signal: AbortSignal | undefined;
  readonly #stop = (): void => void this.close().catch(() => undefined);

  private constructor(
    name: string,
    size: number | undefined,
    from: FileHandle | ReadableBytes,
    { thread, signal }: RawOptions,
  ) {
    this.name = name;
    this.size = size;
    this.#from = from;
    this.#hash = thread ?? new ContentHash();
    this.#signal = signal;
    signal?.addEventListener('abort', this.#stop, { once: true });
    if (signal?.aborted) this.#stop();
  }

  /** Opens a path, or standard input for `-`. */
  static async open(path: string, options: RawOptions = {}): Promise<RawBytes> {
    if (path === STDIN) {
      const stdin = new ReadableBytes(options.stdin ?? process.stdin, STDIN_NAME);
      return new RawBytes(STDIN_NAME, undefined, stdin, options);
    }
    try {
      const info = await stat(path);
      if (info.isDirectory()) throw await directoryError(path);
      if (info.isFile()) return new RawBytes(path, info.size, await open(path, 'r'), options);
      // A read from a pipe, as in `<(xz -dc …)`, can block forever. A socket does not block a thread of the pool.
      const stream = info.isFIFO()
        ? new Socket({ fd: await openPipe(path, options.signal), readable: true, writable: false })
        : createReadStream(path);
      return new RawBytes(path, undefined, new ReadableBytes(stream, path), options);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw error instanceof RecalError ? error : await openError(path, error);
    }
  }

  async read(target: Uint8Array): Promise<number> {
    this.#signal?.throwIfAborted();
    if (this.#closed) throw inputUseError('input-closed', this.name);
    if (this.#digest !== undefined || target.length === 0) return 0;
    const filled = await this.#fill(target);
    if (filled < target.length) {
      // The rest of a line is lost where the file was cut, and nothing else would tell.
      if (this.size !== undefined && this.consumed < this.size)
        throw shortenedError(this.name, this.consumed, this.size);
      this.#digest = await this.#finishHash();
    }
    return filled;
  }

  async #fill(target: Uint8Array): Promise<number> {
    let filled = 0;
    let hashed: Promise<void> | undefined;
    let next = ahead(this.#block(target, 0));
    for (;;) {
      const { length, unhashed } = await next;
      const block = target.subarray(filled, filled + length);
      filled += length;
      this.consumed += length;
      const more = length > 0 && filled < target.length;
      if (more) next = ahead(this.#block(target, filled));
      await hashed;
      if (unhashed && length > 0) hashed = ahead(this.#update(block));
      if (more) continue;
      await hashed; // the caller may change the bytes afterwards
      return filled;
    }
  }

  async #update(block: Uint8Array): Promise<void> {
    if (this.#hash instanceof ContentHash) this.#hash.update(block);
    else await this.#hash.hash(block);
  }

  async #finishHash(): Promise<Fingerprint> {
    return this.#hash instanceof ContentHash ? this.#hash.finish() : this.#hash.digest();
  }

  /** Reads the next block. The read thread, if used, also hashes it. */
  async #block(target: Uint8Array, from: number): Promise<{ length: number; unhashed: boolean }> {
    if (this.#closed) throw inputUseError('input-closed', this.name);
    const size = Math.min(BLOCK, target.length - from);
    try {
      if (this.#from instanceof ReadableBytes) {
        return { length: await this.#from.read(target.subarray(from, from + size)), unhashed: true };
      }
      if (!(this.#hash instanceof ContentHash) && target.buffer instanceof SharedArrayBuffer) {
        this.#reading = this.#hash.read(this.#from.fd, target.subarray(from));
        return { length: await this.#reading, unhashed: false };
      }
      return { length: (await this.#from.read(target, from, size, null)).bytesRead, unhashed: true };
    } catch (error) {
      this.#signal?.throwIfAborted();
      if (this.#closed) throw inputUseError('input-closed', this.name);
      throw error instanceof RecalError ? error : readError(this.name, this.consumed, error);
    }
  }

  /** Returns the fingerprint of all bytes, once they are all read. */
  fingerprint(): Fingerprint {
    if (this.#digest === undefined) throw inputUseError('hash-incomplete', this.name);
    return this.#digest;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#signal?.removeEventListener('abort', this.#stop);
    await this.#reading?.catch(() => undefined); // a new file could get the same descriptor while the thread reads
    await this.#from.close();
  }
}

/**
 * Opens a named pipe, which waits for a writer. If the signal aborts, this becomes the writer for a moment: nothing else
 * ends the wait, and the process could not exit meanwhile.
 */
async function openPipe(path: string, signal: AbortSignal | undefined): Promise<number> {
  signal?.throwIfAborted();
  const opening = promisify(openDescriptor)(path, 'r');
  let waking: NodeJS.Timeout | undefined;
  const wake = (): void => {
    // Fails until the other thread waits in open(2), so it is repeated.
    waking = setInterval(() => writeNothing(path), WAKE_MS);
  };
  signal?.addEventListener('abort', wake, { once: true });
  try {
    const descriptor = await opening;
    if (signal?.aborted) closeSync(descriptor);
    signal?.throwIfAborted();
    return descriptor;
  } finally {
    clearInterval(waking);
    signal?.removeEventListener('abort', wake);
  }
}

function writeNothing(pipe: string): void {
  try {
    closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // nobody waits yet, or no permission to write
  }
}

/** Work that is waited for later. If reading or hashing fails first, the other is left, and must not go unhandled. */
function ahead<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
