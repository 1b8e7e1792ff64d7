// The gradient of folded attention (fold.ts). For an entry u → v into a folded row, with g_k = W_k dout_k of v:
//
//   dα_k = dout_k·(W_kᵀ h_u + c_ρ) = g_k·h_u + dout_k·c_ρ          dh_u = Σ_v Σ_k α_k g_k + Â (ds_u, dd_u)
//
// dW is the sum of three terms: from the sums that folded rows kept, from dz, and from dÂ = Σ_u h_u ⊗ (ds_u, dd_u). As in
// attention-grad.ts and attention-scores.ts, everything up to dÂ is in float64.

import {
  B, FLUSH, HALF, NEIGHBOURS, PARTS, RECORDS, RELATIONS, S, SPLIT_COUNT, SUMS as Z_SUMS, TABLES, WEIGHT, WEIGHTS,
  gradEntries, weighEntry,
} from './attention-grad';
import { FOUR, lastEntry, scoreSegment } from './attention-scores';
import { high, low, madd2, narrow, sumDoubles, sumOfEach, wide } from './float64';
import { SUMS } from './fold';
import { multiplyHeads } from './gemm';
import {
  BATCH, H, NONE, ROW, clearRow, copy, copyRow, flush, madd, ptr, sumPartsOfRow, touchEach, word,
} from './simd';

/** dout_k·c_ρ of each folded row and relation, in float64. Arguments: rows, rows per chunk, dout, c, relations, out. */
export function foldRelations(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  const relations = <usize>word(args, 4);
  let to = ptr(args, 5) + chunk * size * relations * FOUR;
  for (let v = chunk * size; v < end; v++) {
    const dout = ptr(args, 2) + v * ROW;
    for (let rho: usize = 0; rho < relations; rho++, to += FOUR) {
      const c = ptr(args, 3) + rho * ROW;
      v128.store(to, sumOfEach(headProduct2(dout, c), headProduct2(dout + 64, c + 64)));
      v128.store(to, sumOfEach(headProduct2(dout + 128, c + 128), headProduct2(dout + 192, c + 192)), 16);
    }
  }
}

/** The 16 products of one head of two rows, summed to two float64 numbers. */
// @ts-ignore: decorator
@inline function headProduct2(a: usize, b: usize): v128 {
  let p = f64x2.mul(wide(a), wide(b));
  for (let j: usize = 8; j < 64; j += 8) p = madd2(wide(a + j), wide(b + j), p);
  return p;
}

// Arguments of foldGrad and mergeFoldGrad: those of attendGrad (a part has one row for Σ α dout and one for Σ α g); the end
// of the entries into folded rows, which come first in each row; the number of rows with a z; h; g; the result of
// foldRelations; Σ α g.
const FOLDED_ENDS = 19, PROJECTED = 20, X = 21, G = 22, OF_RELATIONS = 23, X_SUMS = 24;

/** By source, as attendGrad: Σ α dout over entries into unfolded rows, Σ α g over entries into folded rows, and α and dα of both. */
export function foldGrad(args: usize, chunk: usize, scratch: usize): void {
  const bounds = ptr(args, 1);
  const last = <usize>load<u32>(bounds + (chunk << 2), 4);
  const bytes: usize = 2 * <usize>word(args, HALF) * ROW;
  const table = ptr(args, TABLES) + chunk * bytes;
  memory.fill(table, 0, bytes);
  const dc = scratch;
  memory.fill(dc, 0, bytes);
  let added: usize = 0;
  for (let i = <usize>load<u32>(bounds + (chunk << 2)); i < last; i++) {
    const segment = ptr(args, 0) + (i << 4);
    const u = <usize>load<u32>(segment);
    const start = <usize>load<u32>(segment, 4), end = <usize>load<u32>(segment, 8);
    const at = load<u32>(segment, 12);
    const foldedEnd = min<usize>(end, max<usize>(start, <usize>load<u32>(ptr(args, FOLDED_ENDS) + (u << 2))));
    const part = ptr(args, PARTS) + <usize>at * 2 * ROW;
    const xSums = at == NONE ? ptr(args, X_SUMS) + u * ROW : part + ROW;
    clearRow(xSums);
    if (foldedEnd - start <= BATCH) foldBatch(args, u, start, foldedEnd - start, xSums, scratch + bytes);
    else {
      const some = scratch + bytes + 16;
      clearRow(some);
      for (let e = start; e < foldedEnd; e += BATCH) {
        foldBatch(args, u, e, min<usize>(BATCH, foldedEnd - e), some, scratch + bytes);
        flush(some, ROW, xSums);
      }
    }
    if (u >= <usize>word(args, PROJECTED)) continue;
    const zSums = at == NONE ? ptr(args, Z_SUMS) + u * ROW : part;
    clearRow(zSums);
    added += gradEntries(args, u, foldedEnd, end, zSums, dc, scratch + bytes);
    if (added < FLUSH) continue;
    flush(dc, bytes, table);
    added = 0;
  }
  flush(dc, bytes, table);
}

