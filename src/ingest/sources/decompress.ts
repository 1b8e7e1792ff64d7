import type { Transform } from 'node:stream';
import zlib, { type ZlibOptions } from 'node:zlib';
import type { ErrorCode } from '../../base/error-codes.js';
import { RecalError } from '../../base/errors.js';
import { type Bytes, isZero } from './bytes.js';
import { quoted } from './input-errors.js';
import { ReadableBytes } from './readable-bytes.js';
import { ZstdFrames } from './zstd-frames.js';

/** Compressed bytes per step, and decompressed bytes per piece: large, since each costs a trip between threads. */
const INPUT_BYTES = 256 << 10;
const OUTPUT_BYTES = 1 << 20;

/** Real logs reach 50:1. Below this output a high ratio does no harm. */
export const DEFAULT_MAX_RATIO = 1000;
const RATIO_FLOOR = 256 << 20;

type Engine = Transform & { bytesWritten: number };
type CreateEngine = (options: ZlibOptions) => Engine;

function createEngine(kind: 'gzip' | 'zstd', name: string): Engine {
  // A high-water mark of one byte: no piece waits inside the stream, where an error would throw it away.
  const options = { chunkSize: OUTPUT_BYTES, readableHighWaterMark: 1 };
  if (kind === 'gzip') return zlib.createGunzip(options);
  const create = (zlib as { createZstdDecompress?: CreateEngine }).createZstdDecompress;
  if (create !== undefined) return create(options);
  throw new RecalError(
    'unsupported-compression',
    `${quoted(name)} is zstd-compressed, which Node ${process.version} cannot read`,
    {
      hint: 'use Node 22.15 or newer, or unpack it on the way: zstd -dc FILE | recal … -',
      where: { file: name, offset: 0 },
    },
  );
}

/** Decompresses on Node's thread pool, in bounded memory, and refuses whatever is not whole. */
export class Decompressed implements Bytes {
  readonly #input: Bytes;
  readonly #kind: 'gzip' | 'zstd';
  readonly #name: string;
  readonly #maxRatio: number;
  readonly #engine: Engine;
  readonly #output: ReadableBytes;
  readonly #frames: ZstdFrames | undefined;
  #taken = 0;
  #feeding: Promise<void> | undefined;
  #failure: unknown;

  constructor(input: Bytes, kind: 'gzip' | 'zstd', name: string, maxRatio: number) {
    this.#input = input;
    this.#kind = kind;
    this.#name = name;
    this.#maxRatio = maxRatio;
    this.#engine = createEngine(kind, name);
    this.#output = new ReadableBytes(this.#engine, name);
    this.#frames = kind === 'zstd' ? new ZstdFrames() : undefined;
  }

  async read(target: Uint8Array): Promise<number> {
    this.#feeding ??= this.#feed().catch((error: unknown) => {
      this.#failure = error;
      this.#engine.destroy(error instanceof Error ? error : undefined);
    });
    let length: number;
    try {
      length = await this.#output.read(target);
    } catch (error) {
      throw this.#explain(error);
    }
    if (this.#output.produced > Math.max(RATIO_FLOOR, this.#taken * this.#maxRatio)) throw this.#bomb();
    if (length < target.length) {
      await this.#feeding; // the end is the end only if nothing but padding follows it
      if (this.#failure !== undefined) throw this.#explain(this.#failure);
    }
    return length;
  }

  async #feed(): Promise<void> {
    const chunk = new Uint8Array(INPUT_BYTES);
    let given = 0;
    for (;;) {
      const read = await this.#input.read(chunk);
      if (read === 0) break;
      this.#taken += read;
      const bytes = chunk.subarray(0, read);
      const pieces = this.#frames === undefined ? [bytes] : this.#frames.cut(bytes);
      if (pieces === undefined) throw this.#corrupt('a frame or block header makes no sense');
      for (const piece of pieces) {
        if (!(await this.#write(piece))) return; // the engine failed or was closed, and said so to the reader
        given += piece.length;
        const left = given - this.#engine.bytesWritten;
        if (left > 0) return this.#checkPadding(piece.subarray(piece.length - left), chunk);
      }
    }
    if (this.#frames?.complete === false) throw this.#truncated();
    this.#engine.end();
  }

  /** Resolves when the engine has used the bytes; false if it never will. */
  #write(bytes: Uint8Array): Promise<boolean> {
    return new Promise((resolve) => {
      const gone = () => resolve(false);
      this.#engine.once('close', gone);
      this.#engine.write(bytes, (error) => {
        this.#engine.off('close', gone);
        resolve(!error);
      });
    });
  }

  /** Zeros after the last member are padding (tapes, block devices); anything else is lost data or a bad copy. */
  async #checkPadding(rest: Uint8Array, chunk: Uint8Array): Promise<void> {
    let padding = rest;
    do {
      if (!isZero(padding)) throw this.#trailing();
      padding = chunk.subarray(0, await this.#input.read(chunk));
      this.#taken += padding.length;
    } while (padding.length > 0);
  }

  async close(): Promise<void> {
    await this.#output.close();
    await this.#feeding; // or its pending read would compete with whoever reads the layer below next
  }

  #explain(error: unknown): unknown {
    if (error instanceof RecalError) return error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') return this.#truncated(error);
    if (message === 'incorrect header check') return this.#trailing(error);
    return this.#corrupt(message, error);
  }

  #problem(code: ErrorCode, what: string, hint: string, cause?: unknown): RecalError {
    const offset = this.#output.produced;
    const at = `after ${offset} decompressed bytes (${this.#taken} compressed bytes read)`;
    return new RecalError(code, `${quoted(this.#name)} ${what} ${at}`, {
      hint,
      where: { file: this.#name, offset },
      cause,
    });
  }

  #truncated(cause?: unknown): RecalError {
    const hint = `the copy or download was cut short: fetch it again, then check it with ${this.#kind} -t`;
    return this.#problem('truncated-input', `ends in the middle of its ${this.#kind} data`, hint, cause);
  }

  #corrupt(reason: string, cause?: unknown): RecalError {
    const hint = `fetch it again, then check it with ${this.#kind} -t`;
    return this.#problem('corrupt-input', `is damaged (${reason})`, hint, cause);
  }

  #trailing(cause?: unknown): RecalError {
    const hint = `part of a log may be hidden there: check it with ${this.#kind} -t, cut the tail off or fetch it again`;
    return this.#problem(
      'trailing-data',
      `goes on with something that is not ${this.#kind} data`,
      hint,
      cause,
    );
  }

  #bomb(): RecalError {
    const hint = 'a file made to fill memory or disk? If you trust it, unpack it first and name the result';
    return this.#problem(
      'decompression-ratio',
      `unpacks to more than ${this.#maxRatio} times its size`,
      hint,
    );
  }
}
