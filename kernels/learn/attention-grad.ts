// Relation-aware attention, backward. The graph is bidirectional, so the entries into u are also, with their relation
// reversed, the entries out of u: the gradient of a gather is a gather over the same rows, and nothing is scattered.

import { BATCH, NONE, ROW, addHeadScaledRow, addTo, exp4, headDots, madd, ptr, sumEach, sumPartsOfRow, touch, touchLines, word } from './simd';

/** A part of a long row: Σ α dout, then Σ g. */
const PART: usize = ROW + 16;

/**
 * What a source needs to know of a destination, in one cache line (d, peak, 1/sum, dout·out), and the gradient dd of the
 * destination's own score. Arguments: rows, rows per chunk, dout, att, attλ, d, peak, inverse, records, dd.
 */
export function attendPrepare(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  for (let v = chunk * size; v < end; v++) {
    const dout = ptr(args, 2) + v * ROW;
    const inner = headDots(dout, ptr(args, 3) + v * ROW);
    v128.store(ptr(args, 9) + (v << 4), headDots(dout, ptr(args, 4) + v * ROW));
    const record = ptr(args, 8) + (v << 6);
    v128.store(record, v128.load(ptr(args, 5) + (v << 4)));
    v128.store(record, v128.load(ptr(args, 6) + (v << 4)), 16);
    v128.store(record, v128.load(ptr(args, 7) + (v << 4)), 32);
    v128.store(record, inner, 48);
  }
}

// Arguments of attendGrad and mergeAttentionGrad, after the work list in 0 to 3.
const NEIGHBOURS = 4, RELATIONS = 5, Z = 6, S = 7, B = 8, C = 9, A_S = 10, A_D = 11;
const DOUT = 12, RECORDS = 13, DD = 14, DZ = 15, PARTS = 16, TABLES = 17, HALF = 18, FIRST_TABLE = 19, SPLIT_COUNT = 20;
/** The rows are those of the forward pass, so their relations must be reversed; otherwise they are listed by source. */
const REVERSED = 21;

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
  memory.fill(part, 0, PART);
  for (let e = start; e < end; e += BATCH) {
    const count = min<usize>(BATCH, end - e);
    touch(neighbours + (e << 2), count, ptr(args, DOUT));
    touchLines(neighbours + (e << 2), count, ptr(args, RECORDS));
    gradBatch(args, u, e, count, part, table);
  }
}

/** Up to BATCH entries out of u: α of each, then head by head Σ α dout and the products dα is made of, then g. */
function gradBatch(args: usize, u: usize, start: usize, count: usize, part: usize, table: usize): void {
  const neighbours = ptr(args, NEIGHBOURS) + (start << 2);
  const relations = ptr(args, RELATIONS) + (start << 2);
  const half = <usize>word(args, HALF);
  const reversed = word(args, REVERSED) != 0;
  const db = table + 2 * half * ROW;
  const s = v128.load(ptr(args, S) + (u << 4));
  const z = ptr(args, Z) + u * ROW;
  const alphas = part + PART;
  const slopes = alphas + (BATCH << 4);
  const products = slopes + (BATCH << 4);
  let first: usize = 0;
  let total = v128.load(part, 256);
  while (first < count) {
    const listed = <usize>load<u32>(relations + (first << 2));
    let last = first + 1;
    while (last < count && <usize>load<u32>(relations + (last << 2)) == listed) last++;
    const rho = reversed ? (listed < half ? listed + half : listed - half) : listed;
    const base = f32x4.add(s, v128.load(ptr(args, B) + (rho << 4)));
    const records = ptr(args, RECORDS);
    for (let i = first; i < last; i++) {
      const record = records + (<usize>load<u32>(neighbours + (i << 2)) << 6);
      const raw = f32x4.add(base, v128.load(record));
      const l = f32x4.pmax(raw, f32x4.mul(raw, f32x4.splat(0.2)));
      v128.store(alphas + (i << 4), f32x4.mul(exp4(f32x4.sub(l, v128.load(record, 16))), v128.load(record, 32)));
      const positive = f32x4.gt(raw, f32x4.splat(0));
      v128.store(slopes + (i << 4), v128.bitselect(f32x4.splat(1), f32x4.splat(0.2), positive));
    }
    gradRun(neighbours, first, last, z, ptr(args, C) + rho * ROW, ptr(args, DOUT), alphas, products, part, table + rho * ROW);
    let sum = f32x4.splat(0);
    for (let i = first; i < last; i++) {
      const product = products + (i << 6);
      const dAlpha = sumEach(
        v128.load(product), v128.load(product, 16), v128.load(product, 32), v128.load(product, 48),
      );
      const inner = v128.load(records + (<usize>load<u32>(neighbours + (i << 2)) << 6), 48);
      const g = f32x4.mul(v128.load(alphas + (i << 4)), f32x4.sub(dAlpha, inner));
      sum = f32x4.add(sum, f32x4.mul(g, v128.load(slopes + (i << 4))));
    }
    total = f32x4.add(total, sum);
    addTo(db + (rho << 4), sum);
    first = last;
  }
  v128.store(part, total, 256);
}

