// Products with a matrix V of four columns, one per head (method §4, `rgat`): d of a (node, ρ) is h·V with V = W a_d, which
// costs a sixteenth of z = h·W. Rows of x are dense (the layers after the first) or sparse (the first, see sparse.ts).

import { H, ROW, addTo, clear, flush, madd, ptr, sumLanes, word } from './simd';

/** Bytes of a row of V, and of a result. */
const FOUR: usize = 16;
/** Rows per section of a sum over rows: a plain running sum would lose digits. */
const SECTION: usize = 512;

// @ts-ignore: decorator
@inline function nodeOf(index: usize, v: usize): usize {
  return index == 0 ? v : <usize>load<u32>(index + (v << 2));
}

/** out = x·V. Arguments: rows, rows per chunk, x, V, out, index or 0. */
export function headLinear(args: usize, chunk: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  const V = ptr(args, 3);
  for (let v = chunk * size; v < end; v++) {
    const x = ptr(args, 2) + nodeOf(ptr(args, 5), v) * ROW;
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    for (let k: usize = 0; k < H; k += 4) {
      const row = V + k * FOUR, at = x + (k << 2);
      s0 = madd(v128.load32_splat(at), v128.load(row), s0);
      s1 = madd(v128.load32_splat(at, 4), v128.load(row, 16), s1);
      s2 = madd(v128.load32_splat(at, 8), v128.load(row, 32), s2);
      s3 = madd(v128.load32_splat(at, 12), v128.load(row, 48), s3);
    }
    v128.store(ptr(args, 4) + v * FOUR, f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3)));
  }
}

/** The part of a chunk in xᵀ·dOut. Arguments: rows, rows per chunk, x, dOut, parts, index or 0. */
export function headLinearGrad(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  const part = ptr(args, 4) + chunk * H * FOUR;
  clear(part, H * FOUR);
  clear(scratch, H * FOUR);
  for (let start = chunk * size; start < end; start += SECTION) {
    const stop = min<usize>(start + SECTION, end);
    let v = start;
    for (; v + 1 < stop; v += 2) {
      const x = ptr(args, 2) + nodeOf(ptr(args, 5), v) * ROW;
      const y = ptr(args, 2) + nodeOf(ptr(args, 5), v + 1) * ROW;
      const p = v128.load(ptr(args, 3) + v * FOUR), q = v128.load(ptr(args, 3) + v * FOUR, 16);
      for (let k: usize = 0; k < ROW; k += 4) {
        const to = scratch + (k << 2);
        const sum = madd(v128.load32_splat(x + k), p, v128.load(to));
        v128.store(to, madd(v128.load32_splat(y + k), q, sum));
      }
    }
    if (v < stop) {
      const x = ptr(args, 2) + nodeOf(ptr(args, 5), v) * ROW;
      const p = v128.load(ptr(args, 3) + v * FOUR);
      for (let k: usize = 0; k < ROW; k += 4) {
        const to = scratch + (k << 2);
        v128.store(to, madd(v128.load32_splat(x + k), p, v128.load(to)));
      }
    }
    flush(scratch, H * FOUR, part);
  }
}

/** dx += dOut·Vᵀ. Arguments: rows, rows per chunk, dOut, V, dx. */
export function headGradInput(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  for (let k: usize = 0; k < H; k++) {
    const row = ptr(args, 3) + k * FOUR;
    for (let h: usize = 0; h < 4; h++) store<f32>(scratch + h * ROW + (k << 2), load<f32>(row + (h << 2)));
  }
  for (let v = chunk * size; v < end; v++) {
    const from = ptr(args, 2) + v * FOUR;
    const g0 = v128.load32_splat(from), g1 = v128.load32_splat(from, 4);
    const g2 = v128.load32_splat(from, 8), g3 = v128.load32_splat(from, 12);
    const dx = ptr(args, 4) + v * ROW;
    for (let j: usize = 0; j < ROW; j += 16) {
      const row = scratch + j;
      let sum = madd(g0, v128.load(row), f32x4.mul(g1, v128.load(row, 256)));
      sum = madd(g2, v128.load(row, 512), madd(g3, v128.load(row, 768), sum));
      addTo(dx + j, sum);
    }
  }
}

/** The product of x_[M]. Arguments: D, token, V, out. */
export function tokenHeads(args: usize): void {
  let sum = f32x4.splat(0);
  for (let d: usize = 0; d < <usize>word(args, 0); d++) {
    sum = madd(v128.load32_splat(ptr(args, 1) + (d << 2)), v128.load(ptr(args, 2) + d * FOUR), sum);
  }
  v128.store(ptr(args, 3), sum);
}

// Arguments 2 to 7 of the kernels of sparse rows describe x, as in sparse.ts.
const DENSE = 2, WIDTH = 3, COLUMNS = 4, OFFSETS = 5, INDICES = 6, VALUES = 7, MASKED = 8;

