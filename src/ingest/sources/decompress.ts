import type { Transform } from 'node:stream';
import zlib, { type ZlibOptions } from 'node:zlib';
import type { ErrorCode } from '../../base/error-codes.js';
import { RecalError } from '../../base/errors.js';
import { type Bytes, isZero } from './bytes.js';
import { quoted } from './input-errors.js';
import { ReadableBytes } from './readable-bytes.js';
import { ZstdFrames } from './zstd-frames.js';

/** Compressed bytes per write and decompressed bytes per chunk. Large, because each one crosses threads. */
const INPUT_BYTES = 256 << 10;
const OUTPUT_BYTES = 1 << 20;

/** Real logs reach 50:1. */
export const DEFAULT_MAX_RATIO = 1000;
/** A high ratio does no harm below this output. */
const RATIO_FLOOR = 256 << 20;

type Engine = Transform & { bytesWritten: number };
type CreateEngine = (options: ZlibOptions) => Engine;

function createEngine(kind: 'gzip' | 'zstd', name: string): Engine {
  // With a high-water mark of one byte no chunk waits inside the stream, which discards it after an error.
  const options = { chunkSize: OUTPUT_BYTES, readableHighWaterMark: 1 };
  if (kind === 'gzip') return zlib.createGunzip(options);
  const create = (zlib as { createZstdDecompress?: CreateEngine }).createZstdDecompress;
  if (create !== undefined) return create(options);
  throw new RecalError(
    'unsupported-compression',
    `${quoted(name)} is zstd-compressed, which Node ${process.version} does not support`,
    {
      hint: 'decompress it first: zstd -dc FILE | recal ingest -, or use Node 22.15 or newer',
      where: { file: name, offset: 0 },
    },
  );
}

/** Decompresses on Node's thread pool, in bounded memory. Throws if the input is truncated or damaged. */
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
      await this.#feeding; // checks that only padding follows the end
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
      const pieces = this.#frames === undefined ? [bytes] : this.#frames.split(bytes);
      if (pieces === undefined) throw this.#corrupt('invalid frame or block header');
      for (const piece of pieces) {
        if (!(await this.#write(piece))) return; // the engine has failed or was closed, and read() reports it
        given += piece.length;
        const left = given - this.#engine.bytesWritten;
        if (left > 0) return this.#checkPadding(piece.subarray(piece.length - left), chunk);
      }
    }
    if (this.#frames?.complete === false) throw this.#truncated();
    this.#engine.end();
  }

  /** Resolves to true when the engine has used the bytes, or to false if it was closed. */
  #write(bytes: Uint8Array): Promise<boolean> {
    return new Promise((resolve) => {
      const closed = () => resolve(false);
      this.#engine.once('close', closed);
      this.#engine.write(bytes, (error) => {
        this.#engine.off('close', closed);
        resolve(!error);
      });
    });
  }

  /** Zeros after the last member are padding from tapes and block devices. Other bytes are an error. */
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
    await this.#feeding; // its pending read must not compete with the next reader of the layer below
  }

  #explain(error: unknown): unknown {
    if (error instanceof RecalError) return error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') return this.#truncated(error);
    if (message === 'incorrect header check') return this.#trailing(error);
    return this.#corrupt(message, error);
  }

  #problem(code: ErrorCode, fault: string, hint: string, cause?: unknown): RecalError {
    const offset = this.#output.produced;
    const at = `after ${offset} decompressed bytes (${this.#taken} compressed bytes read)`;
    return new RecalError(code, `${quoted(this.#name)} ${fault} ${at}`, {
      hint,
      where: { file: this.#name, offset },
      cause,
    });
  }

  #truncated(cause?: unknown): RecalError {
    const hint = `copy or download it again, then check it with ${this.#kind} -t`;
    return this.#problem('truncated-input', 'is truncated', hint, cause);
  }

  #corrupt(reason: string, cause?: unknown): RecalError {
    const hint = `copy or download it again, then check it with ${this.#kind} -t`;
    return this.#problem('corrupt-input', `is damaged (${reason})`, hint, cause);
  }

  #trailing(cause?: unknown): RecalError {
    const hint = `copy or download it again, or remove the bytes after the ${this.#kind} data`;
    return this.#problem('trailing-data', `contains bytes that are not ${this.#kind} data,`, hint, cause);
  }

  #bomb(): RecalError {
    const hint = 'if you trust the file, decompress it first and pass the result to recal';
    return this.#problem(
      'decompression-ratio',
      `decompresses to more than ${this.#maxRatio} times its size,`,
      hint,
    );
  }
}
