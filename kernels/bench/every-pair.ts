// Exact kNN over every pair in float32: the peer that `npm run bench -- knn` measures the search against. The package
// does not contain it; bench/every-pair.ts compiles it.

import { clearList, insertCopies, worstOf } from '../knn/nearest-list';

// The words that bench/every-pair.ts writes at `job`.
// @ts-ignore: decorator
@inline function word(job: usize, index: usize): usize {
  return <usize>load<u32>(job + (index << 2));
}

// @ts-ignore: decorator
@inline function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/**
 * Mean distances to the k nearest points by |q|² + |p|² − 2 q·p, in tiles of six queries by eight points. The queries of
 * a piece stay in the second-level cache while all points pass by. Scratch: 64 floats for a tile, then k floats and a
 * limit for each query of a piece.
 */
export function everyPair(job: usize, scratch: usize): void {
  const size = word(job, 1);
  const total = word(job, 2);
  const width = word(job, 3);
  const k = word(job, 4);
  const blockCount = word(job, 5);
  const blocks = word(job, 6);
  const halfSquares = word(job, 7);
  const multiplicity = word(job, 8);
  const stride = width << 6;
  for (;;) {
    const first = <usize>atomic.add<u32>(job, 1) * size;
    if (first >= total) return;
    const count = min<usize>(size, total - first);
    const lists = scratch + 256;
    const limits = lists + count * (k << 2);
    const queries = word(job, 9) + first * (width << 2);
    const squares = word(job, 10) + (first << 2);
    for (let q: usize = 0; q < count; q++) {
      clearList(lists + q * (k << 2), k);
      store<f32>(limits + (q << 2), -1e30);
    }
    for (let block: usize = 0; block < blockCount; block++) {
      for (let half: usize = 0; half < 64; half += 32) {
        const at = blocks + block * stride + half;
        const halves = halfSquares + (block << 6) + half;
        const copies = multiplicity + (block << 6) + half;
        for (let q: usize = 0; q < count; q += 6) {
          tile(queries, q, count, width, at, halves, scratch);
          const end = min<usize>(6, count - q);
          for (let row: usize = 0; row < end; row++) {
            const limit = f32x4.splat(load<f32>(limits + ((q + row) << 2)));
            const line = scratch + (row << 5);
            let mask =
              i32x4.bitmask(f32x4.gt(v128.load(line), limit)) | (i32x4.bitmask(f32x4.gt(v128.load(line, 16), limit)) << 4);
            if (mask == 0) continue;
            const list = lists + (q + row) * (k << 2);
            const square = load<f32>(squares + ((q + row) << 2));
            while (mask != 0) {
              const lane = <usize>ctz(mask);
              mask &= mask - 1;
              const value = max<f32>(0, square - 2 * load<f32>(line + (lane << 2)));
              insertCopies(list, k, value, load<u32>(copies + (lane << 2)));
            }
            store<f32>(limits + ((q + row) << 2), (square - worstOf(list, k)) * 0.5);
          }
        }
      }
    }
    for (let q: usize = 0; q < count; q++) {
      let sum: f64 = 0;
      for (let i: usize = 0; i < k; i++) sum += sqrt<f64>(<f64>load<f32>(lists + q * (k << 2) + (i << 2)));
      store<f64>(word(job, 11) + ((first + q) << 3), sum / <f64>k);
    }
  }
}

/** Writes q·p − |p|²/2 for six queries and eight points: rows of eight floats. */
function tile(queries: usize, q: usize, count: usize, width: usize, at: usize, halves: usize, out: usize): void {
  const row = width << 2;
  const left = count - q;
  const q0 = queries + q * row;
  const q1 = left > 1 ? q0 + row : q0;
  const q2 = left > 2 ? q0 + 2 * row : q0;
  const q3 = left > 3 ? q0 + 3 * row : q0;
  const q4 = left > 4 ? q0 + 4 * row : q0;
  const q5 = left > 5 ? q0 + 5 * row : q0;
  const h = f32x4.neg(v128.load(halves));
  const g = f32x4.neg(v128.load(halves, 16));
  let a0 = h, b0 = g;
  let a1 = h, b1 = g;
  let a2 = h, b2 = g;
  let a3 = h, b3 = g;
  let a4 = h, b4 = g;
  let a5 = h, b5 = g;
  for (let d: usize = 0; d < row; d += 4, at += 64) {
    const u = v128.load(at);
    const w = v128.load(at, 16);
    let x = v128.load32_splat(q0 + d);
    a0 = madd(x, u, a0); b0 = madd(x, w, b0);
    x = v128.load32_splat(q1 + d);
    a1 = madd(x, u, a1); b1 = madd(x, w, b1);
    x = v128.load32_splat(q2 + d);
    a2 = madd(x, u, a2); b2 = madd(x, w, b2);
    x = v128.load32_splat(q3 + d);
    a3 = madd(x, u, a3); b3 = madd(x, w, b3);
    x = v128.load32_splat(q4 + d);
    a4 = madd(x, u, a4); b4 = madd(x, w, b4);
    x = v128.load32_splat(q5 + d);
    a5 = madd(x, u, a5); b5 = madd(x, w, b5);
  }
  v128.store(out, a0); v128.store(out, b0, 16);
  v128.store(out, a1, 32); v128.store(out, b1, 48);
  v128.store(out, a2, 64); v128.store(out, b2, 80);
  v128.store(out, a3, 96); v128.store(out, b3, 112);
  v128.store(out, a4, 128); v128.store(out, b4, 144);
  v128.store(out, a5, 160); v128.store(out, b5, 176);
}