/** Up to BATCH entries out of u into folded rows. */
function foldBatch(args: usize, u: usize, start: usize, count: usize, sums: usize, alpha: usize): void {
  const neighbours = ptr(args, NEIGHBOURS) + (start << 2);
  const relations = ptr(args, RELATIONS) + (start << 2);
  const half = <usize>word(args, HALF);
  const s = v128.load(ptr(args, S) + (u << 4));
  const s0 = low(s), s1 = high(s);
  const x = ptr(args, X) + u * ROW;
  touchEach(neighbours, count, ptr(args, RECORDS), 64);
  for (let i: usize = 0; i < count; i++) {
    const v = <usize>load<u32>(neighbours + (i << 2));
    const listed = <usize>load<u32>(relations + (i << 2));
    const rho = listed < half ? listed + half : listed - half;
    const b = v128.load(ptr(args, B) + (rho << 4));
    const weight = ptr(args, WEIGHTS) + (start + i) * WEIGHT;
    const record = ptr(args, RECORDS) + (v << 6);
    weighEntry(f64x2.add(s0, low(b)), f64x2.add(s1, high(b)), record, weight, alpha);
    const ofRelation = ptr(args, OF_RELATIONS) + (v * 2 * half + rho) * FOUR;
    foldEntry(ptr(args, G) + v * SUMS, x, alpha, ofRelation, sums, weight);
  }
}

/** sums += Σ_k α_k g_k, and dα_k = g_k·x + dout_k·c_ρ. */
function foldEntry(g: usize, x: usize, alpha: usize, ofRelation: usize, sums: usize, weight: usize): void {
  const a0 = v128.load32_splat(alpha), a1 = v128.load32_splat(alpha, 4);
  const a2 = v128.load32_splat(alpha, 8), a3 = v128.load32_splat(alpha, 12);
  const zero = f64x2.splat(0);
  let p0 = zero, p1 = zero, p2 = zero, p3 = zero;
  let q0 = zero, q1 = zero, q2 = zero, q3 = zero;
  for (let j: usize = 0; j < ROW; j += 16) {
    const row = v128.load(x + j);
    const x0 = low(row), x1 = high(row);
    let g0 = v128.load(g + j);
    let sum = madd(a0, g0, v128.load(sums + j));
    p0 = madd2(low(g0), x0, p0); q0 = madd2(high(g0), x1, q0);
    g0 = v128.load(g + j, 256);
    sum = madd(a1, g0, sum);
    p1 = madd2(low(g0), x0, p1); q1 = madd2(high(g0), x1, q1);
    g0 = v128.load(g + j, 512);
    sum = madd(a2, g0, sum);
    p2 = madd2(low(g0), x0, p2); q2 = madd2(high(g0), x1, q2);
    g0 = v128.load(g + j, 768);
    sum = madd(a3, g0, sum);
    p3 = madd2(low(g0), x0, p3); q3 = madd2(high(g0), x1, q3);
    v128.store(sums + j, sum);
  }
  const first = sumOfEach(f64x2.add(p0, q0), f64x2.add(p1, q1));
  const second = sumOfEach(f64x2.add(p2, q2), f64x2.add(p3, q3));
  v128.store(weight, f64x2.add(first, v128.load(ofRelation)), 32);
  v128.store(weight, f64x2.add(second, v128.load(ofRelation, 16)), 48);
}

/** Merges the parts of split rows. Argument 3 is the number of split rows per chunk. */
export function mergeFoldGrad(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 3);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, SPLIT_COUNT));
  for (let i = chunk * size; i < end; i++) {
    const split = ptr(args, 2) + i * 12;
    const u = <usize>load<u32>(split);
    sumPartsOfRow(ptr(args, PARTS) + <usize>load<u32>(split, 4) * 2 * ROW, <usize>load<u32>(split, 8), 2 * ROW, scratch);
    copyRow(ptr(args, X_SUMS) + u * ROW, scratch + ROW);
    if (u < <usize>word(args, PROJECTED)) copyRow(ptr(args, Z_SUMS) + u * ROW, scratch);
  }
}

