// Shared by all learning kernels: arguments, operations on rows and heads, and multiply-add, fused in the relaxed build.

export const H: usize = 64; // hidden width
export const ROW: usize = 256; // bytes of a row of H floats
export const NONE: u32 = 0xffffffff;

// @ts-ignore: decorator
@inline export function word(args: usize, index: i32): u32 {
  return load<u32>(args + (<usize>index << 2));
}
// @ts-ignore: decorator
@inline export function ptr(args: usize, index: i32): usize {
  return <usize>load<u32>(args + (<usize>index << 2));
}
// @ts-ignore: decorator
@inline export function float(args: usize, index: i32): f32 {
  return load<f32>(args + (<usize>index << 2));
}

// @ts-ignore: decorator
@inline export function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/** Entries that are prefetched together: see `touch`. */
export const BATCH: usize = 16;
let sink: v128 = i32x4.splat(0);

/**
 * Prefetches the four cache lines of each of `count` rows. Rows are anywhere in memory, and the processor does not look far
 * enough ahead to load many of them at once.
 */
export function touch(numbers: usize, count: usize, rows: usize): void {
  let sum = sink;
  for (let i: usize = 0; i < count; i++) {
    const row = rows + <usize>load<u32>(numbers + (i << 2)) * ROW;
    sum = v128.or(sum, v128.or(v128.load(row), v128.load(row, 64)));
    sum = v128.or(sum, v128.or(v128.load(row, 128), v128.load(row, 192)));
  }
  sink = sum;
}

/** Prefetches records of `bytes` bytes, each in one cache line. */
// @ts-ignore: decorator
@inline export function touchEach(numbers: usize, count: usize, records: usize, bytes: usize): void {
  let sum = sink;
  for (let i: usize = 0; i < count; i++) {
    sum = v128.or(sum, v128.load(records + <usize>load<u32>(numbers + (i << 2)) * bytes));
  }
  sink = sum;
}

/** target += value, for a vector in memory. */
// @ts-ignore: decorator
@inline export function addTo(target: usize, value: v128): void {
  v128.store(target, f32x4.add(v128.load(target), value));
}

// memory.fill and memory.copy call a function of the engine, which costs more than one row. They are for long ranges.

/** Clears `bytes` bytes, a multiple of 16. */
// @ts-ignore: decorator
@inline export function clear(target: usize, bytes: usize): void {
  for (let j: usize = 0; j < bytes; j += 16) v128.store(target + j, i32x4.splat(0));
}

/** Copies `bytes` bytes, a multiple of 16. */
// @ts-ignore: decorator
@inline export function copy(target: usize, from: usize, bytes: usize): void {
  for (let j: usize = 0; j < bytes; j += 16) v128.store(target + j, v128.load(from + j));
}

export function clearRow(target: usize): void {
  const zero = i32x4.splat(0);
  for (let j: usize = 0; j < ROW; j += 64) {
    v128.store(target + j, zero); v128.store(target + j, zero, 16);
    v128.store(target + j, zero, 32); v128.store(target + j, zero, 48);
  }
}

export function copyRow(target: usize, from: usize): void {
  for (let j: usize = 0; j < ROW; j += 64) {
    const a = v128.load(from + j), b = v128.load(from + j, 16), c = v128.load(from + j, 32), d = v128.load(from + j, 48);
    v128.store(target + j, a); v128.store(target + j, b, 16); v128.store(target + j, c, 32); v128.store(target + j, d, 48);
  }
}

/** target += some, then some = 0. `bytes` is a multiple of 16. */
export function flush(some: usize, bytes: usize, target: usize): void {
  for (let j: usize = 0; j < bytes; j += 16) {
    addTo(target + j, v128.load(some + j));
    v128.store(some + j, f32x4.splat(0));
  }
}

