// Dense products with rows of H floats: C += A·B and C += Aᵀ·B, in register tiles.

import { high, low, narrow } from './float64';
import { H, ROW, addTo, clearRow, copyRow, float, flush, madd, ptr, word } from './simd';

/**
 * Four rows by eight columns of C += A·B. The rows of A and C can be anywhere; B has rows of H floats. Eight sums, two
 * vectors of B and four of A use all registers: a tile of six rows spilled to the stack and was half as fast.
 */
function tile(
  a0: usize, a1: usize, a2: usize, a3: usize, depth: usize, b: usize, c0: usize, c1: usize, c2: usize, c3: usize,
): void {
  let p0 = v128.load(c0), q0 = v128.load(c0, 16);
  let p1 = v128.load(c1), q1 = v128.load(c1, 16);
  let p2 = v128.load(c2), q2 = v128.load(c2, 16);
  let p3 = v128.load(c3), q3 = v128.load(c3, 16);
  const end = depth << 2;
  for (let k: usize = 0; k < end; k += 4) {
    const u = v128.load(b);
    const w = v128.load(b, 16);
    let x = v128.load32_splat(a0 + k);
    p0 = madd(x, u, p0); q0 = madd(x, w, q0);
    x = v128.load32_splat(a1 + k);
    p1 = madd(x, u, p1); q1 = madd(x, w, q1);
    x = v128.load32_splat(a2 + k);
    p2 = madd(x, u, p2); q2 = madd(x, w, q2);
    x = v128.load32_splat(a3 + k);
    p3 = madd(x, u, p3); q3 = madd(x, w, q3);
    b += ROW;
  }
  v128.store(c0, p0); v128.store(c0, q0, 16);
  v128.store(c1, p1); v128.store(c1, q1, 16);
  v128.store(c2, p2); v128.store(c2, q2, 16);
  v128.store(c3, p3); v128.store(c3, q3, 16);
}

/**
 * Four rows of C += A·B by address: the first `bytes` bytes of each, a multiple of 32. `deeper` is added to the depth after
 * every eight columns, for an upper triangular B.
 */
export function rows4(
  a0: usize, a1: usize, a2: usize, a3: usize, depth: usize, b: usize,
  c0: usize, c1: usize, c2: usize, c3: usize, bytes: usize, deeper: usize = 0,
): void {
  for (let j: usize = 0; j < bytes; j += 32) {
    tile(a0, a1, a2, a3, depth, b + j, c0 + j, c1 + j, c2 + j, c3 + j);
    depth += deeper;
  }
}

/**
 * C[rows × H] += A[rows × depth]·B[depth × H], for the first `bytes` bytes of each row of C. `stride`: bytes of a row of A.
 * `spare`: memory for one row of C. `deeper`: as in rows4.
 */
export function multiply(
  a: usize, stride: usize, rows: usize, depth: usize, b: usize, c: usize, spare: usize, bytes: usize, deeper: usize = 0,
): void {
  for (let i: usize = 0; i < rows; i += 4) {
    const x = a + i * stride;
    const y = c + i * ROW;
    const left = rows - i;
    rows4(
      x, left > 1 ? x + stride : x, left > 2 ? x + 2 * stride : x, left > 3 ? x + 3 * stride : x, depth, b,
      y, left > 1 ? y + ROW : spare, left > 2 ? y + 2 * ROW : spare, left > 3 ? y + 3 * ROW : spare, bytes, deeper,
    );
  }
}

/**
 * Four rows by eight columns of C += Aᵀ·B over `rows` rows of A and B. The sum starts at zero for each block: a running sum
 * over all blocks would lose two digits if rows, and so their rounding errors, are similar.
 */
