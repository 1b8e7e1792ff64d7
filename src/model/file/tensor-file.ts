import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemError, RecalError } from '../../base/errors.js';
import { syncFolder } from '../../base/files/replace-file.js';
import { printable } from '../../base/printable.js';
import {
  type CheckedHeader,
  checkHeader,
  describeHeader,
  type FileKind,
  LENGTH_BYTES,
  MAX_HEADER,
  NO_SUM,
  refused,
  TENSOR_ARRAYS,
  type Tensor,
  type TensorData,
  type TensorPlace,
  withoutSum,
} from './tensor-header.js';

/**
 * Files of named tensors in the safetensors layout. They contain no code. A file must match its header exactly: no gaps,
 * no overlaps, no trailing bytes, and one SHA-256 over everything.
 */

/** Larger than any model that a 32-bit device can hold. */
const MAX_FILE = 4 * 2 ** 30;
const CHUNK = 1 << 20;

/** Writes a file atomically. Returns the SHA-256 in its header. */
export async function writeTensorFile(
  path: string,
  { format, version }: FileKind,
  meta: object,
  tensors: readonly Tensor[],
): Promise<string> {
  // Such a file could not be read again, so keep the old one.
  const invalid = findInvalid(tensors);
  if (invalid !== undefined) {
    throw new RecalError(
      'not-a-number',
      `cannot write ${printable(path)}: ${invalid} contains a value that is not a number`,
      {
        hint: 'report this as a bug; an existing file was left unchanged',
      },
    );
  }
  // Wide elements first, so that every tensor is aligned in the file and readers can map it.
  const ordered = [...tensors].sort((a, b) => b.data.BYTES_PER_ELEMENT - a.data.BYTES_PER_ELEMENT);
  const describe = (sha256: string) =>
    describeHeader({ format, version: String(version), sha256, recal: JSON.stringify(meta) }, ordered);
  const sha256 = [describe(NO_SUM), ...ordered.map(({ data }) => bytesOf(data))]
    .reduce((hash, bytes) => hash.update(bytes), createHash('sha256'))
    .digest('hex');
  const draft = `${path}.new`;
  const file = await open(draft, 'w', 0o600); // private: the file contains names from the monitored host
  try {
    await file.writeFile(describe(sha256));
    for (const { data } of ordered) await file.writeFile(bytesOf(data));
    await file.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
  return sha256;
}

/** A file with a checked header. Its tensors have not been read yet. */
export class TensorFile {
  readonly path: string;
  readonly size: number;
  /** The `recal` part of the metadata: JSON, not checked yet. */
  readonly meta: unknown;
  readonly places: readonly TensorPlace[];
  readonly sha256: string;
  readonly #file: FileHandle;
  readonly #header: Uint8Array;

  private constructor(
    file: FileHandle,
    header: Uint8Array,
    where: { path: string; size: number },
    checked: CheckedHeader,
  ) {
    this.#file = file;
    this.#header = header;
    this.path = where.path;
    this.size = where.size;
    this.meta = checked.meta;
    this.places = checked.places;
    this.sha256 = checked.sha256;
  }

  /** Opens a file of this format and version. The caller must close it. */
  static async open(path: string, kind: FileKind): Promise<TensorFile> {
    // Non-blocking, because opening a pipe would wait for a writer. Pipes are refused below.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
    const file = await open(path, flags).catch((error: unknown) => {
      if (!isSystemError(error, 'ENOENT')) throw error;
      throw new RecalError('no-model', `${printable(path)} does not exist`, {
        hint: 'check the path, or run recal train',
      });
    });
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw refused(path, 'not a regular file');
      if (stat.size > MAX_FILE)
        throw refused(path, `it has ${stat.size} bytes, more than the limit of ${MAX_FILE}`);
      const header = await readHeader(file, stat.size, path);
      return new TensorFile(
        file,
        header,
        { path, size: stat.size },
        checkHeader(header, stat.size, path, kind),
      );
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Reads all tensors and checks the checksum. */
  async read(): Promise<Map<string, Tensor>> {
    const hash = createHash('sha256').update(withoutSum(this.#header, this.sha256, this.path));
    const tensors = new Map<string, Tensor>();
    let at = this.#header.length;
    for (const { name, dtype, shape, bytes } of this.places) {
      const data = new TENSOR_ARRAYS[dtype](bytes / TENSOR_ARRAYS[dtype].BYTES_PER_ELEMENT);
      await readInto(this.#file, bytesOf(data), at, hash, this.path);
      at += bytes;
      tensors.set(name, { name, shape, data });
    }
    if (hash.digest('hex') !== this.sha256) throw refused(this.path, 'checksum mismatch');
    const invalid = findInvalid([...tensors.values()]);
    if (invalid !== undefined) throw refused(this.path, `${invalid} contains a value that is not a number`);
    return tensors;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** The name of a tensor with an infinite or NaN value. */
function findInvalid(tensors: readonly Tensor[]): string | undefined {
  return tensors.find(({ data }) => data instanceof Float32Array && !areNumbers(data))?.name;
}

/** True if no value is infinite or NaN. Much faster than a test of each value. */
export function areNumbers(data: ArrayLike<number>): boolean {
  let sum = 0;
  for (let i = 0; i < data.length; i++) sum += data[i] * 0;
  return sum === 0;
}

async function readHeader(file: FileHandle, size: number, path: string): Promise<Uint8Array> {
  if (size < LENGTH_BYTES) throw refused(path, size === 0 ? 'it is empty' : `it has only ${size} bytes`);
  const start = new Uint8Array(LENGTH_BYTES);
  await readInto(file, start, 0, undefined, path);
  const length = new DataView(start.buffer).getBigUint64(0, true);
  if (length > BigInt(size - LENGTH_BYTES)) throw refused(path, 'it is not a model file, or it is truncated');
  if (length > BigInt(MAX_HEADER))
    throw refused(path, `the header has ${length} bytes, more than the limit of ${MAX_HEADER}`);
  const header = new Uint8Array(LENGTH_BYTES + Number(length));
  await readInto(file, header, 0, undefined, path);
  return header;
}

async function readInto(
  file: FileHandle,
  bytes: Uint8Array,
  position: number,
  hash: Hash | undefined,
  path: string,
): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const length = Math.min(CHUNK, bytes.length - at);
    const { bytesRead } = await file.read(bytes, at, length, position + at);
    if (bytesRead === 0) throw refused(path, 'it became shorter while it was being read');
    hash?.update(bytes.subarray(at, at + bytesRead));
    at += bytesRead;
  }
}

function bytesOf(data: TensorData): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
