// Backward pass of relation-aware attention, second part: the softmax. From α and dα of each entry (attention-grad.ts) it
// computes the gradients of scores, g = λ α (dα − S) / Σ α. λ is the slope of the LeakyReLU at the entry (1 or 0.2), and
// S = Σ α dα / Σ α over the entries into the same destination. Σ α is 1 except for rounding.
//
// These gradients cancel: over the entries of a destination with one slope they add up to zero, and an entry with nearly
// all the weight has a gradient that is a small difference of large numbers. So S is computed from the same numbers that it
// is subtracted from, and everything is in float64.

import { FLUSH, WEIGHT } from './attention-grad';
import { high, low, madd2, narrow, sumDoubles } from './float64';
import { NONE, ROW, addHeadScaledRow, clearRow, copyRow, flush, ptr, touchEach, word } from './simd';

/** Bytes of four float64 numbers, one per head. */
export const FOUR: usize = 32;
/** Bytes per destination: S, then 1 / Σ α. */
export const CENTRE: usize = 2 * FOUR;
/** Bytes of a part of a split row: per head Σ α and Σ α dα where λ is 0.2, then where λ is 1. */
const PART: usize = 4 * FOUR;
/** Entries that are prefetched together, because single rows are too short. */
const AHEAD: usize = 32;

// Arguments of attendInner and mergeInner after the work list by destination (0 to 3).
const PLACES = 4, IN_WEIGHTS = 5, INNER = 6, OWN = 7, IN_PARTS = 8, IN_SPLIT_COUNT = 9;
/** Nonzero if dd is wanted. */
const KEPT = 10;
/** The number of folded destinations, which come first (fold.ts). dc of their entries is computed here, in one table per chunk. */
const FOLDED = 11, IN_RELATIONS = 12, DOUT = 13, IN_TABLES = 14, IN_HALF = 15;

/**
 * S of each destination, and dd = Σ g, the gradient of its own score. PLACES maps each entry by destination to its position
 * by source. Arguments: segments, chunk bounds, split rows, split rows per chunk, then as above.
 */
export function attendInner(args: usize, chunk: usize, scratch: usize): void {
  const bounds = ptr(args, 1);
  const last = <usize>load<u32>(bounds + (chunk << 2), 4);
  const folded = <usize>word(args, FOLDED);
  const bytes: usize = 2 * <usize>word(args, IN_HALF) * ROW;
  const table = ptr(args, IN_TABLES) + chunk * bytes;
  const dc = scratch + PART;
  let added: usize = 0;
  if (folded != 0) {
    memory.fill(table, 0, bytes);
    memory.fill(dc, 0, bytes);
  }
  for (let i = <usize>load<u32>(bounds + (chunk << 2)); i < last; i++) {
    const segment = ptr(args, 0) + (i << 4);
    const at = load<u32>(segment, 12);
    const part = at == NONE ? scratch : ptr(args, IN_PARTS) + <usize>at * PART;
    const v = <usize>load<u32>(segment);
    const start = <usize>load<u32>(segment, 4), end = <usize>load<u32>(segment, 8);
    sumSegment(args, start, end, lastEntry(args, last), part);
    if (at == NONE) finishInner(args, v, part);
    if (v >= folded) continue;
    added += addRelations(args, v, start, end, dc);
    if (added < FLUSH) continue;
    flush(dc, bytes, table);
    added = 0;
  }
  if (folded != 0) flush(dc, bytes, table);
}

/** The end of the last segment of a chunk. */
// @ts-ignore: decorator
@inline export function lastEntry(args: usize, last: usize): usize {
  return <usize>load<u32>(ptr(args, 0) + ((last - 1) << 4), 8);
}