function transposedTile(a: usize, stride: usize, b: usize, rows: usize, c: usize): void {
  let p0 = f32x4.splat(0), q0 = p0, p1 = p0, q1 = p0, p2 = p0, q2 = p0, p3 = p0, q3 = p0;
  for (let k: usize = 0; k < rows; k++) {
    const u = v128.load(b);
    const w = v128.load(b, 16);
    let x = v128.load32_splat(a);
    p0 = madd(x, u, p0); q0 = madd(x, w, q0);
    x = v128.load32_splat(a, 4);
    p1 = madd(x, u, p1); q1 = madd(x, w, q1);
    x = v128.load32_splat(a, 8);
    p2 = madd(x, u, p2); q2 = madd(x, w, q2);
    x = v128.load32_splat(a, 12);
    p3 = madd(x, u, p3); q3 = madd(x, w, q3);
    a += stride;
    b += ROW;
  }
  addTo(c, p0); addTo(c + 16, q0);
  addTo(c + 256, p1); addTo(c + 272, q1);
  addTo(c + 512, p2); addTo(c + 528, q2);
  addTo(c + 768, p3); addTo(c + 784, q3);
}

/** Rows per block of a transposed product, so that both blocks stay in the first-level cache. */
export const BLOCK: usize = 64;

/** C[columns × H] += Aᵀ·B, A[rows × columns], B[rows × H]; columns is a multiple of 4. */
export function multiplyTransposed(a: usize, stride: usize, columns: usize, b: usize, rows: usize, c: usize): void {
  for (let k: usize = 0; k < rows; k += BLOCK) {
    const count = min<usize>(BLOCK, rows - k);
    for (let i: usize = 0; i < columns; i += 4) {
      for (let j: usize = 0; j < ROW; j += 32) {
        transposedTile(a + k * stride + (i << 2), stride, b + k * ROW + j, count, c + i * ROW + j);
      }
    }
  }
}

/** C[H × H] += Aᵀ·B per head: A has H columns for each head, and B and C have the columns of the head. */
export function multiplyHeads(a: usize, stride: usize, b: usize, rows: usize, c: usize): void {
  for (let k: usize = 0; k < rows; k += BLOCK) {
    const count = min<usize>(BLOCK, rows - k);
    for (let i: usize = 0; i < H; i += 4) {
      for (let j: usize = 0; j < ROW; j += 32) {
        transposedTile(a + k * stride + (j >> 6) * ROW + (i << 2), stride, b + k * ROW + j, count, c + i * ROW + j);
      }
    }
  }
}

/**
 * C[H × H] += Aᵀ·B with A, B[rows × H], for a symmetric result: only the tiles on the diagonal or right of it. `mirror` fills
 * in the rest.
 */
export function multiplySymmetric(a: usize, b: usize, rows: usize, c: usize): void {
  for (let k: usize = 0; k < rows; k += BLOCK) {
    const count = min<usize>(BLOCK, rows - k);
    for (let i: usize = 0; i < H; i += 4) {
      for (let j: usize = (i & ~7) << 2; j < ROW; j += 32) {
        transposedTile(a + k * ROW + (i << 2), ROW, b + k * ROW + j, count, c + i * ROW + j);
      }
    }
  }
}

/** After `multiplySymmetric`: doubles the tiles right of the diagonal, which gives the same quadratic form as the full matrix. */
export function makeTriangle(c: usize): void {
  for (let i: usize = 0; i < H; i++) {
    for (let j = ((i & ~7) + 8) << 2; j < ROW; j += 16) {
      const at = c + i * ROW + j;
      v128.store(at, f32x4.add(v128.load(at), v128.load(at)));
    }
  }
}

/** Fills in the tiles that `multiplySymmetric` leaves out. */
export function mirror(c: usize): void {
  for (let i: usize = 8; i < H; i++) {
    for (let j: usize = 0; j < (i & ~7); j++) {
      store<f32>(c + i * ROW + (j << 2), load<f32>(c + j * ROW + (i << 2)));
    }
  }
}

export function setRows(target: usize, rows: usize, row: usize): void {
  if (row == 0) memory.fill(target, 0, rows * ROW);
  else for (let i: usize = 0; i < rows; i++) copyRow(target + i * ROW, row);
}

