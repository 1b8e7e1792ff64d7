// Forward pass of relation-aware attention (method §4): logits, softmax and weighted sum in one pass over the entries of a
// destination. Long rows are split into segments, and a second kernel merges their parts in order.
//
// Logits are in float64, because an absolute error of a logit is a relative error of its weight. Sums run over BATCH
// entries, then over batches: a plain running sum would lose two digits on a hub.

import { exp4, high, leaky, low, narrow } from './float64';
import { BATCH, NONE, ROW, addTo, clearRow, headDots, madd, ptr, touch, word } from './simd';

/** Bytes of a part of a split row: peak, sum of weights, weight of the part, acc = Σ weight · y (y = z_u + c_ρ). */
const PART: usize = 48 + ROW;
export const ACC: usize = 48;
/** Bytes of a run of entries with one relation: the relation, then the sum of weights. Rows are sorted by relation. */
export const RUN: usize = 32;
/** Bytes of the logits of an entry in float64. Their exponentials later replace the first half. */
export const LOGITS: usize = 32;

/** s = a_s·z and d = a_d·z per head. Arguments: rows, rows per chunk, z, a_s, a_d, s, d. If d is 0, only s is computed. */
export function scores(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  for (let v = chunk * size; v < end; v++) {
    const z = ptr(args, 2) + v * ROW;
    v128.store(ptr(args, 5) + (v << 4), headDots(z, ptr(args, 3)));
    if (ptr(args, 6) != 0) v128.store(ptr(args, 6) + (v << 4), headDots(z, ptr(args, 4)));
  }
}

// Arguments of attend and mergeAttention after the work list (0 to 3). The kernels of fold.ts share them.
export const NEIGHBOURS = 4, Z = 6, C = 10, PARTS = 16, SPLIT_COUNT = 17;
const RELATIONS = 5, S = 7, D = 8, B = 9;
const PRE = 11, OUT = 12, SLOPE = 13, PEAK = 14, INVERSE = 15, RESIDUAL = 18;
/** Masked destinations read d and PRE from the row STAND_IN. */
const MASKED = 19, STAND_IN = 20;
/** Address of one integer per row, 0 if the row is not needed; or 0 if all rows are needed. */
export const WANTED = 21;
/** Address of the bias for rows from RESIDUAL on, which have no other residual; or 0. */
const BIAS = 22;
/** The row of B that each entry adds to its logit: its relation, or its row of d for the encoder `rgat`, which has no D and C. */
const B_ROWS = 25;

// @ts-ignore: decorator
@inline function ownRow(args: usize, v: usize): usize {
  const masked = ptr(args, MASKED);
  return masked != 0 && load<u32>(masked + (v << 2)) != 0 ? <usize>word(args, STAND_IN) : v;
}

/** Arguments: segments, chunk bounds, split rows, split rows per chunk, then as above. PEAK is 0 if no gradient follows. */
export function attend(args: usize, chunk: usize, scratch: usize): void {
  const bounds = ptr(args, 1);
  const first = <usize>load<u32>(bounds + (chunk << 2));
  const last = <usize>load<u32>(bounds + (chunk << 2), 4);
  const part = scratch;
  const logits = scratch + PART;
  const wanted = ptr(args, WANTED);
  for (let i = first; i < last; i++) {
    const segment = ptr(args, 0) + (i << 4);
    const v = <usize>load<u32>(segment);
    if (wanted != 0 && load<u32>(wanted + (v << 2)) == 0) continue;
    const start = <usize>load<u32>(segment, 4);
    const end = <usize>load<u32>(segment, 8);
    const at = load<u32>(segment, 12);
    attendSegment(args, v, start, end, part, logits);
    if (at == NONE) finish(args, v, part, start == end);
    else memory.copy(ptr(args, PARTS) + <usize>at * PART, part, PART);
  }
}

/**
 * Logits of a segment, and their peak. The peak is rounded to float32, which is safe because it is subtracted from all
 * logits: for logits up to 10⁹ the difference stays in the range of exp4.
 */
function computeLogits(args: usize, v: usize, start: usize, end: usize, logits: usize): v128 {
  const neighbours = ptr(args, NEIGHBOURS);
  const bRows = ptr(args, B_ROWS);
  const s = ptr(args, S);
  const b = ptr(args, B);
  const d = ptr(args, D) == 0 ? f32x4.splat(0) : v128.load(ptr(args, D) + (ownRow(args, v) << 4));
  const d0 = low(d), d1 = high(d);
  let peak0 = f64x2.splat(-3.0e38), peak1 = peak0;
  let to = logits;
  for (let e = start; e < end; e++, to += LOGITS) {
    const u = v128.load(s + (<usize>load<u32>(neighbours + (e << 2)) << 4));
    const r = v128.load(b + (<usize>load<u32>(bRows + (e << 2)) << 4));
    const l0 = leaky(f64x2.add(f64x2.add(low(u), d0), low(r)));
    const l1 = leaky(f64x2.add(f64x2.add(high(u), d1), high(r)));
    v128.store(to, l0);
    v128.store(to, l1, 16);
    peak0 = f64x2.pmax(peak0, l0);
    peak1 = f64x2.pmax(peak1, l1);
  }
  return narrow(peak0, peak1);
}

