import { createHash, type Hash } from 'node:crypto';
import { createReadStream, open as openDescriptor } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { RecalError } from '../../base/errors.js';
import type { Bytes } from './bytes.js';
import { directoryError, inputUseError, openError, readError } from './input-errors.js';
import type { ReadThread } from './read-thread.js';
import { ReadableBytes } from './readable-bytes.js';

/** The size of one system read. Each block is hashed while the next one is read. */
const BLOCK = 1 << 20;

/** The argument for standard input. */
export const STDIN = '-';
const STDIN_NAME = '<stdin>';

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
  readonly #hash: Hash | ReadThread;
  #digest: string | undefined;
  #reading: Promise<number> | undefined;
  #closed = false;

  private constructor(
    name: string,
    size: number | undefined,
    from: FileHandle | ReadableBytes,
    thread: ReadThread | undefined,
  ) {
    this.name = name;
    this.size = size;
    this.#from = from;
    this.#hash = thread ?? createHash('sha256');
  }

  /** Opens a path, or standard input for `-`. */
  static async open(
    path: string,
    stdin: Readable = process.stdin,
    thread?: ReadThread | undefined,
  ): Promise<RawBytes> {
    if (path === STDIN)
      return new RawBytes(STDIN_NAME, undefined, new ReadableBytes(stdin, STDIN_NAME), thread);
    try {
      const info = await stat(path);
      if (info.isDirectory()) throw await directoryError(path);
      if (info.isFile()) return new RawBytes(path, info.size, await open(path, 'r'), thread);
      // A read from a pipe, as in `<(xz -dc …)`, can block forever. A socket does not block a thread of the pool.
      const stream = info.isFIFO()
        ? new Socket({ fd: await promisify(openDescriptor)(path, 'r'), readable: true, writable: false })
        : createReadStream(path);
      return new RawBytes(path, undefined, new ReadableBytes(stream, path), thread);
    } catch (error) {
      throw error instanceof RecalError ? error : await openError(path, error);
    }
  }

  async read(target: Uint8Array): Promise<number> {
    if (this.#closed) throw inputUseError('input-closed', this.name);
    if (this.#digest !== undefined || target.length === 0) return 0;
    const filled = await this.#fill(target);
    if (filled < target.length) this.#digest = await this.#finishHash();
    return filled;
  }

  async #fill(target: Uint8Array): Promise<number> {
    let filled = 0;
    let hashed: Promise<void> | undefined;
    let next = this.#block(target, 0);
    for (;;) {
      const { length, unhashed } = await next;
      const block = target.subarray(filled, filled + length);
      filled += length;
      this.consumed += length;
      const more = length > 0 && filled < target.length;
      if (more) next = this.#block(target, filled);
      await hashed;
      if (unhashed && length > 0) hashed = this.#update(block);
      if (more) continue;
      await hashed; // the caller may change the bytes afterwards
      return filled;
    }
  }

  async #update(block: Uint8Array): Promise<void> {
    if ('update' in this.#hash) this.#hash.update(block);
    else await this.#hash.hash(block);
  }

  async #finishHash(): Promise<string> {
    return 'update' in this.#hash ? this.#hash.digest('hex') : this.#hash.digest();
  }

  /** Reads the next block. The read thread, if used, also hashes it. */
  async #block(target: Uint8Array, from: number): Promise<{ length: number; unhashed: boolean }> {
    if (this.#closed) throw inputUseError('input-closed', this.name);
    const size = Math.min(BLOCK, target.length - from);
    try {
      if (this.#from instanceof ReadableBytes) {
        return { length: await this.#from.read(target.subarray(from, from + size)), unhashed: true };
      }
      if (!('update' in this.#hash) && target.buffer instanceof SharedArrayBuffer) {
        this.#reading = this.#hash.read(this.#from.fd, target.subarray(from));
        return { length: await this.#reading, unhashed: false };
      }
      return { length: (await this.#from.read(target, from, size, null)).bytesRead, unhashed: true };
    } catch (error) {
      if (this.#closed) throw inputUseError('input-closed', this.name);
      throw error instanceof RecalError ? error : readError(this.name, this.consumed, error);
    }
  }

  /** Returns the SHA-256 of all bytes, once they are all read. */
  sha256(): string {
    if (this.#digest === undefined) throw inputUseError('hash-incomplete', this.name);
    return this.#digest;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#reading?.catch(() => undefined); // a new file could get the same descriptor while the thread reads
    await this.#from.close();
  }
}