/** Adds `row` to each row. */
function addRow(target: usize, rows: usize, row: usize): void {
  for (let i: usize = 0; i < rows; i++) {
    for (let j: usize = 0; j < ROW; j += 16) addTo(target + i * ROW + j, v128.load(row + j));
  }
}

// @ts-ignore: decorator
@inline function rowAt(x: usize, index: usize, i: usize): usize {
  return x + <usize>load<u32>(index + (i << 2)) * ROW;
}

/** As `multiply` with depth H, but row i of A is row index[i]. */
function multiplyIndexed(a: usize, index: usize, rows: usize, b: usize, c: usize, spare: usize): void {
  for (let i: usize = 0; i < rows; i += 4) {
    const left = rows - i;
    const y = c + i * ROW;
    const x = rowAt(a, index, i);
    rows4(
      x, left > 1 ? rowAt(a, index, i + 1) : x, left > 2 ? rowAt(a, index, i + 2) : x,
      left > 3 ? rowAt(a, index, i + 3) : x, H, b,
      y, left > 1 ? y + ROW : spare, left > 2 ? y + 2 * ROW : spare, left > 3 ? y + 3 * ROW : spare, ROW,
    );
  }
}

/** out = x·w + bias. Arguments: rows, rows per chunk, x, w, bias or 0, out, index or 0, add. */
export function linear(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 1);
  const start = chunk * size;
  const count = min<usize>(size, <usize>word(args, 0) - start);
  const out = ptr(args, 5) + start * ROW;
  if (word(args, 7) == 0) setRows(out, count, ptr(args, 4));
  else if (ptr(args, 4) != 0) addRow(out, count, ptr(args, 4));
  const index = ptr(args, 6);
  if (index != 0) multiplyIndexed(ptr(args, 2), index + (start << 2), count, ptr(args, 3), out, scratch);
  else multiply(ptr(args, 2) + start * ROW, ROW, count, H, ptr(args, 3), out, scratch, ROW);
}

/** dx = dOut·wᵀ + dOut2·w2ᵀ. Arguments: rows, rows per chunk, dOut, wᵀ, dOut2 or 0, w2ᵀ, dx, add. */
export function linearGradInput(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 1);
  const start = chunk * size;
  const count = min<usize>(size, <usize>word(args, 0) - start);
  const out = ptr(args, 6) + start * ROW;
  if (word(args, 7) == 0) memory.fill(out, 0, count * ROW);
  multiply(ptr(args, 2) + start * ROW, ROW, count, H, ptr(args, 3), out, scratch, ROW);
  if (ptr(args, 4) != 0) multiply(ptr(args, 4) + start * ROW, ROW, count, H, ptr(args, 5), out, scratch, ROW);
}

/** Rows per section. The blocks of a section are summed before they are added to the part of the chunk. */
const SECTION: usize = 4096;

/** The part of a chunk in xᵀ·dOut and in the column sums of dOut. Arguments: rows, rows per chunk, x, dOut, parts, index or 0. */
export function linearGradWeights(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  const bytes = (H + 1) * ROW;
  const part = ptr(args, 4) + chunk * bytes;
  memory.fill(part, 0, bytes);
  const some = scratch + BLOCK * ROW;
  memory.fill(some, 0, bytes);
  const index = ptr(args, 5);
  for (let start = chunk * size; start < end; start += SECTION) {
    const stop = min<usize>(start + SECTION, end);
    for (let k = start; k < stop; k += BLOCK) {
      const rows = min<usize>(BLOCK, stop - k);
      const out = ptr(args, 3) + k * ROW;
      let x = ptr(args, 2) + k * ROW;
      if (index != 0) {
        x = scratch;
        for (let i: usize = 0; i < rows; i++) copyRow(x + i * ROW, rowAt(ptr(args, 2), index, k + i));
      }
      multiplyTransposed(x, ROW, H, out, rows, some);
      sumColumns(out, rows, some + H * ROW);
    }
    flush(some, bytes, part);
  }
}