/**
 * Replaces the logits of a segment by weights, and writes the runs of relations after them. Writes peak and sum to the part.
 * Returns the end of the runs.
 */
export function weigh(args: usize, v: usize, start: usize, end: usize, part: usize, logits: usize): usize {
  const peak = computeLogits(args, v, start, end, logits);
  const count = end - start;
  const runs = logits + count * LOGITS;
  const peak0 = low(peak), peak1 = high(peak);
  const relations = ptr(args, RELATIONS) + (start << 2);
  let sum = f32x4.splat(0), runSum = f32x4.splat(0), some = f32x4.splat(0);
  let run = runs;
  for (let i: usize = 0; i < count; i++) {
    const logit = logits + i * LOGITS;
    const p = exp4(f64x2.sub(v128.load(logit), peak0), f64x2.sub(v128.load(logit, 16), peak1));
    v128.store(logit, p);
    some = f32x4.add(some, p);
    const rho = load<u32>(relations + (i << 2));
    const continues = i + 1 < count && load<u32>(relations + (i << 2), 4) == rho;
    if (continues && (i & (BATCH - 1)) != BATCH - 1) continue;
    runSum = f32x4.add(runSum, some);
    some = f32x4.splat(0);
    if (continues) continue;
    store<u32>(run, rho);
    v128.store(run, runSum, 16);
    run += RUN;
    sum = f32x4.add(sum, runSum);
    runSum = f32x4.splat(0);
  }
  v128.store(part, peak);
  v128.store(part, sum, 16);
  return run;
}

function attendSegment(args: usize, v: usize, start: usize, end: usize, part: usize, logits: usize): void {
  const stop = weigh(args, v, start, end, part, logits);
  const count = end - start;
  const runs = logits + count * LOGITS;
  clearRow(part + ACC);
  const neighbours = ptr(args, NEIGHBOURS) + (start << 2);
  for (let i: usize = 0; i < count; i += BATCH) {
    const some = min<usize>(BATCH, count - i);
    touch(neighbours + (i << 2), some, ptr(args, Z));
    addRows(neighbours + (i << 2), some, ptr(args, Z), 4, part + ACC, logits + i * LOGITS, LOGITS);
  }
  if (ptr(args, C) != 0) addRows(runs, (stop - runs) / RUN, ptr(args, C), RUN, part + ACC, runs + 16, RUN);
}

/**
 * acc += Σ weight · row per head, over `count` rows. Row numbers are `step` bytes apart, weights `stride` bytes apart. Two
 * heads at a time, so that their sums stay in registers.
 */
export function addRows(
  numbers: usize, count: usize, rows: usize, step: usize, sums: usize, weights: usize, stride: usize,
): void {
  for (let h: usize = 0; h < 4; h += 2) {
    const acc = sums + (h << 6);
    let p0 = f32x4.splat(0), p1 = p0, p2 = p0, p3 = p0;
    let q0 = p0, q1 = p0, q2 = p0, q3 = p0;
    let number = numbers;
    let weight = weights + (h << 2);
    for (let i: usize = 0; i < count; i++) {
      const row = rows + <usize>load<u32>(number) * ROW + (h << 6);
      const p = v128.load32_splat(weight);
      const q = v128.load32_splat(weight, 4);
      p0 = madd(p, v128.load(row), p0);
      p1 = madd(p, v128.load(row, 16), p1);
      p2 = madd(p, v128.load(row, 32), p2);
      p3 = madd(p, v128.load(row, 48), p3);
      q0 = madd(q, v128.load(row, 64), q0);
      q1 = madd(q, v128.load(row, 80), q1);
      q2 = madd(q, v128.load(row, 96), q2);
      q3 = madd(q, v128.load(row, 112), q3);
      number += step;
      weight += stride;
    }
    addTo(acc, p0); addTo(acc + 16, p1); addTo(acc + 32, p2); addTo(acc + 48, p3);
    addTo(acc + 64, q0); addTo(acc + 80, q1); addTo(acc + 96, q2); addTo(acc + 112, q3);
  }
}

/** The number of one head in all lanes. */
// @ts-ignore: decorator
@inline export function lane(v: v128, h: usize): v128 {
  if (h == 0) return v128.shuffle<f32>(v, v, 0, 0, 0, 0);
  if (h == 1) return v128.shuffle<f32>(v, v, 1, 1, 1, 1);
  if (h == 2) return v128.shuffle<f32>(v, v, 2, 2, 2, 2);
  return v128.shuffle<f32>(v, v, 3, 3, 3, 3);
}

