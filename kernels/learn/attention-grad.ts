// Relation-aware attention, backward. The graph is bidirectional, so the entries into u are also, with their relation
// reversed, the entries out of u: the gradient of a gather is a gather over the same rows, and nothing is scattered.

import { NONE, ROW, addHeadScaledRow, addTo, exp4, headDots, madd, ptr, sumEach, word } from './simd';

/** A part of a long row: Σ α dout, then Σ g. */
const PART: usize = ROW + 16;

/**
 * What a source needs to know of a destination, in one cache line (d, peak, 1/sum, dout·out), and the gradient dd of the
 * destination's own score. Arguments: rows, rows per chunk, dout, att, attλ, Λ, d, peak, inverse, records, dd.
 */
export function attendPrepare(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  for (let v = chunk * size; v < end; v++) {
    const dout = ptr(args, 2) + v * ROW;
    const inner = headDots(dout, ptr(args, 3) + v * ROW);
    const scaled = headDots(dout, ptr(args, 4) + v * ROW);
    const scaledSum = v128.load(ptr(args, 5) + (v << 4));
    v128.store(ptr(args, 10) + (v << 4), f32x4.sub(scaled, f32x4.mul(scaledSum, inner)));
    const record = ptr(args, 9) + (v << 6);
    v128.store(record, v128.load(ptr(args, 6) + (v << 4)));
    v128.store(record, v128.load(ptr(args, 7) + (v << 4)), 16);
    v128.store(record, v128.load(ptr(args, 8) + (v << 4)), 32);
    v128.store(record, inner, 48);
  }
}

// Arguments of attendGrad and mergeAttentionGrad, after the work list in 0 to 3.
const NEIGHBOURS = 4, RELATIONS = 5, Z = 6, S = 7, B = 8, C = 9, A_S = 10, A_D = 11;
const DOUT = 12, RECORDS = 13, DD = 14, DZ = 15, PARTS = 16, TABLES = 17, HALF = 18, FIRST_TABLE = 19, SPLIT_COUNT = 20;

/** A chunk's table: dc (2R rows), db (2R × 4), da_s, da_d. */
function tableBytes(args: usize): usize {
  return 2 * <usize>word(args, HALF) * (ROW + 16) + 2 * ROW;
}

/** Arguments: segments, chunk bounds, split rows, split rows per chunk, then as above. */
export function attendGrad(args: usize, chunk: usize, scratch: usize): void {
  const bounds = ptr(args, 1);
  const first = <usize>load<u32>(bounds + (chunk << 2));
  const last = <usize>load<u32>(bounds + (chunk << 2), 4);
  const bytes = tableBytes(args);
  const table = ptr(args, TABLES) + chunk * bytes;
  memory.fill(table, 0, bytes);
  for (let i = first; i < last; i++) {
    const segment = ptr(args, 0) + (i << 4);
    const u = <usize>load<u32>(segment);
    const at = load<u32>(segment, 12);
    gradSegment(args, u, <usize>load<u32>(segment, 4), <usize>load<u32>(segment, 8), scratch, table);
    if (at == NONE) finish(args, u, scratch, table);
    else memory.copy(ptr(args, PARTS) + <usize>at * PART, scratch, PART);
  }
}

function gradSegment(args: usize, u: usize, start: usize, end: usize, part: usize, table: usize): void {
  const neighbours = ptr(args, NEIGHBOURS);
  const relations = ptr(args, RELATIONS);
  const half = <usize>word(args, HALF);
  const db = table + 2 * half * ROW;
  const s = v128.load(ptr(args, S) + (u << 4));
  const z = ptr(args, Z) + u * ROW;
  memory.fill(part, 0, PART);
  let total = f32x4.splat(0);
  for (let e = start; e < end; e++) {
    const w = <usize>load<u32>(neighbours + (e << 2));
    let rho = <usize>load<u32>(relations + (e << 2));
    rho = rho < half ? rho + half : rho - half;
    const record = ptr(args, RECORDS) + (w << 6);
    const raw = f32x4.add(f32x4.add(s, v128.load(record)), v128.load(ptr(args, B) + (rho << 4)));
    const l = f32x4.max(raw, f32x4.mul(raw, f32x4.splat(0.2)));
    const alpha = f32x4.mul(exp4(f32x4.sub(l, v128.load(record, 16))), v128.load(record, 32));
    const dout = ptr(args, DOUT) + w * ROW;
    const c = ptr(args, C) + rho * ROW;
    const dAlpha = sumEach(
      product(z, c, dout),
      product(z + 64, c + 64, dout + 64),
      product(z + 128, c + 128, dout + 128),
      product(z + 192, c + 192, dout + 192),
    );
    let g = f32x4.mul(alpha, f32x4.sub(dAlpha, v128.load(record, 48)));
    g = v128.bitselect(g, f32x4.mul(g, f32x4.splat(0.2)), f32x4.gt(raw, f32x4.splat(0)));
    total = f32x4.add(total, g);
    addTo(db + (rho << 4), g);
    const dc = table + rho * ROW;
    addBoth(part, dc, dout, v128.shuffle<f32>(alpha, alpha, 0, 0, 0, 0));
    addBoth(part + 64, dc + 64, dout + 64, v128.shuffle<f32>(alpha, alpha, 1, 1, 1, 1));
    addBoth(part + 128, dc + 128, dout + 128, v128.shuffle<f32>(alpha, alpha, 2, 2, 2, 2));
    addBoth(part + 192, dc + 192, dout + 192, v128.shuffle<f32>(alpha, alpha, 3, 3, 3, 3));
  }
  v128.store(part, total, 256);
}