// @ts-ignore: decorator
@inline function isMasked(args: usize, node: usize): bool {
  return ptr(args, MASKED) != 0 && load<u32>(ptr(args, MASKED) + (node << 2)) != 0;
}

/** out = x·V. Arguments: rows, rows per chunk, x (6), masked or 0, token's product, V, out, index or 0. */
export function sparseHeads(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  const width = <usize>word(args, WIDTH);
  const V = ptr(args, 10);
  for (let k: usize = 0; k < width; k++) {
    const column = <usize>load<u32>(ptr(args, COLUMNS) + (k << 2));
    v128.store(scratch + k * FOUR, v128.load(V + column * FOUR));
  }
  for (let v = chunk * size; v < end; v++) {
    const node = nodeOf(ptr(args, 12), v);
    const out = ptr(args, 11) + v * FOUR;
    if (isMasked(args, node)) {
      v128.store(out, v128.load(ptr(args, 9)));
      continue;
    }
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    const x = ptr(args, DENSE) + node * (width << 2);
    for (let k: usize = 0; k < width; k += 4) {
      const row = scratch + k * FOUR, at = x + (k << 2);
      s0 = madd(v128.load32_splat(at), v128.load(row), s0);
      s1 = madd(v128.load32_splat(at, 4), v128.load(row, 16), s1);
      s2 = madd(v128.load32_splat(at, 8), v128.load(row, 32), s2);
      s3 = madd(v128.load32_splat(at, 12), v128.load(row, 48), s3);
    }
    const to = <usize>load<u32>(ptr(args, OFFSETS) + (node << 2), 4);
    for (let i = <usize>load<u32>(ptr(args, OFFSETS) + (node << 2)); i < to; i++) {
      const column = <usize>load<u32>(ptr(args, INDICES) + (i << 2));
      s0 = madd(v128.load32_splat(ptr(args, VALUES) + (i << 2)), v128.load(V + column * FOUR), s0);
    }
    v128.store(out, f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3)));
  }
}

/**
 * The part of a chunk in xᵀ·dOut (D rows), then the sum of dOut over masked rows.
 * Arguments: rows, rows per chunk, x (6), masked or 0, dOut, parts, D, index or 0.
 */
export function sparseHeadsGrad(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 1);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 0));
  const width = <usize>word(args, WIDTH);
  const columns = <usize>word(args, 11);
  const bytes = (columns + 1) * FOUR;
  const part = ptr(args, 10) + chunk * bytes;
  const panel = scratch + bytes;
  memory.fill(part, 0, bytes);
  memory.fill(scratch, 0, bytes);
  const section = max<usize>(SECTION, columns);
  for (let start = chunk * size; start < end; start += section) {
    memory.fill(panel, 0, width * FOUR);
    const stop = min<usize>(start + section, end);
    for (let v = start; v < stop; v++) {
      const node = nodeOf(ptr(args, 12), v);
      const g = v128.load(ptr(args, 9) + v * FOUR);
      if (isMasked(args, node)) {
        addTo(scratch + columns * FOUR, g);
        continue;
      }
      const x = ptr(args, DENSE) + node * (width << 2);
      for (let k: usize = 0; k < width; k++) {
        const to = panel + k * FOUR;
        v128.store(to, madd(v128.load32_splat(x + (k << 2)), g, v128.load(to)));
      }
      const stopAt = <usize>load<u32>(ptr(args, OFFSETS) + (node << 2), 4);
      for (let i = <usize>load<u32>(ptr(args, OFFSETS) + (node << 2)); i < stopAt; i++) {
        const to = scratch + <usize>load<u32>(ptr(args, INDICES) + (i << 2)) * FOUR;
        v128.store(to, madd(v128.load32_splat(ptr(args, VALUES) + (i << 2)), g, v128.load(to)));
      }
    }
    for (let k: usize = 0; k < width; k++) {
      const column = <usize>load<u32>(ptr(args, COLUMNS) + (k << 2));
      addTo(scratch + column * FOUR, v128.load(panel + k * FOUR));
    }
    flush(scratch, bytes, part);
  }
}

/** The share of masked rows: dV += token ⊗ total, dToken += V·total. Arguments: D, token, V, total, dV, dToken. */
export function tokenHeadsGrad(args: usize): void {
  const total = v128.load(ptr(args, 3));
  for (let d: usize = 0; d < <usize>word(args, 0); d++) {
    const to = ptr(args, 4) + d * FOUR;
    v128.store(to, madd(v128.load32_splat(ptr(args, 1) + (d << 2)), total, v128.load(to)));
    const at = ptr(args, 5) + (d << 2);
    store<f32>(at, load<f32>(at) + sumLanes(f32x4.mul(v128.load(ptr(args, 2) + d * FOUR), total)));
  }
}
