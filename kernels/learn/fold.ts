// Folded attention. A folded row, one of the first rows, sums h of its neighbours per head and then multiplies the sums by W,
// instead of summing z = W h. A node that only folded rows attend to then needs no z, forward or backward. Scores are
// products of h with Â, which is W times a.
//
//   Σ_u α_k (W_kᵀ h_u + c_ρ) = W_kᵀ Σ_u α_k h_u + Σ_u α_k c_ρ      s_k = a_k·W_kᵀ h = Â_k·h

import {
  ACC, C, LOGITS, NEIGHBOURS, PARTS, RUN, SPLIT_COUNT, WANTED, Z, addRows, finish, lane, mergeRow, weigh,
} from './attention';
import { rows4 } from './gemm';
import { BATCH, H, NONE, ROW, addTo, clear, madd, ptr, touch, word } from './simd';

/** Scores per node, and columns of Â: four heads as a source, four as a destination. */
const SCORES: usize = 8;
/** Bytes of the sums of h, one row per head. */
export const SUMS: usize = 4 * ROW;
/** Bytes of a part: as in attention.ts, with acc for c only, then the sums. */
const PART: usize = ACC + ROW + SUMS;

/** Computes Â, with the row stride of W, and its transpose. Arguments: W, a_s, a_d, Â, Âᵀ. */
export function foldWeights(args: usize): void {
  const to = ptr(args, 3), transposed = ptr(args, 4);
  for (let j: usize = 0; j < H; j++) {
    for (let q: usize = 0; q < SCORES; q++) {
      const head = (q & 3) << 6;
      const a = ptr(args, q < 4 ? 1 : 2) + head;
      const w = ptr(args, 0) + j * ROW + head;
      let sum: f64 = 0;
      for (let i: usize = 0; i < 64; i += 4) sum += <f64>load<f32>(a + i) * <f64>load<f32>(w + i);
      store<f32>(to + j * ROW + (q << 2), <f32>sum);
      store<f32>(transposed + q * ROW + (j << 2), <f32>sum);
    }
  }
}

/** s and d of each row. Arguments: rows, rows per chunk, h, Â, s, d. */
export function foldScores(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  for (let v = chunk * size; v < end; v += 4) {
    const left = min<usize>(4, end - v);
    const x = ptr(args, 2) + v * ROW;
    clear(scratch, 4 * 32);
    rows4(
      x, left > 1 ? x + ROW : x, left > 2 ? x + 2 * ROW : x, left > 3 ? x + 3 * ROW : x, H, ptr(args, 3),
      scratch, scratch + 32, scratch + 64, scratch + 96, 32,
    );
    for (let i: usize = 0; i < left; i++) {
      v128.store(ptr(args, 4) + ((v + i) << 4), v128.load(scratch + (i << 5)));
      v128.store(ptr(args, 5) + ((v + i) << 4), v128.load(scratch + (i << 5), 16));
    }
  }
}

// Arguments of attend, with h as Z; then W, and the address for Σ α h, which the gradient needs, or 0.
const W = 23, KEPT = 24;

export function foldAttend(args: usize, chunk: usize, scratch: usize): void {
  const bounds = ptr(args, 1);
  const last = <usize>load<u32>(bounds + (chunk << 2), 4);
  const wanted = ptr(args, WANTED);
  const part = scratch;
  for (let i = <usize>load<u32>(bounds + (chunk << 2)); i < last; i++) {
    const segment = ptr(args, 0) + (i << 4);
    const v = <usize>load<u32>(segment);
    if (wanted != 0 && load<u32>(wanted + (v << 2)) == 0) continue;
    const start = <usize>load<u32>(segment, 4);
    const end = <usize>load<u32>(segment, 8);
    const at = load<u32>(segment, 12);
    foldSegment(args, v, start, end, part, scratch + PART);
    if (at == NONE) finishFolded(args, v, part, start == end);
    else memory.copy(ptr(args, PARTS) + <usize>at * PART, part, PART);
  }
}

/** Merges the parts of split rows. Argument 3 is the number of split rows per chunk. */
export function mergeFolded(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 3);
  const wanted = ptr(args, WANTED);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, SPLIT_COUNT));
  for (let i = chunk * size; i < end; i++) {
    const split = ptr(args, 2) + i * 12;
    const v = <usize>load<u32>(split);
    if (wanted != 0 && load<u32>(wanted + (v << 2)) == 0) continue;
    mergeRow(ptr(args, PARTS) + <usize>load<u32>(split, 4) * PART, <usize>load<u32>(split, 8), PART, scratch);
    finishFolded(args, v, scratch, false);
  }
}