// Arguments of foldScoresGrad and mergeFoldScores. Those that scoreSegment reads are the same as of attendScores.
const DD = 8, AT_PARTS = 9, AT_TABLES = 10, SCORE_HALF = 16, FIRST_TABLE = 17, SCORE_SPLIT_COUNT = 18;
/** h, which its gradient replaces; Σ α g; Âᵀ. */
const DX = 11, SUMS_OF_X = 12, TRANSPOSED = 13;
/** Rows that are finished together, so that dÂ is loaded once: their numbers, then ds and dd in float64. */
const TOGETHER: usize = 32;
const FACTORS: usize = 4 * TOGETHER;
const FACTOR: usize = 2 * FOUR;
/** Offset of ds of a segment, after the factors. */
const OWN: usize = FACTORS + TOGETHER * FACTOR;

/** Bytes of the table of a chunk, in float64: db (2R × 4), dÂ (H × 8). */
function tableBytes(args: usize): usize {
  return 2 * <usize>word(args, SCORE_HALF) * FOUR + H * FACTOR;
}

/** ds of each source, and dh, db and dÂ. Arguments: segments, chunk bounds, split rows, split rows per chunk, then as above. */
export function foldScoresGrad(args: usize, chunk: usize, scratch: usize): void {
  const bounds = ptr(args, 1);
  const last = <usize>load<u32>(bounds + (chunk << 2), 4);
  const bytes = tableBytes(args);
  const table = ptr(args, AT_TABLES) + chunk * bytes;
  memory.fill(table, 0, bytes);
  let held: usize = 0;
  for (let i = <usize>load<u32>(bounds + (chunk << 2)); i < last; i++) {
    const segment = ptr(args, 0) + (i << 4);
    const at = load<u32>(segment, 12);
    const ds = at == NONE ? scratch + OWN : ptr(args, AT_PARTS) + <usize>at * FOUR;
    scoreSegment(args, <usize>load<u32>(segment, 4), <usize>load<u32>(segment, 8), lastEntry(args, last), table, ds);
    if (at != NONE) continue;
    hold(args, <usize>load<u32>(segment), ds, scratch, held);
    if (++held < TOGETHER) continue;
    finishTogether(args, held, scratch, table);
    held = 0;
  }
  finishTogether(args, held, scratch, table);
}

/** Merges the parts of split rows. Argument 3 is the number of split rows per chunk. The tables follow those of foldScoresGrad. */
export function mergeFoldScores(args: usize, chunk: usize, scratch: usize): void {
  const bytes = tableBytes(args);
  const table = ptr(args, AT_TABLES) + (<usize>word(args, FIRST_TABLE) + chunk) * bytes;
  memory.fill(table, 0, bytes);
  const size = <usize>word(args, 3);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, SCORE_SPLIT_COUNT));
  let held: usize = 0;
  for (let i = chunk * size; i < end; i++) {
    const split = ptr(args, 2) + i * 12;
    sumDoubles(ptr(args, AT_PARTS) + <usize>load<u32>(split, 4) * FOUR, <usize>load<u32>(split, 8), FOUR, scratch + OWN);
    hold(args, <usize>load<u32>(split), scratch + OWN, scratch, held);
    if (++held < TOGETHER) continue;
    finishTogether(args, held, scratch, table);
    held = 0;
  }
  finishTogether(args, held, scratch, table);
}

function hold(args: usize, u: usize, ds: usize, scratch: usize, at: usize): void {
  store<u32>(scratch + (at << 2), <u32>u);
  const to = scratch + FACTORS + at * FACTOR;
  copy(to, ds, FOUR);
  copy(to + FOUR, ptr(args, DD) + u * FOUR, FOUR);
}

/** dÂ += Σ h ⊗ (ds, dd), two rows at a time; then dh = Σ α g + Â (ds, dd), which replaces h. */
function finishTogether(args: usize, count: usize, scratch: usize, table: usize): void {
  const rows = ptr(args, DX);
  const factors = scratch + FACTORS;
  const da = table + 2 * <usize>word(args, SCORE_HALF) * FOUR;
  for (let j: usize = 0; j < H; j += 2) {
    const to = da + j * FACTOR;
    let p0 = v128.load(to), p1 = v128.load(to, 16), p2 = v128.load(to, 32), p3 = v128.load(to, 48);
    let q0 = v128.load(to, 64), q1 = v128.load(to, 80), q2 = v128.load(to, 96), q3 = v128.load(to, 112);
    let factor = factors;
    for (let i: usize = 0; i < count; i++, factor += FACTOR) {
      const x = wide(rows + <usize>load<u32>(scratch + (i << 2)) * ROW + (j << 2));
      const x0 = v128.shuffle<f64>(x, x, 0, 0), x1 = v128.shuffle<f64>(x, x, 1, 1);
      let f = v128.load(factor);
      p0 = madd2(x0, f, p0); q0 = madd2(x1, f, q0);
      f = v128.load(factor, 16);
      p1 = madd2(x0, f, p1); q1 = madd2(x1, f, q1);
      f = v128.load(factor, 32);
      p2 = madd2(x0, f, p2); q2 = madd2(x1, f, q2);
      f = v128.load(factor, 48);
      p3 = madd2(x0, f, p3); q3 = madd2(x1, f, q3);
    }
    v128.store(to, p0); v128.store(to, p1, 16); v128.store(to, p2, 32); v128.store(to, p3, 48);
    v128.store(to, q0, 64); v128.store(to, q1, 80); v128.store(to, q2, 96); v128.store(to, q3, 112);
  }
  for (let i: usize = 0; i < count; i++) {
    const u = <usize>load<u32>(scratch + (i << 2));
    projectScores(ptr(args, SUMS_OF_X) + u * ROW, factors + i * FACTOR, ptr(args, TRANSPOSED), rows + u * ROW);
  }
}