function sumSegment(args: usize, start: usize, end: usize, stop: usize, part: usize): void {
  const weights = ptr(args, IN_WEIGHTS);
  const zero = f64x2.splat(0);
  let a0 = zero, a1 = zero, x0 = zero, x1 = zero;
  let b0 = zero, b1 = zero, y0 = zero, y1 = zero;
  const places = ptr(args, PLACES);
  for (let e = start; e < end; e++) {
    // By entry number, so that short rows are prefetched together with the rows before them.
    if ((e & (AHEAD - 1)) == 0) touchEach(places + (e << 2), min<usize>(AHEAD, stop - e), weights, WEIGHT);
    const weight = weights + <usize>load<u32>(places + (e << 2)) * WEIGHT;
    const s0 = v128.load(weight), s1 = v128.load(weight, 16);
    const d0 = v128.load(weight, 32), d1 = v128.load(weight, 48);
    const q0 = f64x2.pmax(s0, zero), q1 = f64x2.pmax(s1, zero);
    const p0 = f64x2.sub(q0, s0), p1 = f64x2.sub(q1, s1);
    a0 = f64x2.add(a0, p0); a1 = f64x2.add(a1, p1);
    b0 = f64x2.add(b0, q0); b1 = f64x2.add(b1, q1);
    x0 = f64x2.add(x0, f64x2.mul(p0, d0)); x1 = f64x2.add(x1, f64x2.mul(p1, d1));
    y0 = f64x2.add(y0, f64x2.mul(q0, d0)); y1 = f64x2.add(y1, f64x2.mul(q1, d1));
  }
  v128.store(part, a0); v128.store(part, a1, 16);
  v128.store(part, x0, 32); v128.store(part, x1, 48);
  v128.store(part, b0, 64); v128.store(part, b1, 80);
  v128.store(part, y0, 96); v128.store(part, y1, 112);
}

/** dc of the entries of a destination, which are sorted by relation: Σ α dout with one dout for all. Returns the number of relations. */
function addRelations(args: usize, v: usize, start: usize, end: usize, dc: usize): usize {
  let runs: usize = 0;
  const weights = ptr(args, IN_WEIGHTS), places = ptr(args, PLACES), relations = ptr(args, IN_RELATIONS);
  let e = start;
  while (e < end) {
    const rho = load<u32>(relations + (e << 2));
    let sum0 = f64x2.splat(0), sum1 = f64x2.splat(0);
    do {
      const weight = weights + <usize>load<u32>(places + (e << 2)) * WEIGHT;
      sum0 = f64x2.add(sum0, f64x2.abs(v128.load(weight)));
      sum1 = f64x2.add(sum1, f64x2.abs(v128.load(weight, 16)));
      e++;
    } while (e < end && load<u32>(relations + (e << 2)) == rho);
    addHeadScaledRow(dc + <usize>rho * ROW, ptr(args, DOUT) + v * ROW, narrow(sum0, sum1));
    runs++;
  }
  return runs;
}

/** Σ λ α (dα − S) / Σ α = 0.8 (A⁻ X⁺ − A⁺ X⁻) / (A⁻ + A⁺)², which is exactly zero if all entries have one slope. */
function finishInner(args: usize, v: usize, part: usize): void {
  const inner = ptr(args, INNER) + v * CENTRE;
  const first = finishHeads(part, inner);
  const second = finishHeads(part + 16, inner + 16);
  if (word(args, KEPT) == 0) return;
  v128.store(ptr(args, OWN) + v * FOUR, first);
  v128.store(ptr(args, OWN) + v * FOUR, second, 16);
}

// @ts-ignore: decorator
@inline function finishHeads(part: usize, inner: usize): v128 {
  const a = v128.load(part), x = v128.load(part, 32), b = v128.load(part, 64), y = v128.load(part, 96);
  const sum = f64x2.add(a, b);
  // A row without entries has weight 0.
  const inverse = v128.and(f64x2.div(f64x2.splat(1), sum), f64x2.gt(sum, f64x2.splat(0)));
  v128.store(inner, f64x2.mul(f64x2.add(x, y), inverse));
  v128.store(inner, inverse, FOUR);
  const difference = f64x2.mul(f64x2.sub(f64x2.mul(a, y), f64x2.mul(b, x)), f64x2.splat(0.8));
  return f64x2.mul(f64x2.mul(difference, inverse), inverse);
}

