// Relation-aware attention, forward (method §4): logits, softmax and weighted sum in one pass over a destination's
// entries. Long rows are cut into segments; their parts are merged in order by a second kernel.
//
// Beside out = Σ α y (y = z_u + c_ρ) training keeps outλ = Σ λ α y and Λ = Σ λ α, λ the slope of the LeakyReLU at the
// entry (1 or 0.2). With them the gradient of a destination's own score needs no second walk over its entries:
// Σ λ α (dα − Σ α dα) = dout·outλ − Λ (dout·out).

import { NONE, ROW, exp4, headDots, madd, ptr, word } from './simd';

/** A part of a long row: peak, sum, Λ, unused, acc, accλ. */
const PART: usize = 64 + 2 * ROW;

/** s = a_s·z and d = a_d·z per head. Arguments: rows, rows per chunk, z, a_s, a_d, s, d. */
export function scores(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  for (let v = chunk * size; v < end; v++) {
    const z = ptr(args, 2) + v * ROW;
    v128.store(ptr(args, 5) + (v << 4), headDots(z, ptr(args, 3)));
    v128.store(ptr(args, 6) + (v << 4), headDots(z, ptr(args, 4)));
  }
}

// Arguments of attend and mergeAttention, after the work list in 0 to 3.
const NEIGHBOURS = 4, RELATIONS = 5, Z = 6, S = 7, D = 8, B = 9, C = 10;
const PRE = 11, OUT = 12, SLOPE = 13, ATT = 14, ATT_SCALED = 15, PEAK = 16, INVERSE = 17, SCALED_SUM = 18, PARTS = 19, SPLIT_COUNT = 20;

/** Arguments: segments, chunk bounds, split rows, split rows per chunk, then as above; ATT is 0 when no gradient will be asked for. */
export function attend(args: usize, chunk: usize, scratch: usize): void {
  const bounds = ptr(args, 1);
  const first = <usize>load<u32>(bounds + (chunk << 2));
  const last = <usize>load<u32>(bounds + (chunk << 2), 4);
  const training = ptr(args, ATT) != 0;
  const part = scratch;
  const logits = scratch + PART;
  for (let i = first; i < last; i++) {
    const segment = ptr(args, 0) + (i << 4);
    const v = <usize>load<u32>(segment);
    const start = <usize>load<u32>(segment, 4);
    const end = <usize>load<u32>(segment, 8);
    const at = load<u32>(segment, 12);
    if (training) attendSegment(args, v, start, end, part, logits);
    else attendSegmentOnly(args, v, start, end, part, logits);
    if (at == NONE) finish(args, v, part, start == end);
    else memory.copy(ptr(args, PARTS) + <usize>at * PART, part, PART);
  }
}

// @ts-ignore: decorator
@inline function leaky(l: v128): v128 {
  return f32x4.max(l, f32x4.mul(l, f32x4.splat(0.2)));
}

/** Logits of a segment, and their peak. */
function computeLogits(args: usize, v: usize, start: usize, end: usize, logits: usize): v128 {
  const neighbours = ptr(args, NEIGHBOURS);
  const relations = ptr(args, RELATIONS);
  const s = ptr(args, S);
  const b = ptr(args, B);
  const d = v128.load(ptr(args, D) + (v << 4));
  let peak = f32x4.splat(-3.0e38);
  for (let e = start; e < end; e++) {
    const u = <usize>load<u32>(neighbours + (e << 2));
    const rho = <usize>load<u32>(relations + (e << 2));
    const l = leaky(f32x4.add(f32x4.add(v128.load(s + (u << 4)), d), v128.load(b + (rho << 4))));
    v128.store(logits + ((e - start) << 4), l);
    peak = f32x4.max(peak, l);
  }
  return peak;
}

