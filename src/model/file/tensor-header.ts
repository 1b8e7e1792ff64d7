import { z } from 'zod';
import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';

/**
 * The header of files in the layout of safetensors: eight bytes of length, then JSON that places named tensors behind
 * it, filled up with blanks. What it says must add up to the size of the file before anything is allocated for it.
 */

export type TensorData = Float32Array | Uint32Array | Uint8Array;

export interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** Where a tensor lies, before it is read. */
export interface TensorPlace {
  readonly name: string;
  readonly dtype: keyof typeof TENSOR_ARRAYS;
  readonly shape: readonly number[];
  readonly bytes: number;
}

export const TENSOR_ARRAYS = { F32: Float32Array, U32: Uint32Array, U8: Uint8Array } as const;
export const LENGTH_BYTES = 8;
/** What a program may be made to parse; a model's header takes some hundred bytes a relation. */
export const MAX_HEADER = 16 << 20;
const MAX_TENSORS = 65_536;
/** Stands for the sum while the sum is made. */
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

export interface FileKind {
  readonly format: string;
  readonly version: number;
}

/** The first bytes of a file: length and header. */
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
    throw new RecalError('model-too-large', 'the header of the file would be too long');
  const bytes = new Uint8Array(LENGTH_BYTES + length).fill(0x20, LENGTH_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.set(text, LENGTH_BYTES);
  return bytes;
}

/** What a header says, once it is known to be sound. */
export interface CheckedHeader {
  readonly meta: unknown;
  readonly places: readonly TensorPlace[];
  readonly sha256: string;
}

/** Reads a header, length included, of a file of `size` bytes. */
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
    throw refused(path, 'it has no JSON header');
  }
  checkFormat(value, path, format, version);
  const parsed = headerSchema.safeParse(value);
  if (!parsed.success) throw refused(path, whyNot(parsed.error));
  const { __metadata__: metadata, ...tensors } = parsed.data;
  // A key that stands twice, or a number in another spelling, would let two readers see two files.
  const written = JSON.stringify(value);
  if (written !== new TextDecoder().decode(header.subarray(LENGTH_BYTES)).trimEnd()) {
    throw refused(path, 'its header is not written the way recal writes it');
  }
  const places = checkPlaces(tensors, size - header.length, path);
  try {
    return { places, sha256: metadata.sha256, meta: parseStrictly(metadata.recal) };
  } catch {
    throw refused(path, 'its description is not JSON');
  }
}

/** JSON without the one key that a check of known keys would not see. */
function parseStrictly(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => {
    if (key === '__proto__') throw new SyntaxError('__proto__');
    return value;
  });
}

/** Foreign files and other versions get their own message, before any complaint about details. */
function checkFormat(value: unknown, path: string, format: string, version: number): void {
  const shape = z.object({ __metadata__: z.object({ format: z.string(), version: z.string() }) });
  const found = shape.safeParse(value);
  if (!found.success || found.data.__metadata__.format !== format) {
    const other = found.success ? `it is a ${found.data.__metadata__.format.slice(0, 64)}` : 'it is none';
    throw new RecalError('not-a-model', `${printable(path)} is no ${format}: ${printable(other)}`, {
      hint: 'give a file that recal train has written',
      where: { file: path },
    });
  }
  if (found.data.__metadata__.version !== String(version)) {
    throw new RecalError(
      'model-version',
      `this file has version ${printable(found.data.__metadata__.version.slice(0, 16))}; this recal knows ${version}`,
      { hint: 'use the recal that wrote it, or train again', where: { file: path } },
    );
  }
}

interface Placed {
  dtype: keyof typeof TENSOR_ARRAYS;
  shape: readonly number[];
  data_offsets: readonly [number, number];
}

/** Every tensor right behind the one before, as large as its shape says, and the last one ends with the file. */
function checkPlaces(tensors: Record<string, Placed>, room: number, path: string): TensorPlace[] {
  const names = Object.keys(tensors);
  if (names.length > MAX_TENSORS) throw refused(path, `it has ${names.length} tensors`);
  let at = 0;
  const places = names.map((name): TensorPlace => {
    const { dtype, shape, data_offsets } = tensors[name];
    const [from, to] = data_offsets;
    const bytes = shape.reduce((product, side) => product * side, TENSOR_ARRAYS[dtype].BYTES_PER_ELEMENT);
    if (!Number.isSafeInteger(bytes) || from !== at || to !== from + bytes) {
      throw refused(path, `the place of ${name.slice(0, 64)} is wrong`);
    }
    at = to;
    if (at > room) throw refused(path, `it ends before ${name.slice(0, 64)} does: it is cut off`);
    return { name, dtype, shape, bytes };
  });
  if (at !== room) throw refused(path, `${room - at} bytes follow its last tensor`);
  return places;
}

/** The header as it was when the sum was made: the sum's own digits zero. */
export function withoutSum(header: Uint8Array, sha256: string, path: string): Uint8Array {
  const bytes = Buffer.from(header);
  const at = bytes.indexOf(`"sha256":"${sha256}"`);
  if (at < 0) throw refused(path, 'its checksum stands where recal does not write it');
  bytes.write(NO_SUM, at + '"sha256":"'.length);
  return bytes;
}

function whyNot(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue.path.map(String).join('.').slice(0, 128)}: ${issue.message}`;
}

/** The one refusal of a file that is damaged or was made to harm. */
export function refused(path: string, why: string): RecalError {
  return new RecalError('model-damaged', `${printable(path)} cannot be used: ${printable(why, 400)}`, {
    hint: 'restore it from a backup, or train again',
    where: { file: path },
  });
}