/** Merges the parts of split rows. Argument 3 is the number of split rows per chunk. */
export function mergeInner(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 3);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, IN_SPLIT_COUNT));
  for (let i = chunk * size; i < end; i++) {
    const split = ptr(args, 2) + i * 12;
    const first = ptr(args, IN_PARTS) + <usize>load<u32>(split, 4) * PART;
    sumDoubles(first, <usize>load<u32>(split, 8), PART, scratch);
    finishInner(args, <usize>load<u32>(split), scratch);
  }
}

// Arguments of attendScores and mergeScores after the work list by source (0 to 3).
const NEIGHBOURS = 4, RELATIONS = 5, WEIGHTS = 6, S = 7, Z = 8, A_S = 9, A_D = 10, DD = 11, SUMS = 12, DZ = 13;
const PARTS = 14, TABLES = 15, HALF = 16, FIRST_TABLE = 17, SPLIT_COUNT = 18;

/** Bytes of the table of a chunk, in float64: db (2R × 4), da_s, da_d. */
function tableBytes(args: usize): usize {
  return 2 * <usize>word(args, HALF) * FOUR + 4 * ROW;
}

/** ds of each source, and dz, db and da. Arguments: segments, chunk bounds, split rows, split rows per chunk, then as above. */
export function attendScores(args: usize, chunk: usize, scratch: usize): void {
  const bounds = ptr(args, 1);
  const last = <usize>load<u32>(bounds + (chunk << 2), 4);
  const bytes = tableBytes(args);
  const table = ptr(args, TABLES) + chunk * bytes;
  memory.fill(table, 0, bytes);
  for (let i = <usize>load<u32>(bounds + (chunk << 2)); i < last; i++) {
    const segment = ptr(args, 0) + (i << 4);
    const at = load<u32>(segment, 12);
    const ds = at == NONE ? scratch : ptr(args, PARTS) + <usize>at * FOUR;
    scoreSegment(args, <usize>load<u32>(segment, 4), <usize>load<u32>(segment, 8), lastEntry(args, last), table, ds);
    if (at == NONE) finishScores(args, <usize>load<u32>(segment), ds, table);
  }
}

export function scoreSegment(args: usize, start: usize, end: usize, stop: usize, table: usize, ds: usize): void {
  const neighbours = ptr(args, NEIGHBOURS);
  const relations = ptr(args, RELATIONS);
  const inner = ptr(args, S);
  const half = <usize>word(args, HALF);
  let total0 = f64x2.splat(0), total1 = f64x2.splat(0);
  let e = start;
  while (e < end) {
    const listed = <usize>load<u32>(relations + (e << 2));
    let sum0 = f64x2.splat(0), sum1 = f64x2.splat(0);
    do {
      if ((e & (AHEAD - 1)) == 0) touchEach(neighbours + (e << 2), min<usize>(AHEAD, stop - e), inner, CENTRE);
      const weight = ptr(args, WEIGHTS) + e * WEIGHT;
      const centre = inner + <usize>load<u32>(neighbours + (e << 2)) * CENTRE;
      const s0 = v128.load(weight), s1 = v128.load(weight, 16);
      // λ α / Σ α. The sign of the stored α selects λ.
      const l0 = f64x2.mul(f64x2.pmax(s0, f64x2.mul(s0, f64x2.splat(-0.2))), v128.load(centre, FOUR));
      const l1 = f64x2.mul(f64x2.pmax(s1, f64x2.mul(s1, f64x2.splat(-0.2))), v128.load(centre, FOUR + 16));
      sum0 = f64x2.add(sum0, f64x2.mul(l0, f64x2.sub(v128.load(weight, 32), v128.load(centre))));
      sum1 = f64x2.add(sum1, f64x2.mul(l1, f64x2.sub(v128.load(weight, 48), v128.load(centre, 16))));
      e++;
    } while (e < end && <usize>load<u32>(relations + (e << 2)) == listed);
    const rho = listed < half ? listed + half : listed - half;
    const db = table + rho * FOUR;
    v128.store(db, f64x2.add(v128.load(db), sum0));
    v128.store(db, f64x2.add(v128.load(db, 16), sum1), 16);
    total0 = f64x2.add(total0, sum0);
    total1 = f64x2.add(total1, sum1);
  }
  v128.store(ds, total0);
  v128.store(ds, total1, 16);
}

