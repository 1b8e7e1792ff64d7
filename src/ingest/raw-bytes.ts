import { createHash } from 'node:crypto';
import { createReadStream, open as openDescriptor } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { RecalError } from '../base/errors.js';
import type { Bytes } from './bytes.js';
import { cannotOpen, inputMisuse, isDirectory, readFailed } from './input-errors.js';
import { ReadableBytes } from './readable-bytes.js';

/** One system read. Big enough to cost nothing per byte, small enough that hashing overlaps with the next. */
const BLOCK = 1 << 20;

/** The argument that means standard input. */
export const STDIN = '-';
const STDIN_NAME = '<stdin>';

/**
 * The bytes of an input exactly as they are on disk, hashed and counted in passing so that a file is read once.
 * Each block is hashed while the next one is read: targets of several MiB let the two overlap.
 */
export class RawBytes implements Bytes {
  /** Bytes handed out so far. */
  consumed = 0;
  readonly name: string;
  /** Size on disk; undefined for pipes. */
  readonly size: number | undefined;
  readonly #from: FileHandle | ReadableBytes;
  readonly #hash = createHash('sha256');
  #digest: string | undefined;
  #closed = false;

  private constructor(name: string, size: number | undefined, from: FileHandle | ReadableBytes) {
    this.name = name;
    this.size = size;
    this.#from = from;
  }

  /** Opens a path, or standard input for `-`. */
  static async open(path: string, stdin: Readable = process.stdin): Promise<RawBytes> {
    if (path === STDIN) return new RawBytes(STDIN_NAME, undefined, new ReadableBytes(stdin, STDIN_NAME));
    try {
      const info = await stat(path);
      if (info.isDirectory()) throw await isDirectory(path);
      if (info.isFile()) return new RawBytes(path, info.size, await open(path, 'r'));
      // Pipes, as in `<(xz -dc …)`: a read can block for ever, and would take a thread of the pool with it.
      const stream = info.isFIFO()
        ? new Socket({ fd: await promisify(openDescriptor)(path, 'r'), readable: true, writable: false })
        : createReadStream(path);
      return new RawBytes(path, undefined, new ReadableBytes(stream, path));
    } catch (error) {
      throw error instanceof RecalError ? error : await cannotOpen(path, error);
    }
  }

  async read(target: Uint8Array): Promise<number> {
    if (this.#closed) throw inputMisuse('input-closed', this.name);
    if (this.#digest !== undefined || target.length === 0) return 0;
    let filled = 0;
    let next = this.#block(target, 0);
    for (;;) {
      const length = await next;
      if (length === 0) {
        this.#digest = this.#hash.digest('hex');
        return filled;
      }
      const block = target.subarray(filled, filled + length);
      filled += length;
      this.consumed += length;
      const more = filled < target.length;
      if (more) next = this.#block(target, filled);
      this.#hash.update(block);
      if (!more) return filled;
    }
  }

  async #block(target: Uint8Array, from: number): Promise<number> {
    if (this.#closed) throw inputMisuse('input-closed', this.name);
    const length = Math.min(BLOCK, target.length - from);
    try {
      if (this.#from instanceof ReadableBytes)
        return await this.#from.read(target.subarray(from, from + length));
      return (await this.#from.read(target, from, length, null)).bytesRead;
    } catch (error) {
      if (this.#closed) throw inputMisuse('input-closed', this.name);
      throw error instanceof RecalError ? error : readFailed(this.name, this.consumed, error);
    }
  }

  /** SHA-256 of all bytes, once they were all read. */
  sha256(): string {
    if (this.#digest === undefined) throw inputMisuse('hash-incomplete', this.name);
    return this.#digest;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#from.close(); // a file handle waits for the read in flight
  }
}