function attendSegment(args: usize, v: usize, start: usize, end: usize, part: usize, logits: usize): void {
  const peak = computeLogits(args, v, start, end, logits);
  const count = end - start;
  const scaled = logits + (count << 4);
  let sum = f32x4.splat(0);
  let scaledSum = f32x4.splat(0);
  for (let i: usize = 0; i < count << 4; i += 16) {
    const l = v128.load(logits + i);
    const p = exp4(f32x4.sub(l, peak));
    const q = v128.bitselect(p, f32x4.mul(p, f32x4.splat(0.2)), f32x4.gt(l, f32x4.splat(0)));
    v128.store(logits + i, p);
    v128.store(scaled + i, q);
    sum = f32x4.add(sum, p);
    scaledSum = f32x4.add(scaledSum, q);
  }
  v128.store(part, peak);
  v128.store(part, sum, 16);
  v128.store(part, scaledSum, 32);
  // Head by head: four vectors of each sum stay in registers.
  const neighbours = ptr(args, NEIGHBOURS) + (start << 2);
  const relations = ptr(args, RELATIONS) + (start << 2);
  for (let h: usize = 0; h < 4; h++) {
    const z = ptr(args, Z) + (h << 6);
    const c = ptr(args, C) + (h << 6);
    let p0 = f32x4.splat(0), p1 = f32x4.splat(0), p2 = f32x4.splat(0), p3 = f32x4.splat(0);
    let q0 = f32x4.splat(0), q1 = f32x4.splat(0), q2 = f32x4.splat(0), q3 = f32x4.splat(0);
    for (let i: usize = 0; i < count; i++) {
      const row = z + <usize>load<u32>(neighbours + (i << 2)) * ROW;
      const add = c + <usize>load<u32>(relations + (i << 2)) * ROW;
      const p = v128.load32_splat(logits + (i << 4) + (h << 2));
      const q = v128.load32_splat(scaled + (i << 4) + (h << 2));
      let y = f32x4.add(v128.load(row), v128.load(add));
      p0 = madd(p, y, p0); q0 = madd(q, y, q0);
      y = f32x4.add(v128.load(row, 16), v128.load(add, 16));
      p1 = madd(p, y, p1); q1 = madd(q, y, q1);
      y = f32x4.add(v128.load(row, 32), v128.load(add, 32));
      p2 = madd(p, y, p2); q2 = madd(q, y, q2);
      y = f32x4.add(v128.load(row, 48), v128.load(add, 48));
      p3 = madd(p, y, p3); q3 = madd(q, y, q3);
    }
    const acc = part + 64 + (h << 6);
    v128.store(acc, p0); v128.store(acc, p1, 16); v128.store(acc, p2, 32); v128.store(acc, p3, 48);
    v128.store(acc, q0, 256); v128.store(acc, q1, 272); v128.store(acc, q2, 288); v128.store(acc, q3, 304);
  }
}

/** The same without what only the gradient needs. */
function attendSegmentOnly(args: usize, v: usize, start: usize, end: usize, part: usize, logits: usize): void {
  const peak = computeLogits(args, v, start, end, logits);
  const count = end - start;
  let sum = f32x4.splat(0);
  for (let i: usize = 0; i < count << 4; i += 16) {
    const p = exp4(f32x4.sub(v128.load(logits + i), peak));
    v128.store(logits + i, p);
    sum = f32x4.add(sum, p);
  }
  v128.store(part, peak);
  v128.store(part, sum, 16);
  const neighbours = ptr(args, NEIGHBOURS) + (start << 2);
  const relations = ptr(args, RELATIONS) + (start << 2);
  for (let h: usize = 0; h < 4; h += 2) {
    const z = ptr(args, Z) + (h << 6);
    const c = ptr(args, C) + (h << 6);
    let p0 = f32x4.splat(0), p1 = f32x4.splat(0), p2 = f32x4.splat(0), p3 = f32x4.splat(0);
    let q0 = f32x4.splat(0), q1 = f32x4.splat(0), q2 = f32x4.splat(0), q3 = f32x4.splat(0);
    for (let i: usize = 0; i < count; i++) {
      const row = z + <usize>load<u32>(neighbours + (i << 2)) * ROW;
      const add = c + <usize>load<u32>(relations + (i << 2)) * ROW;
      const p = v128.load32_splat(logits + (i << 4) + (h << 2));
      const q = v128.load32_splat(logits + (i << 4) + (h << 2), 4);
      p0 = madd(p, f32x4.add(v128.load(row), v128.load(add)), p0);
      p1 = madd(p, f32x4.add(v128.load(row, 16), v128.load(add, 16)), p1);
      p2 = madd(p, f32x4.add(v128.load(row, 32), v128.load(add, 32)), p2);
      p3 = madd(p, f32x4.add(v128.load(row, 48), v128.load(add, 48)), p3);
      q0 = madd(q, f32x4.add(v128.load(row, 64), v128.load(add, 64)), q0);
      q1 = madd(q, f32x4.add(v128.load(row, 80), v128.load(add, 80)), q1);
      q2 = madd(q, f32x4.add(v128.load(row, 96), v128.load(add, 96)), q2);
      q3 = madd(q, f32x4.add(v128.load(row, 112), v128.load(add, 112)), q3);
    }
    const acc = part + 64 + (h << 6);
    v128.store(acc, p0); v128.store(acc, p1, 16); v128.store(acc, p2, 32); v128.store(acc, p3, 48);
    v128.store(acc, q0, 64); v128.store(acc, q1, 80); v128.store(acc, q2, 96); v128.store(acc, q3, 112);
  }
}