/** target += row · factor over H floats. */
export function addScaledRow(target: usize, row: usize, factor: v128): void {
  for (let j: usize = 0; j < ROW; j += 64) {
    v128.store(target + j, madd(v128.load(row + j), factor, v128.load(target + j)));
    v128.store(target + j, madd(v128.load(row + j, 16), factor, v128.load(target + j, 16)), 16);
    v128.store(target + j, madd(v128.load(row + j, 32), factor, v128.load(target + j, 32)), 32);
    v128.store(target + j, madd(v128.load(row + j, 48), factor, v128.load(target + j, 48)), 48);
  }
}

/** out = the sum of `count` consecutive parts of `bytes` bytes, in float64, because a hub has hundreds of parts. */
export function sumPartsOfRow(parts: usize, count: usize, bytes: usize, out: usize): void {
  for (let j: usize = 0; j < bytes; j += 4) {
    let sum: f64 = 0;
    for (let p: usize = 0; p < count; p++) sum += <f64>load<f32>(parts + p * bytes + j);
    store<f32>(out + j, <f32>sum);
  }
}

export function dotRows(a: usize, b: usize): f32 {
  let s0 = f32x4.splat(0);
  let s1 = f32x4.splat(0);
  for (let j: usize = 0; j < ROW; j += 32) {
    s0 = madd(v128.load(a + j), v128.load(b + j), s0);
    s1 = madd(v128.load(a + j, 16), v128.load(b + j, 16), s1);
  }
  return sumLanes(f32x4.add(s0, s1));
}

// @ts-ignore: decorator
@inline export function sumLanes(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
  );
}

/** Lane h of the result is the sum of the lanes of the h-th argument. */
// @ts-ignore: decorator
@inline export function sumEach(v0: v128, v1: v128, v2: v128, v3: v128): v128 {
  const a = f32x4.add(
    v128.shuffle<f32>(v0, v1, 0, 4, 2, 6),
    v128.shuffle<f32>(v0, v1, 1, 5, 3, 7),
  );
  const b = f32x4.add(
    v128.shuffle<f32>(v2, v3, 0, 4, 2, 6),
    v128.shuffle<f32>(v2, v3, 1, 5, 3, 7),
  );
  return f32x4.add(v128.shuffle<f32>(a, b, 0, 1, 4, 5), v128.shuffle<f32>(a, b, 2, 3, 6, 7));
}

/** The 16 products of one head of two rows, summed to one vector. */
// @ts-ignore: decorator
@inline export function headProduct(a: usize, b: usize): v128 {
  const p = f32x4.mul(v128.load(a), v128.load(b));
  const q = f32x4.mul(v128.load(a, 16), v128.load(b, 16));
  return f32x4.add(
    madd(v128.load(a, 32), v128.load(b, 32), p),
    madd(v128.load(a, 48), v128.load(b, 48), q),
  );
}

/** The dot products of two rows per head, one lane per head. */
export function headDots(a: usize, b: usize): v128 {
  return sumEach(
    headProduct(a, b),
    headProduct(a + 64, b + 64),
    headProduct(a + 128, b + 128),
    headProduct(a + 192, b + 192),
  );
}

/** target += row · weight, where lane h of the weight is for head h. */
export function addHeadScaledRow(target: usize, row: usize, weight: v128): void {
  addHead(target, row, v128.shuffle<f32>(weight, weight, 0, 0, 0, 0));
  addHead(target + 64, row + 64, v128.shuffle<f32>(weight, weight, 1, 1, 1, 1));
  addHead(target + 128, row + 128, v128.shuffle<f32>(weight, weight, 2, 2, 2, 2));
  addHead(target + 192, row + 192, v128.shuffle<f32>(weight, weight, 3, 3, 3, 3));
}

// @ts-ignore: decorator
@inline function addHead(target: usize, row: usize, weight: v128): void {
  v128.store(target, madd(v128.load(row), weight, v128.load(target)));
  v128.store(target, madd(v128.load(row, 16), weight, v128.load(target, 16)), 16);
  v128.store(target, madd(v128.load(row, 32), weight, v128.load(target, 32)), 32);
  v128.store(target, madd(v128.load(row, 48), weight, v128.load(target, 48)), 48);
}