/** The part of a chunk in the sum of all rows. Arguments: rows, rows per chunk, from, parts. */
export function sumRows(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  const part = ptr(args, 3) + chunk * ROW;
  clearRow(part);
  clearRow(scratch);
  for (let start = chunk * size; start < end; start += SECTION) {
    sumColumns(ptr(args, 2) + start * ROW, min<usize>(SECTION, end - start), scratch);
    flush(scratch, ROW, part);
  }
}

/** target += the sum of `rows` rows, by blocks. */
export function sumColumns(from: usize, rows: usize, target: usize): void {
  for (let k: usize = 0; k < rows; k += BLOCK) {
    const end = from + min<usize>(k + BLOCK, rows) * ROW;
    for (let j: usize = 0; j < ROW; j += 64) {
      let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
      for (let row = from + k * ROW; row < end; row += ROW) {
        s0 = f32x4.add(s0, v128.load(row + j));
        s1 = f32x4.add(s1, v128.load(row + j, 16));
        s2 = f32x4.add(s2, v128.load(row + j, 32));
        s3 = f32x4.add(s3, v128.load(row + j, 48));
      }
      addTo(target + j, s0); addTo(target + j + 16, s1); addTo(target + j + 32, s2); addTo(target + j + 48, s3);
    }
  }
}

/** Transposes H × H floats. Arguments: from, to. */
export function transpose(args: usize): void {
  const from = ptr(args, 0);
  const to = ptr(args, 1);
  for (let i: usize = 0; i < H; i++) {
    for (let j: usize = 0; j < H; j++) {
      store<f32>(to + ((j * H + i) << 2), load<f32>(from + ((i * H + j) << 2)));
    }
  }
}

/** Sums parts in their order. Arguments: length, stride, parts, count, first float, out, add. */
export function sumParts(args: usize, chunk: usize): void {
  const start = chunk << 12;
  const end = min<usize>(start + 4096, <usize>word(args, 0));
  const stride = <usize>word(args, 1) << 2;
  const parts = ptr(args, 2) + (<usize>word(args, 4) << 2);
  const count = word(args, 3);
  const out = ptr(args, 5);
  const add = word(args, 6) != 0;
  // In float64, because parts of a gradient may cancel.
  let i = start;
  for (; i + 4 <= end; i += 4) {
    const to = out + (i << 2);
    const before = add ? v128.load(to) : f32x4.splat(0);
    let sum0 = low(before), sum1 = high(before);
    let from = parts + (i << 2);
    for (let p: u32 = 0; p < count; p++, from += stride) {
      const some = v128.load(from);
      sum0 = f64x2.add(sum0, low(some));
      sum1 = f64x2.add(sum1, high(some));
    }
    v128.store(to, narrow(sum0, sum1));
  }
  for (; i < end; i++) {
    let sum: f64 = add ? <f64>load<f32>(out + (i << 2)) : 0;
    let from = parts + (i << 2);
    for (let p: u32 = 0; p < count; p++, from += stride) sum += <f64>load<f32>(from);
    store<f32>(out + (i << 2), <f32>sum);
  }
}

/** Arguments: address, floats, value. */
export function fill(args: usize, chunk: usize): void {
  const start = chunk << 16;
  const end = min<usize>(start + 65536, <usize>word(args, 1));
  const at = ptr(args, 0);
  if (word(args, 2) == 0) memory.fill(at + (start << 2), 0, (end - start) << 2);
  else for (let i = start; i < end; i++) store<f32>(at + (i << 2), float(args, 2));
}

/** Arguments: target, floats, source. */
export function addInto(args: usize, chunk: usize): void {
  const start = chunk << 16;
  const end = min<usize>(start + 65536, <usize>word(args, 1));
  for (let i = start << 2; i < end << 2; i += 4) {
    const at = ptr(args, 0) + i;
    store<f32>(at, load<f32>(at) + load<f32>(ptr(args, 2) + i));
  }
}