/** Entries of one relation, which share y = z_u + c_ρ. */
function gradRun(
  neighbours: usize, first: usize, last: usize, z: usize, c: usize, dout: usize,
  alphas: usize, products: usize, dz: usize, dc: usize,
): void {
  for (let h: usize = 0; h < 4; h++) {
    const at = h << 6;
    const y0 = f32x4.add(v128.load(z + at), v128.load(c + at));
    const y1 = f32x4.add(v128.load(z + at, 16), v128.load(c + at, 16));
    const y2 = f32x4.add(v128.load(z + at, 32), v128.load(c + at, 32));
    const y3 = f32x4.add(v128.load(z + at, 48), v128.load(c + at, 48));
    let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0);
    for (let i = first; i < last; i++) {
      const row = dout + <usize>load<u32>(neighbours + (i << 2)) * ROW + at;
      const alpha = v128.load32_splat(alphas + (i << 4) + (h << 2));
      const g0 = v128.load(row), g1 = v128.load(row, 16), g2 = v128.load(row, 32), g3 = v128.load(row, 48);
      // In the order of `headProduct`: where a row has one entry, dα − dout·out must be exactly zero.
      const p = madd(g2, y2, f32x4.mul(g0, y0));
      const q = madd(g3, y3, f32x4.mul(g1, y1));
      v128.store(products + (i << 6) + (h << 4), f32x4.add(p, q));
      s0 = madd(alpha, g0, s0);
      s1 = madd(alpha, g1, s1);
      s2 = madd(alpha, g2, s2);
      s3 = madd(alpha, g3, s3);
    }
    addTo(dz + at, s0); addTo(dz + at + 16, s1); addTo(dz + at + 32, s2); addTo(dz + at + 48, s3);
    addTo(dc + at, s0); addTo(dc + at + 16, s1); addTo(dc + at + 32, s2); addTo(dc + at + 48, s3);
  }
}

/** dz = Σ α dout + ds ⊗ a_s + dd ⊗ a_d, and this row's share of da_s and da_d; DD is 0 where destinations are other rows. */
function finish(args: usize, u: usize, part: usize, table: usize): void {
  const ds = v128.load(part, 256);
  const z = ptr(args, Z) + u * ROW;
  const dz = ptr(args, DZ) + u * ROW;
  // All that is read of z comes first: dz may stand in its place.
  const da = table + 2 * <usize>word(args, HALF) * (ROW + 16);
  addHeadScaledRow(da, z, ds);
  const dd = ptr(args, DD) == 0 ? f32x4.splat(0) : v128.load(ptr(args, DD) + (u << 4));
  if (ptr(args, DD) != 0) addHeadScaledRow(da + ROW, z, dd);
  memory.copy(dz, part, ROW);
  addHeadScaledRow(dz, ptr(args, A_S), ds);
  if (ptr(args, DD) != 0) addHeadScaledRow(dz, ptr(args, A_D), dd);
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
    sumPartsOfRow(first, <usize>load<u32>(split, 8), PART, scratch);
    finish(args, <usize>load<u32>(split), scratch, table);
  }
}

/** dz = dd ⊗ a and a chunk's part of da = Σ dd ⊗ z. Arguments: rows, rows per chunk, z, a, dd, dz, parts. */
export function scoresGrad(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  const part = ptr(args, 6) + chunk * ROW;
  memory.fill(part, 0, ROW);
  for (let v = chunk * size; v < end; v++) {
    const dd = v128.load(ptr(args, 4) + (v << 4));
    const dz = ptr(args, 5) + v * ROW;
    memory.fill(dz, 0, ROW);
    addHeadScaledRow(dz, ptr(args, 3), dd);
    addHeadScaledRow(part, ptr(args, 2) + v * ROW, dd);
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