/** Σ (z + c) · dout over one head, as one vector. */
// @ts-ignore: decorator
@inline function product(z: usize, c: usize, dout: usize): v128 {
  let p = f32x4.mul(f32x4.add(v128.load(z), v128.load(c)), v128.load(dout));
  let q = f32x4.mul(f32x4.add(v128.load(z, 16), v128.load(c, 16)), v128.load(dout, 16));
  p = madd(f32x4.add(v128.load(z, 32), v128.load(c, 32)), v128.load(dout, 32), p);
  q = madd(f32x4.add(v128.load(z, 48), v128.load(c, 48)), v128.load(dout, 48), q);
  return f32x4.add(p, q);
}

// @ts-ignore: decorator
@inline function addBoth(dz: usize, dc: usize, dout: usize, alpha: v128): void {
  let m = f32x4.mul(v128.load(dout), alpha);
  v128.store(dz, f32x4.add(v128.load(dz), m));
  v128.store(dc, f32x4.add(v128.load(dc), m));
  m = f32x4.mul(v128.load(dout, 16), alpha);
  v128.store(dz, f32x4.add(v128.load(dz, 16), m), 16);
  v128.store(dc, f32x4.add(v128.load(dc, 16), m), 16);
  m = f32x4.mul(v128.load(dout, 32), alpha);
  v128.store(dz, f32x4.add(v128.load(dz, 32), m), 32);
  v128.store(dc, f32x4.add(v128.load(dc, 32), m), 32);
  m = f32x4.mul(v128.load(dout, 48), alpha);
  v128.store(dz, f32x4.add(v128.load(dz, 48), m), 48);
  v128.store(dc, f32x4.add(v128.load(dc, 48), m), 48);
}

/** dz = Σ α dout + ds ⊗ a_s + dd ⊗ a_d, and this row's share of da_s and da_d. */
function finish(args: usize, u: usize, part: usize, table: usize): void {
  const ds = v128.load(part, 256);
  const dd = v128.load(ptr(args, DD) + (u << 4));
  const z = ptr(args, Z) + u * ROW;
  const dz = ptr(args, DZ) + u * ROW;
  memory.copy(dz, part, ROW);
  addHeadScaledRow(dz, ptr(args, A_S), ds);
  addHeadScaledRow(dz, ptr(args, A_D), dd);
  const da = table + 2 * <usize>word(args, HALF) * (ROW + 16);
  addHeadScaledRow(da, z, ds);
  addHeadScaledRow(da + ROW, z, dd);
}

/** A chunk is some of the long rows (argument 3 says how many); its table comes after those of attendGrad. */
export function mergeAttentionGrad(args: usize, chunk: usize, scratch: usize): void {
  const bytes = tableBytes(args);
  const table = ptr(args, TABLES) + (<usize>word(args, FIRST_TABLE) + chunk) * bytes;
  memory.fill(table, 0, bytes);
  const size = <usize>word(args, 3);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, SPLIT_COUNT));
  for (let i = chunk * size; i < end; i++) {
    const split = ptr(args, 2) + i * 12;
    const first = ptr(args, PARTS) + <usize>load<u32>(split, 4) * PART;
    memory.fill(scratch, 0, PART);
    for (let p: usize = 0; p < <usize>load<u32>(split, 8); p++) {
      for (let j: usize = 0; j < PART; j += 16) addTo(scratch + j, v128.load(first + p * PART + j));
    }
    finish(args, <usize>load<u32>(split), scratch, table);
  }
}

/** dh → dpre in place, and a chunk's Σ dh·pre where pre < 0. Arguments: rows, rows per chunk, dh, pre, slope, parts. */
export function preluGrad(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const start = chunk * size * ROW;
  const end = min<usize>(start + size * ROW, <usize>word(args, 0) * ROW);
  const slope = v128.load32_splat(ptr(args, 4));
  let sum = f32x4.splat(0);
  for (let i = start; i < end; i += 16) {
    const dh = v128.load(ptr(args, 2) + i);
    const pre = v128.load(ptr(args, 3) + i);
    const negative = f32x4.lt(pre, f32x4.splat(0));
    sum = f32x4.add(sum, v128.and(f32x4.mul(dh, pre), negative));
    v128.store(ptr(args, 2) + i, v128.bitselect(f32x4.mul(dh, slope), dh, negative));
  }
  v128.store(ptr(args, 5) + (chunk << 4), sum);
}