/** dz = Σ α dout + ds ⊗ a_s + dd ⊗ a_d, and the share of this row in da_s and da_d. */
function finishScores(args: usize, u: usize, part: usize, table: usize): void {
  const z = ptr(args, Z) + u * ROW;
  const dz = ptr(args, DZ) + u * ROW;
  const sums = ptr(args, SUMS) + u * ROW;
  const ds = narrow(v128.load(part), v128.load(part, 16));
  // Read z first, because dz may overwrite it.
  const da = table + 2 * <usize>word(args, HALF) * FOUR;
  addOuter(da, z, part);
  const own = ptr(args, DD) + u * FOUR;
  addOuter(da + 2 * ROW, z, own);
  if (dz != sums) copyRow(dz, sums);
  addHeadScaledRow(dz, ptr(args, A_S), ds);
  addHeadScaledRow(dz, ptr(args, A_D), narrow(v128.load(own), v128.load(own, 16)));
}

/** da += factors ⊗ z per head, in float64. */
function addOuter(da: usize, z: usize, factors: usize): void {
  for (let j: usize = 0; j < ROW; j += 16) {
    const row = v128.load(z + j);
    const factor = v128.load64_splat(factors + ((j >> 6) << 3));
    const to = da + (j << 1);
    v128.store(to, madd2(low(row), factor, v128.load(to)));
    v128.store(to, madd2(high(row), factor, v128.load(to, 16)), 16);
  }
}

/** Merges the parts of split rows. Argument 3 is the number of split rows per chunk. The tables follow those of attendScores. */
export function mergeScores(args: usize, chunk: usize, scratch: usize): void {
  const bytes = tableBytes(args);
  const table = ptr(args, TABLES) + (<usize>word(args, FIRST_TABLE) + chunk) * bytes;
  memory.fill(table, 0, bytes);
  const size = <usize>word(args, 3);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, SPLIT_COUNT));
  for (let i = chunk * size; i < end; i++) {
    const split = ptr(args, 2) + i * 12;
    const first = ptr(args, PARTS) + <usize>load<u32>(split, 4) * FOUR;
    sumDoubles(first, <usize>load<u32>(split, 8), FOUR, scratch);
    finishScores(args, <usize>load<u32>(split), scratch, table);
  }
}

/** Sums float64 numbers over tables into float32. Arguments: length, first number, tables, count, bytes per table, out. */
export function sumTables(args: usize): void {
  const bytes = <usize>word(args, 4);
  const count = word(args, 3);
  for (let i: usize = 0; i < <usize>word(args, 0); i++) {
    let from = ptr(args, 2) + ((<usize>word(args, 1) + i) << 3);
    let sum: f64 = 0;
    for (let p: u32 = 0; p < count; p++, from += bytes) sum += load<f64>(from);
    store<f32>(ptr(args, 5) + (i << 2), <f32>sum);
  }
}

/** Rows per section of da: a plain running sum would lose digits. */
const SECTION: usize = 512;

/** dz += dd ⊗ a, and the part of a chunk in da = Σ dd ⊗ z. Arguments: rows, rows per chunk, z, a, dd, dz, parts. */
export function scoresGrad(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  const part = ptr(args, 6) + chunk * ROW;
  clearRow(part);
  clearRow(scratch);
  for (let start = chunk * size; start < end; start += SECTION) {
    const stop = min<usize>(start + SECTION, end);
    for (let v = start; v < stop; v++) {
      const dd = v128.load(ptr(args, 4) + (v << 4));
      addHeadScaledRow(ptr(args, 5) + v * ROW, ptr(args, 3), dd);
      addHeadScaledRow(scratch, ptr(args, 2) + v * ROW, dd);
    }
    flush(scratch, ROW, part);
  }
}