/**
 * Computes the result of a row from its sums. PRE holds W_res h + bias of the first RESIDUAL rows, and receives the value
 * before PReLU if a gradient follows.
 */
export function finish(args: usize, v: usize, part: usize, empty: bool): void {
  const inverse = empty ? f32x4.splat(0) : f32x4.div(f32x4.splat(1), v128.load(part, 16));
  const kept = ptr(args, PEAK) != 0;
  if (kept) {
    v128.store(ptr(args, PEAK) + (v << 4), v128.load(part));
    v128.store(ptr(args, INVERSE) + (v << 4), inverse);
  }
  const slope = ptr(args, SLOPE) == 0 ? f32x4.splat(1) : v128.load32_splat(ptr(args, SLOPE));
  const row = v * ROW;
  const from = v < <usize>word(args, RESIDUAL) ? ptr(args, PRE) + ownRow(args, v) * ROW : ptr(args, BIAS);
  for (let h: usize = 0; h < 4; h++) {
    const scale = lane(inverse, h);
    for (let j = h << 6; j < (h + 1) << 6; j += 16) {
      const att = f32x4.mul(v128.load(part + j, ACC), scale);
      const pre = from != 0 ? f32x4.add(v128.load(from + j), att) : att;
      if (kept) v128.store(ptr(args, PRE) + row + j, pre);
      const negative = f32x4.lt(pre, f32x4.splat(0));
      v128.store(ptr(args, OUT) + row + j, v128.bitselect(f32x4.mul(pre, slope), pre, negative));
    }
  }
}

/** Copies row numbers; the number of a masked row becomes `to`. Arguments: length, from, masked, to, out. */
export function redirect(args: usize, chunk: usize): void {
  const start = chunk << 16;
  const end = min<usize>(start + 65536, <usize>word(args, 0));
  for (let i = start << 2; i < end << 2; i += 4) {
    const row = load<u32>(ptr(args, 1) + i);
    const masked = load<u32>(ptr(args, 2) + (<usize>row << 2)) != 0;
    store<u32>(ptr(args, 4) + i, select<u32>(word(args, 3), row, masked));
  }
}

/** out = PReLU(pre), with the same bits as in `finish`. Arguments: rows, rows per chunk, pre, slope, out. */
export function prelu(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const start = chunk * size * ROW;
  const end = min<usize>(start + size * ROW, <usize>word(args, 0) * ROW);
  const slope = v128.load32_splat(ptr(args, 3));
  for (let i = start; i < end; i += 16) {
    const pre = v128.load(ptr(args, 2) + i);
    const negative = f32x4.lt(pre, f32x4.splat(0));
    v128.store(ptr(args, 4) + i, v128.bitselect(f32x4.mul(pre, slope), pre, negative));
  }
}

/** Merges the parts of split rows (row, first part, number of parts). Argument 3 is the number of split rows per chunk. */
export function mergeAttention(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 3);
  const wanted = ptr(args, WANTED);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, SPLIT_COUNT));
  for (let i = chunk * size; i < end; i++) {
    const split = ptr(args, 2) + i * 12;
    const v = <usize>load<u32>(split);
    if (wanted != 0 && load<u32>(wanted + (v << 2)) == 0) continue;
    mergeRow(ptr(args, PARTS) + <usize>load<u32>(split, 4) * PART, <usize>load<u32>(split, 8), PART, scratch);
    finish(args, v, scratch, false);
  }
}

/** Merges the parts of one row in float64, because a hub has hundreds of parts. Sums after PART have one row per head. */
export function mergeRow(first: usize, count: usize, bytes: usize, scratch: usize): void {
  const end = first + count * bytes;
  let peak = v128.load(first);
  for (let p = first + bytes; p < end; p += bytes) peak = f32x4.max(peak, v128.load(p));
  v128.store(scratch, peak);
  for (let p = first; p < end; p += bytes) {
    const own = v128.load(p);
    v128.store(p, exp4(f64x2.sub(low(own), low(peak)), f64x2.sub(high(own), high(peak))), 32);
  }
  for (let j: usize = 16; j < bytes; j += 4) {
    if (j >= 32 && j < ACC) continue;
    const head = j < ACC ? (j >> 2) & 3 : j < PART ? (j - ACC) >> 6 : (j - PART) >> 8;
    let sum: f64 = 0;
    for (let p = first; p < end; p += bytes) {
      sum += <f64>load<f32>(p + j) * <f64>load<f32>(p + (head << 2), 32);
    }
    store<f32>(scratch + j, <f32>sum);
  }
}
