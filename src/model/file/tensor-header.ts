import { z } from 'zod';
import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';

/**
 * The header of files in the safetensors layout: eight bytes of length, then JSON with the offsets of named tensors,
 * padded with blanks. It must match the size of the file before any memory is allocated.
 */

export type TensorData = Float32Array | Uint32Array | Uint8Array;

export interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** The type and shape of a tensor that has not been read yet. */
export interface TensorPlace {
  readonly name: string;
  readonly dtype: keyof typeof TENSOR_ARRAYS;
  readonly shape: readonly number[];
  readonly bytes: number;
}

export const TENSOR_ARRAYS = { F32: Float32Array, U32: Uint32Array, U8: Uint8Array } as const;
export const LENGTH_BYTES = 8;
/** The largest header that is parsed. The header of a model has a few hundred bytes per relation. */
export const MAX_HEADER = 16 << 20;
const MAX_TENSORS = 65_536;
/** Replaces the checksum while it is computed. */
export const NO_SUM = '0'.repeat(64);

const headerSchema = z
  .object({
    __metadata__: z.strictObject({
      format: z.string().max(64),
      version: z.string().regex(/^[1-9]\d{0,5}$/),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      recal: z.string(),
    }),
  })
  .catchall(
    z.strictObject({
      dtype: z.enum(['F32', 'U32', 'U8']),
      shape: z.array(z.int().nonnegative()).max(4),
      data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
    }),
  );

/** The version changes whenever an older recal could not read a new file. */
export const MODEL_FILE = { format: 'recal-model', version: 1 } as const;

export interface FileKind {
  readonly format: string;
  readonly version: number;
}

/** The first bytes of a file: the length and the header. */
export function describeHeader(metadata: Record<string, string>, tensors: readonly Tensor[]): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let at = 0;
  for (const { name, shape, data } of tensors) {
    const dtype = data instanceof Float32Array ? 'F32' : data instanceof Uint32Array ? 'U32' : 'U8';
    header[name] = { dtype, shape, data_offsets: [at, at + data.byteLength] };
    at += data.byteLength;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(text.length / LENGTH_BYTES) * LENGTH_BYTES;
  if (length > MAX_HEADER)
    throw new RecalError(
      'model-too-large',
      `the header would have ${length} bytes, more than the limit of ${MAX_HEADER}`,
      {
        hint: 'train on a shorter time range or fewer hosts',
      },
    );
  const bytes = new Uint8Array(LENGTH_BYTES + length).fill(0x20, LENGTH_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.set(text, LENGTH_BYTES);
  return bytes;
}

/** The content of a valid header. */
export interface CheckedHeader {
  readonly meta: unknown;
  readonly places: readonly TensorPlace[];
  readonly sha256: string;
}

/** Checks a header, including its length bytes, of a file of `size` bytes. */
export function checkHeader(
  header: Uint8Array,
  size: number,
  path: string,
  { format, version }: FileKind,
): CheckedHeader {
  let value: unknown;
  try {
    value = parseStrictly(new TextDecoder('utf-8', { fatal: true }).decode(header.subarray(LENGTH_BYTES)));
  } catch {
    throw refused(path, 'the header is not JSON');
  }
  checkFormat(value, path, format, version);
  const parsed = headerSchema.safeParse(value);
  if (!parsed.success) throw refused(path, describeIssue(parsed.error));
  const { __metadata__: metadata, ...tensors } = parsed.data;
  // With a duplicate key or another spelling of a number, two readers could see different content.
  const written = JSON.stringify(value);
  if (written !== new TextDecoder().decode(header.subarray(LENGTH_BYTES)).trimEnd()) {
    throw refused(path, 'the header is not in the form that recal writes');
  }
  const places = checkPlaces(tensors, size - header.length, path);
  try {
    return { places, sha256: metadata.sha256, meta: parseStrictly(metadata.recal) };
  } catch {
    throw refused(path, 'the metadata is not JSON');
  }
}

/** Parses JSON and rejects the key `__proto__`, which a check of known keys would miss. */
function parseStrictly(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => {
    if (key === '__proto__') throw new SyntaxError('__proto__');
    return value;
  });
}

/** Files of another format or version get their own error, before any check of details. */
function checkFormat(value: unknown, path: string, format: string, version: number): void {
  const shape = z.object({ __metadata__: z.object({ format: z.string(), version: z.string() }) });
  const found = shape.safeParse(value);
  if (!found.success || found.data.__metadata__.format !== format) {
    const other = found.success ? `; its format is ${found.data.__metadata__.format.slice(0, 64)}` : '';
    throw new RecalError('not-a-model', `${printable(path)} is not a ${format} file${printable(other)}`, {
      hint: 'use a file that recal train wrote',
      where: { file: path },
    });
  }
  if (found.data.__metadata__.version !== String(version)) {
    throw new RecalError(
      'model-version',
      `${printable(path)} has format version ${printable(found.data.__metadata__.version.slice(0, 16))}, ` +
        `but this recal reads version ${version}`,
      { hint: 'use the version of recal that wrote it, or train again', where: { file: path } },
    );
  }
}

interface HeaderEntry {
  dtype: keyof typeof TENSOR_ARRAYS;
  shape: readonly number[];
  data_offsets: readonly [number, number];
}

/** Checks that tensors follow each other without gaps, match their shapes, and end with the file. */
function checkPlaces(tensors: Record<string, HeaderEntry>, available: number, path: string): TensorPlace[] {
  const names = Object.keys(tensors);
  if (names.length > MAX_TENSORS)
    throw refused(path, `it has ${names.length} tensors, more than the limit of ${MAX_TENSORS}`);
  let at = 0;
  const places = names.map((name): TensorPlace => {
    const { dtype, shape, data_offsets } = tensors[name];
    const [from, to] = data_offsets;
    const bytes = shape.reduce((product, side) => product * side, TENSOR_ARRAYS[dtype].BYTES_PER_ELEMENT);
    if (!Number.isSafeInteger(bytes) || from !== at || to !== from + bytes) {
      throw refused(path, `the offsets of ${name.slice(0, 64)} are wrong`);
    }
    at = to;
    if (at > available) throw refused(path, `it is cut off before the end of ${name.slice(0, 64)}`);
    return { name, dtype, shape, bytes };
  });
  if (at !== available) throw refused(path, `${available - at} bytes follow the last tensor`);
  return places;
}

/** The header with zeros in place of the checksum, as it was when the checksum was computed. */
export function withoutSum(header: Uint8Array, sha256: string, path: string): Uint8Array {
  const bytes = Buffer.from(header);
  const at = bytes.indexOf(`"sha256":"${sha256}"`);
  if (at < 0) throw refused(path, 'the checksum is not where recal writes it');
  bytes.write(NO_SUM, at + '"sha256":"'.length);
  return bytes;
}

function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue.path.map(String).join('.').slice(0, 128)}: ${issue.message}`;
}

/** The error for a file that is damaged or forged. */
export function refused(path: string, why: string): RecalError {
  return new RecalError('model-damaged', `cannot read ${printable(path)}: ${printable(why, 400)}`, {
    hint: 'restore it from a backup, or train again',
    where: { file: path },
  });
}
