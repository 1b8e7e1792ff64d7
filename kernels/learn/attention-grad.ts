// Backward pass of relation-aware attention, first part: the weighted sum. Computes Σ α dout over the entries out of each
// source, and α and dα = dout·y of each entry, from which attention-scores.ts computes the gradients of scores. α and dα
// are in float64, because dα minus its weighted mean over the entries of the destination loses many digits.
//
// The graph is bidirectional: with the relation reversed, the entries into u are also the entries out of u. So the gradient
// of a gather is a gather over the same rows, and no kernel scatters.

import { expExactly, high, leaky, low, madd2, narrow, sumOfEach, wide } from './float64';
import { BATCH, NONE, ROW, addTo, clearRow, flush, madd, ptr, sumPartsOfRow, touch, touchEach, word } from './simd';

/** Bytes kept per entry, in float64: α of four heads, negative if λ is 0.2, then dα. */
export const WEIGHT: usize = 64;

/**
 * Packs d, peak and 1/sum into one cache line, for each destination or for each row of d.
 * Arguments: rows, rows per chunk, d, peak, inverse, records, the destination of each row or 0.
 */
export function attendPrepare(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  for (let v = chunk * size; v < end; v++) {
    const record = ptr(args, 5) + (v << 6);
    const node = ptr(args, 6) == 0 ? v : <usize>load<u32>(ptr(args, 6) + (v << 2));
    v128.store(record, v128.load(ptr(args, 2) + (v << 4)));
    v128.store(record, v128.load(ptr(args, 3) + (node << 4)), 16);
    v128.store(record, v128.load(ptr(args, 4) + (node << 4)), 32);
  }
}

// Arguments of attendGrad and mergeAttentionGrad after the work list (0 to 3). The kernels of fold-grad.ts share them.
export const NEIGHBOURS = 4, RELATIONS = 5, S = 7, B = 8, DOUT = 10, RECORDS = 11, SUMS = 12, WEIGHTS = 13;
export const PARTS = 14, TABLES = 15, HALF = 16, SPLIT_COUNT = 17;
/** RELATIONS is 0 for the encoder `rgat`: all entries then share row 0 of B and C, which is zero. */
const Z = 6, C = 9;
/** The record of each entry, or 0 if each destination has one record. */
const RECORD_ROWS = 18;

/** Batches per partial sum of dc. On a hub all batches are similar, and so are their rounding errors, which would add up. */
export const FLUSH: usize = 128;

/** Arguments: segments, chunk bounds, split rows, split rows per chunk, then as above. Each chunk has its own table for dc. */
export function attendGrad(args: usize, chunk: usize, scratch: usize): void {
  const bounds = ptr(args, 1);
  const first = <usize>load<u32>(bounds + (chunk << 2));
  const last = <usize>load<u32>(bounds + (chunk << 2), 4);
  const bytes: usize = 2 * <usize>word(args, HALF) * ROW;
  const table = ptr(args, TABLES) + chunk * bytes;
  memory.fill(table, 0, bytes);
  const dc = scratch;
  memory.fill(dc, 0, bytes);
  let added: usize = 0;
  for (let i = first; i < last; i++) {
    const segment = ptr(args, 0) + (i << 4);
    const u = <usize>load<u32>(segment);
    const end = <usize>load<u32>(segment, 8);
    const at = load<u32>(segment, 12);
    const sums = at == NONE ? ptr(args, SUMS) + u * ROW : ptr(args, PARTS) + <usize>at * ROW;
    clearRow(sums);
    added += gradEntries(args, u, <usize>load<u32>(segment, 4), end, sums, dc, scratch + bytes);
    if (added < FLUSH) continue;
    flush(dc, bytes, table);
    added = 0;
  }
  flush(dc, bytes, table);
}

/** The numbers of the records, from entry e on. */
// @ts-ignore: decorator
@inline function recordRows(args: usize, e: usize): usize {
  return (ptr(args, RECORD_ROWS) != 0 ? ptr(args, RECORD_ROWS) : ptr(args, NEIGHBOURS)) + (e << 2);
}

/** Processes entries out of u in batches. Returns the number of batches. */
export function gradEntries(args: usize, u: usize, start: usize, end: usize, sums: usize, dc: usize, scratch: usize): usize {
  let batches: usize = 0;
  for (let e = start; e < end; e += BATCH) {
    const count = min<usize>(BATCH, end - e);
    const neighbours = ptr(args, NEIGHBOURS) + (e << 2);
    touch(neighbours, count, ptr(args, DOUT));
    touchEach(recordRows(args, e), count, ptr(args, RECORDS), 64);
    gradBatch(args, u, e, count, sums, dc, scratch);
    batches++;
  }
  return batches;
}