/** out = sums + Â·factors. */
function projectScores(sums: usize, factors: usize, transposed: usize, out: usize): void {
  const s = narrow(v128.load(factors), v128.load(factors, 16));
  const d = narrow(v128.load(factors, 32), v128.load(factors, 48));
  const s0 = v128.shuffle<f32>(s, s, 0, 0, 0, 0), s1 = v128.shuffle<f32>(s, s, 1, 1, 1, 1);
  const s2 = v128.shuffle<f32>(s, s, 2, 2, 2, 2), s3 = v128.shuffle<f32>(s, s, 3, 3, 3, 3);
  const d0 = v128.shuffle<f32>(d, d, 0, 0, 0, 0), d1 = v128.shuffle<f32>(d, d, 1, 1, 1, 1);
  const d2 = v128.shuffle<f32>(d, d, 2, 2, 2, 2), d3 = v128.shuffle<f32>(d, d, 3, 3, 3, 3);
  for (let j: usize = 0; j < ROW; j += 16) {
    const a = transposed + j;
    let sum = madd(s0, v128.load(a), v128.load(sums + j));
    let other = f32x4.mul(d0, v128.load(a, 1024));
    sum = madd(s1, v128.load(a, 256), sum);
    other = madd(d1, v128.load(a, 1280), other);
    sum = madd(s2, v128.load(a, 512), sum);
    other = madd(d2, v128.load(a, 1536), other);
    sum = madd(s3, v128.load(a, 768), sum);
    other = madd(d3, v128.load(a, 1792), other);
    v128.store(out + j, f32x4.add(sum, other));
  }
}

/** The part of a chunk in Σ (Σ α h)_k ⊗ dout_k over folded rows. Arguments: rows, rows per chunk, Σ α h, dout, parts. */
export function foldGradWeights(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const start = chunk * size;
  const count = min<usize>(size, <usize>word(args, 0) - start);
  const part = ptr(args, 4) + chunk * H * ROW;
  memory.fill(part, 0, H * ROW);
  multiplyHeads(ptr(args, 2) + start * SUMS, SUMS, ptr(args, 3) + start * ROW, count, part);
}

/**
 * dW += dÂ_s ⊗ a_s + dÂ_d ⊗ a_d per head, and da = Wᵀ dÂ.
 * Arguments: tables, number of tables, bytes per table, offset of dÂ, W, a_s, a_d, dW, da_s, da_d.
 */
export function foldWeightsGrad(args: usize, chunk: usize, scratch: usize): void {
  const bytes = <usize>word(args, 2);
  for (let i: usize = 0; i < H * FACTOR; i += 16) {
    let sum = f64x2.splat(0);
    let from = ptr(args, 0) + <usize>word(args, 3) + i;
    for (let t: u32 = 0; t < word(args, 1); t++, from += bytes) sum = f64x2.add(sum, v128.load(from));
    v128.store(scratch + i, sum);
  }
  for (let i: usize = 0; i < H; i++) {
    const at = i << 2;
    const head = (i >> 4) << 3;
    const source = <f64>load<f32>(ptr(args, 5) + at), target = <f64>load<f32>(ptr(args, 6) + at);
    let ofSource: f64 = 0, ofTarget: f64 = 0;
    for (let j: usize = 0; j < H; j++) {
      const s = load<f64>(scratch + j * FACTOR + head), d = load<f64>(scratch + j * FACTOR + head, FOUR);
      const w = <f64>load<f32>(ptr(args, 4) + j * ROW + at);
      ofSource += w * s;
      ofTarget += w * d;
      const to = ptr(args, 7) + j * ROW + at;
      store<f32>(to, <f32>(<f64>load<f32>(to) + source * s + target * d));
    }
    store<f32>(ptr(args, 8) + at, <f32>ofSource);
    store<f32>(ptr(args, 9) + at, <f32>ofTarget);
  }
}