/** From a whole row's sums to its results. PRE holds W_res h + bias before, and the whole before PReLU after. */
function finish(args: usize, v: usize, part: usize, empty: bool): void {
  const training = ptr(args, ATT) != 0;
  const sum = v128.load(part, 16);
  const inverse = empty ? f32x4.splat(0) : f32x4.div(f32x4.splat(1), sum);
  if (training) {
    v128.store(ptr(args, PEAK) + (v << 4), v128.load(part));
    v128.store(ptr(args, INVERSE) + (v << 4), inverse);
    v128.store(ptr(args, SCALED_SUM) + (v << 4), f32x4.mul(v128.load(part, 32), inverse));
  }
  const slope = ptr(args, SLOPE) == 0 ? f32x4.splat(1) : v128.load32_splat(ptr(args, SLOPE));
  const row = v * ROW;
  for (let h: usize = 0; h < 4; h++) {
    let scale = v128.shuffle<f32>(inverse, inverse, 0, 0, 0, 0);
    if (h == 1) scale = v128.shuffle<f32>(inverse, inverse, 1, 1, 1, 1);
    else if (h == 2) scale = v128.shuffle<f32>(inverse, inverse, 2, 2, 2, 2);
    else if (h == 3) scale = v128.shuffle<f32>(inverse, inverse, 3, 3, 3, 3);
    for (let j = h << 6; j < (h + 1) << 6; j += 16) {
      const att = f32x4.mul(v128.load(part + j, 64), scale);
      const pre = f32x4.add(v128.load(ptr(args, PRE) + row + j), att);
      v128.store(ptr(args, PRE) + row + j, pre);
      const negative = f32x4.lt(pre, f32x4.splat(0));
      v128.store(ptr(args, OUT) + row + j, v128.bitselect(f32x4.mul(pre, slope), pre, negative));
      if (training) {
        v128.store(ptr(args, ATT) + row + j, att);
        v128.store(ptr(args, ATT_SCALED) + row + j, f32x4.mul(v128.load(part + j, 320), scale));
      }
    }
  }
}

/** A chunk is some of the long rows (argument 3 says how many); split rows are (row, first part, parts). */
export function mergeAttention(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 3);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, SPLIT_COUNT));
  for (let i = chunk * size; i < end; i++) {
    const split = ptr(args, 2) + i * 12;
    mergeRow(ptr(args, PARTS) + <usize>load<u32>(split, 4) * PART, <usize>load<u32>(split, 8), scratch);
    finish(args, <usize>load<u32>(split), scratch, false);
  }
}

function mergeRow(first: usize, count: usize, scratch: usize): void {
  let peak = v128.load(first);
  for (let p: usize = 1; p < count; p++) peak = f32x4.max(peak, v128.load(first + p * PART));
  memory.fill(scratch, 0, PART);
  for (let p: usize = 0; p < count; p++) {
    const part = first + p * PART;
    const weight = exp4(f32x4.sub(v128.load(part), peak));
    for (let j: usize = 16; j < 48; j += 16) {
      v128.store(scratch + j, madd(v128.load(part + j), weight, v128.load(scratch + j)));
    }
    for (let h: usize = 0; h < 4; h++) {
      let w = v128.shuffle<f32>(weight, weight, 0, 0, 0, 0);
      if (h == 1) w = v128.shuffle<f32>(weight, weight, 1, 1, 1, 1);
      else if (h == 2) w = v128.shuffle<f32>(weight, weight, 2, 2, 2, 2);
      else if (h == 3) w = v128.shuffle<f32>(weight, weight, 3, 3, 3, 3);
      for (let j = (h << 6) + 64; j < (h << 6) + 128; j += 16) {
        v128.store(scratch + j, madd(v128.load(part + j), w, v128.load(scratch + j)));
        v128.store(scratch + j + ROW, madd(v128.load(part + j + ROW), w, v128.load(scratch + j + ROW)));
      }
    }
  }
  v128.store(scratch, peak);
}