/** α of an entry, from s + b of its source and relation and from the record of its destination. */
// @ts-ignore: decorator
@inline export function weighEntry(base0: v128, base1: v128, record: usize, weight: usize, alpha: usize): void {
  const raw0 = f64x2.add(base0, wide(record)), raw1 = f64x2.add(base1, wide(record + 8));
  const p0 = expExactly(f64x2.sub(leaky(raw0), wide(record + 16)));
  const p1 = expExactly(f64x2.sub(leaky(raw1), wide(record + 24)));
  const alpha0 = f64x2.mul(p0, wide(record + 32)), alpha1 = f64x2.mul(p1, wide(record + 40));
  v128.store(alpha, narrow(alpha0, alpha1));
  // α is positive, so its sign can store the side of the LeakyReLU.
  v128.store(weight, v128.bitselect(alpha0, f64x2.neg(alpha0), f64x2.gt(raw0, f64x2.splat(0))));
  v128.store(weight, v128.bitselect(alpha1, f64x2.neg(alpha1), f64x2.gt(raw1, f64x2.splat(0))), 16);
}

/** Up to BATCH entries out of u: α of each, then per head Σ α dout and the products that add up to dα. */
function gradBatch(args: usize, u: usize, start: usize, count: usize, sums: usize, dc: usize, scratch: usize): void {
  const neighbours = ptr(args, NEIGHBOURS) + (start << 2);
  const relations = ptr(args, RELATIONS) == 0 ? <usize>0 : ptr(args, RELATIONS) + (start << 2);
  const half = <usize>word(args, HALF);
  const s = v128.load(ptr(args, S) + (u << 4));
  const z = ptr(args, Z) + u * ROW;
  const weights = ptr(args, WEIGHTS) + start * WEIGHT;
  const alphas = scratch;
  const products = alphas + (BATCH << 4);
  const records = ptr(args, RECORDS);
  const recordOf = recordRows(args, start);
  let first: usize = 0;
  while (first < count) {
    let rho: usize = 0;
    let last = count;
    if (relations != 0) {
      const listed = <usize>load<u32>(relations + (first << 2));
      last = first + 1;
      while (last < count && <usize>load<u32>(relations + (last << 2)) == listed) last++;
      rho = listed < half ? listed + half : listed - half;
    }
    const b = v128.load(ptr(args, B) + (rho << 4));
    const base0 = f64x2.add(low(s), low(b)), base1 = f64x2.add(high(s), high(b));
    for (let i = first; i < last; i++) {
      const record = records + (<usize>load<u32>(recordOf + (i << 2)) << 6);
      weighEntry(base0, base1, record, weights + i * WEIGHT, alphas + (i << 4));
    }
    gradRun(neighbours, first, last, z, ptr(args, C) + rho * ROW, ptr(args, DOUT), alphas, products, sums, dc + rho * ROW);
    for (let i = first; i < last; i++) {
      const product = products + (i << 6);
      const weight = weights + i * WEIGHT;
      v128.store(weight, sumOfEach(v128.load(product), v128.load(product, 16)), 32);
      v128.store(weight, sumOfEach(v128.load(product, 32), v128.load(product, 48)), 48);
    }
    first = last;
  }
}

/** Two numbers of y = z + c in float64. */
// @ts-ignore: decorator
@inline function sumOf(z: usize, c: usize): v128 {
  return f64x2.add(wide(z), wide(c));
}