function foldSegment(args: usize, v: usize, start: usize, end: usize, part: usize, logits: usize): void {
  const stop = weigh(args, v, start, end, part, logits);
  const count = end - start;
  const runs = logits + count * LOGITS;
  memory.fill(part + ACC, 0, ROW + SUMS);
  const neighbours = ptr(args, NEIGHBOURS) + (start << 2);
  for (let i: usize = 0; i < count; i += BATCH) {
    const some = min<usize>(BATCH, count - i);
    touch(neighbours + (i << 2), some, ptr(args, Z));
    addByHead(neighbours + (i << 2), some, ptr(args, Z), part + ACC + ROW, logits + i * LOGITS);
  }
  addRows(runs, (stop - runs) / RUN, ptr(args, C), RUN, part + ACC, runs + 16, RUN);
}

/** sums[k] += Σ weight_k · row for each head, eight columns at a time, so that their sums stay in registers. */
function addByHead(numbers: usize, count: usize, rows: usize, sums: usize, weights: usize): void {
  for (let j: usize = 0; j < ROW; j += 32) {
    const to = sums + j;
    let p0 = f32x4.splat(0), q0 = p0, p1 = p0, q1 = p0, p2 = p0, q2 = p0, p3 = p0, q3 = p0;
    let weight = weights;
    for (let i: usize = 0; i < count; i++, weight += LOGITS) {
      const row = rows + <usize>load<u32>(numbers + (i << 2)) * ROW + j;
      const p = v128.load(row), q = v128.load(row, 16);
      let x = v128.load32_splat(weight);
      p0 = madd(x, p, p0); q0 = madd(x, q, q0);
      x = v128.load32_splat(weight, 4);
      p1 = madd(x, p, p1); q1 = madd(x, q, q1);
      x = v128.load32_splat(weight, 8);
      p2 = madd(x, p, p2); q2 = madd(x, q, q2);
      x = v128.load32_splat(weight, 12);
      p3 = madd(x, p, p3); q3 = madd(x, q, q3);
    }
    addTo(to, p0); addTo(to + 16, q0);
    addTo(to + 256, p1); addTo(to + 272, q1);
    addTo(to + 512, p2); addTo(to + 528, q2);
    addTo(to + 768, p3); addTo(to + 784, q3);
  }
}

/** acc += W_kᵀ Σ weight_k h, then as in attention.ts. Stores the sums, divided by the sums of weights, if KEPT is not 0. */
function finishFolded(args: usize, v: usize, part: usize, empty: bool): void {
  const sums = part + ACC + ROW;
  for (let k: usize = 0; k < 4; k++) {
    const acc = part + ACC + (k << 6);
    let p0 = v128.load(acc), p1 = v128.load(acc, 16), p2 = v128.load(acc, 32), p3 = v128.load(acc, 48);
    let w = ptr(args, W) + (k << 6);
    for (let j: usize = 0; j < ROW; j += 4, w += ROW) {
      const x = v128.load32_splat(sums + k * ROW + j);
      p0 = madd(x, v128.load(w), p0);
      p1 = madd(x, v128.load(w, 16), p1);
      p2 = madd(x, v128.load(w, 32), p2);
      p3 = madd(x, v128.load(w, 48), p3);
    }
    v128.store(acc, p0); v128.store(acc, p1, 16); v128.store(acc, p2, 32); v128.store(acc, p3, 48);
  }
  if (ptr(args, KEPT) != 0) {
    const inverse = empty ? f32x4.splat(0) : f32x4.div(f32x4.splat(1), v128.load(part, 16));
    const to = ptr(args, KEPT) + v * SUMS;
    for (let k: usize = 0; k < 4; k++) {
      const scale = lane(inverse, k);
      for (let j = k * ROW; j < (k + 1) * ROW; j += 16) v128.store(to + j, f32x4.mul(v128.load(sums + j), scale));
    }
  }
  finish(args, v, part, empty);
}

/** g_k = W_k dout_k of each row and head. Arguments: rows, rows per chunk, dout, Wᵀ, g. */
export function foldGradient(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  for (let v = chunk * size; v < end; v++) {
    const to = ptr(args, 4) + v * SUMS;
    memory.fill(to, 0, SUMS);
    for (let i: usize = 0; i < H; i++) {
      const x = v128.load32_splat(ptr(args, 2) + v * ROW + (i << 2));
      const w = ptr(args, 3) + i * ROW;
      const g = to + (i >> 4) * ROW;
      for (let j: usize = 0; j < ROW; j += 16) v128.store(g + j, madd(x, v128.load(w + j), v128.load(g + j)));
    }
  }
}
