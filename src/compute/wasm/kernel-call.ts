import type { FeatureBuffers, Floats, Integers, Kernels } from '../device.js';
import type { WorkList } from '../work-list.js';
import type { Argument, Operation } from './operations.js';

/** The kernels are compiled for this width and number of heads (kernels/learn/simd.ts). */
export const H = 64;
export const HEADS = 4;
/** Bytes of a row of H floats. */
export const ROW = 4 * H;
/** Rows per chunk for results that need no sum over chunks. A multiple of the kernels' tile of four rows. */
export const CHUNK_ROWS = 480;
/** The most chunks for results that are summed over chunks: each chunk needs memory for its own part. */
const MAX_PARTS = 16;
const SUM_FLOATS = 4096;
/** Numbers per chunk when a buffer is filled, copied or added. */
export const COPY_LENGTH = 65_536;

/** Translates a kernel into operations. */
export type Calls = { [K in keyof Kernels]: (queue: OperationQueue, args: Kernels[K]) => void };

/** The part of the device that the translation of a kernel into operations uses. */
export interface OperationQueue {
  add(operation: Operation, chunks: number, args: readonly Argument[]): void;
  /** Returns the address of memory for partial results. Its content lasts until the next kernel reserves some. */
  reserveParts(bytes: number): number;
  /** Copies integers to the device. Returns their address, which is valid until the list has run. */
  writeTable(integers: ArrayLike<number>): number;
  /** Ensures that each thread has at least this much scratch memory. */
  reserveScratch(bytes: number): void;
  /** Address of memory for two transposed matrices. */
  readonly transposed: number;
}

export function chunksOf(rows: number): number {
  return Math.ceil(rows / CHUNK_ROWS);
}

/** Rows per chunk and number of chunks for results that are summed over chunks. */
export function divideRows(rows: number): { size: number; chunks: number } {
  const size = Math.max(512, Math.ceil(rows / MAX_PARTS / 64) * 64);
  return { size, chunks: Math.ceil(rows / size) };
}

/** Partial results in memory: one per chunk, `stride` floats apart. */
export interface Parts {
  readonly address: number;
  readonly chunks: number;
  readonly stride: number;
}

/** out = the sum of the parts, from float `first` of each; with `add`, out += the same. */
export function sumParts(
  queue: OperationQueue,
  { address, chunks, stride }: Parts,
  {
    out,
    length,
    first = 0,
    add = false,
  }: { out: Floats | number; length: number; first?: number; add?: boolean },
): void {
  const args = [length, stride, address, chunks, first, out, add];
  queue.add('sumParts', Math.ceil(length / SUM_FLOATS), args);
}

/** Reserves memory for partial results and divides it into pieces, each starting on its own cache line. */
export function divideParts<K extends string>(
  queue: OperationQueue,
  bytes: Record<K, number>,
): Record<K, number> {
  const names = Object.keys(bytes) as K[];
  const sizes = names.map((name) => Math.ceil(bytes[name] / 64) * 64);
  let address = queue.reserveParts(sizes.reduce((sum, size) => sum + size, 0));
  const pieces = names.map((name, i) => {
    const piece = [name, address] as const;
    address += sizes[i];
    return piece;
  });
  return Object.fromEntries(pieces) as Record<K, number>;
}

export function featureArguments(x: FeatureBuffers): Argument[] {
  return [x.dense, x.width, x.columns, x.offsets, x.indices, x.values];
}

/** The arguments that describe a work list, and the chunks of the second pass, which merges the parts of split rows. */
export function workArguments(work: WorkList<Integers>): { mergeChunks: number; workArgs: Argument[] } {
  const perChunk = Math.max(1, Math.ceil(work.splitCount / MAX_PARTS));
  return {
    mergeChunks: Math.ceil(work.splitCount / perChunk),
    workArgs: [work.segments, work.bounds, work.split, perChunk],
  };
}