/** Processes entries of one relation, which share y = z_u + c_ρ. */
function gradRun(
  neighbours: usize, first: usize, last: usize, z: usize, c: usize, dout: usize,
  alphas: usize, products: usize, sums: usize, dc: usize,
): void {
  for (let h: usize = 0; h < 4; h++) {
    const at = h << 6;
    const y = z + at, t = c + at;
    const y0 = sumOf(y, t), y1 = sumOf(y + 8, t + 8), y2 = sumOf(y + 16, t + 16), y3 = sumOf(y + 24, t + 24);
    const y4 = sumOf(y + 32, t + 32), y5 = sumOf(y + 40, t + 40), y6 = sumOf(y + 48, t + 48), y7 = sumOf(y + 56, t + 56);
    let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0);
    let i = first;
    // Two entries at a time: y does not fit into the registers and is then loaded once for both.
    for (; i + 1 < last; i += 2) {
      const row = dout + <usize>load<u32>(neighbours + (i << 2)) * ROW + at;
      const next = dout + <usize>load<u32>(neighbours + (i << 2), 4) * ROW + at;
      let p = f64x2.mul(wide(row), y0), q = f64x2.mul(wide(next), y0);
      p = madd2(wide(row + 8), y1, p); q = madd2(wide(next + 8), y1, q);
      p = madd2(wide(row + 16), y2, p); q = madd2(wide(next + 16), y2, q);
      p = madd2(wide(row + 24), y3, p); q = madd2(wide(next + 24), y3, q);
      p = madd2(wide(row + 32), y4, p); q = madd2(wide(next + 32), y4, q);
      p = madd2(wide(row + 40), y5, p); q = madd2(wide(next + 40), y5, q);
      p = madd2(wide(row + 48), y6, p); q = madd2(wide(next + 48), y6, q);
      p = madd2(wide(row + 56), y7, p); q = madd2(wide(next + 56), y7, q);
      const product = products + (i << 6) + (h << 4);
      v128.store(product, p);
      v128.store(product, q, 64);
      const alpha = v128.load32_splat(alphas + (i << 4) + (h << 2));
      const beta = v128.load32_splat(alphas + (i << 4) + (h << 2), 16);
      s0 = madd(beta, v128.load(next), madd(alpha, v128.load(row), s0));
      s1 = madd(beta, v128.load(next, 16), madd(alpha, v128.load(row, 16), s1));
      s2 = madd(beta, v128.load(next, 32), madd(alpha, v128.load(row, 32), s2));
      s3 = madd(beta, v128.load(next, 48), madd(alpha, v128.load(row, 48), s3));
    }
    if (i < last) {
      const row = dout + <usize>load<u32>(neighbours + (i << 2)) * ROW + at;
      // The same order as above, so that equal entries give equal bits.
      let p = f64x2.mul(wide(row), y0);
      p = madd2(wide(row + 8), y1, p);
      p = madd2(wide(row + 16), y2, p);
      p = madd2(wide(row + 24), y3, p);
      p = madd2(wide(row + 32), y4, p);
      p = madd2(wide(row + 40), y5, p);
      p = madd2(wide(row + 48), y6, p);
      p = madd2(wide(row + 56), y7, p);
      v128.store(products + (i << 6) + (h << 4), p);
      const alpha = v128.load32_splat(alphas + (i << 4) + (h << 2));
      s0 = madd(alpha, v128.load(row), s0);
      s1 = madd(alpha, v128.load(row, 16), s1);
      s2 = madd(alpha, v128.load(row, 32), s2);
      s3 = madd(alpha, v128.load(row, 48), s3);
    }
    addTo(sums + at, s0); addTo(sums + at + 16, s1); addTo(sums + at + 32, s2); addTo(sums + at + 48, s3);
    addTo(dc + at, s0); addTo(dc + at + 16, s1); addTo(dc + at + 32, s2); addTo(dc + at + 48, s3);
  }
}

/** Merges the parts of split rows. Argument 3 is the number of split rows per chunk. */
export function mergeAttentionGrad(args: usize, chunk: usize): void {
  const size = <usize>word(args, 3);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, SPLIT_COUNT));
  for (let i = chunk * size; i < end; i++) {
    const split = ptr(args, 2) + i * 12;
    const first = ptr(args, PARTS) + <usize>load<u32>(split, 4) * ROW;
    sumPartsOfRow(first, <usize>load<u32>(split, 8), ROW, ptr(args, SUMS) + <usize>load<u32>(split) * ROW);
  }
}

/** Replaces dh by dpre, and sums dh·pre where pre < 0 in float64. Arguments: rows, rows per chunk, dh, pre, slope, parts. */
export function preluGrad(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const start = chunk * size * ROW;
  const end = min<usize>(start + size * ROW, <usize>word(args, 0) * ROW);
  const slope = v128.load32_splat(ptr(args, 4));
  let sum0 = f64x2.splat(0), sum1 = f64x2.splat(0);
  for (let i = start; i < end; i += 16) {
    const dh = v128.load(ptr(args, 2) + i);
    const pre = v128.load(ptr(args, 3) + i);
    const negative = f32x4.lt(pre, f32x4.splat(0));
    const counted = v128.and(dh, negative);
    sum0 = madd2(low(counted), low(pre), sum0);
    sum1 = madd2(high(counted), high(pre), sum1);
    v128.store(ptr(args, 2) + i, v128.bitselect(f32x4.mul(dh, slope), dh, negative));
  }
  v128.store(ptr(args, 5) + (chunk << 4), f64x2.add(sum0, sum1));
}
