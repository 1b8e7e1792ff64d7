// Arithmetic in float64, two numbers per vector.

import { ROW, madd } from './simd';

// @ts-ignore: decorator
@inline export function madd2(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_madd(a, b, c);
  return f64x2.add(f64x2.mul(a, b), c);
}

/** Loads two floats from memory. */
// @ts-ignore: decorator
@inline export function wide(address: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load64_zero(address));
}

/** The first two of four floats. */
// @ts-ignore: decorator
@inline export function low(v: v128): v128 {
  return f64x2.promote_low_f32x4(v);
}
/** The last two of four floats. */
// @ts-ignore: decorator
@inline export function high(v: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<f64>(v, v, 1, 1));
}

/** Packs two and two numbers into four floats. */
// @ts-ignore: decorator
@inline export function narrow(first: v128, second: v128): v128 {
  return v128.shuffle<f64>(f32x4.demote_f64x2_zero(first), f32x4.demote_f64x2_zero(second), 0, 2);
}

/** The sums of the lanes of a and of b. */
// @ts-ignore: decorator
@inline export function sumOfEach(a: v128, b: v128): v128 {
  return f64x2.add(v128.shuffle<f64>(a, b, 0, 2), v128.shuffle<f64>(a, b, 1, 3));
}

/** LeakyReLU with slope 0.2. */
// @ts-ignore: decorator
@inline export function leaky(l: v128): v128 {
  return f64x2.pmax(l, f64x2.mul(l, f64x2.splat(0.2)));
}

// e^x = 2ⁿ e^r, where n is the integer nearest to x / ln 2. Adding 1.5·2⁵² rounds to an integer in the low bits.
const ROUNDING: f64 = 6755399441055744;
const LOG2_E: f64 = 1.4426950408889634;
const LN_2: f64 = 0.6931471805599453;

// @ts-ignore: decorator
@inline function shift(x: v128): v128 {
  return madd2(x, f64x2.splat(LOG2_E), f64x2.splat(ROUNDING));
}

/** r of x, in ±0.347. */
// @ts-ignore: decorator
@inline function remainder(x: v128, shifted: v128): v128 {
  return madd2(f64x2.sub(shifted, f64x2.splat(ROUNDING)), f64x2.splat(-LN_2), x);
}

/**
 * e^x as four floats, for x ≤ 88, with an error of about two units in the last place. x below −87, where normal numbers end,
 * counts as −87. x is in float64, because an absolute error of x is a relative error of e^x.
 */
// @ts-ignore: decorator
@inline export function exp4(first: v128, second: v128): v128 {
  const x0 = f64x2.pmax(first, f64x2.splat(-87));
  const x1 = f64x2.pmax(second, f64x2.splat(-87));
  const shifted0 = shift(x0), shifted1 = shift(x1);
  const r = narrow(remainder(x0, shifted0), remainder(x1, shifted1));
  let p = f32x4.splat(1.9875691500e-4);
  p = madd(p, r, f32x4.splat(1.3981999507e-3));
  p = madd(p, r, f32x4.splat(8.3334519073e-3));
  p = madd(p, r, f32x4.splat(4.1665795894e-2));
  p = madd(p, r, f32x4.splat(1.6666665459e-1));
  p = madd(p, r, f32x4.splat(5.0000001201e-1));
  p = madd(p, f32x4.mul(r, r), f32x4.add(r, f32x4.splat(1)));
  const n = v128.shuffle<i32>(shifted0, shifted1, 0, 2, 4, 6);
  const power = i32x4.add(i32x4.shl(n, 23), i32x4.splat(127 << 23));
  return f32x4.mul(p, power);
}

/** e^x of two numbers to eleven digits, for x ≤ 700. x below −700 counts as −700. */
// @ts-ignore: decorator
@inline export function expExactly(value: v128): v128 {
  const x = f64x2.pmax(value, f64x2.splat(-700));
  const shifted = shift(x);
  const r = remainder(x, shifted);
  // Taylor series: r¹⁰ / 10! is at most 7·10⁻¹².
  let p = f64x2.splat(1 / 362880.0);
  p = madd2(p, r, f64x2.splat(1 / 40320.0));
  p = madd2(p, r, f64x2.splat(1 / 5040.0));
  p = madd2(p, r, f64x2.splat(1 / 720.0));
  p = madd2(p, r, f64x2.splat(1 / 120.0));
  p = madd2(p, r, f64x2.splat(1 / 24.0));
  p = madd2(p, r, f64x2.splat(1 / 6.0));
  p = madd2(p, r, f64x2.splat(0.5));
  p = madd2(p, r, f64x2.splat(1));
  p = madd2(p, r, f64x2.splat(1));
  const power = i64x2.add(i64x2.shl(shifted, 52), i64x2.splat(1023 << 52));
  return f64x2.mul(p, power);
}

export function dotRowsExactly(a: usize, b: usize): f64 {
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  for (let j: usize = 0; j < ROW; j += 16) {
    s0 = f64x2.add(s0, f64x2.mul(wide(a + j), wide(b + j)));
    s1 = f64x2.add(s1, f64x2.mul(wide(a + j + 8), wide(b + j + 8)));
  }
  const sum = f64x2.add(s0, s1);
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** out = the sum of `count` consecutive parts of `bytes` bytes. */
export function sumDoubles(parts: usize, count: usize, bytes: usize, out: usize): void {
  for (let j: usize = 0; j < bytes; j += 16) {
    let sum = f64x2.splat(0);
    for (let p: usize = 0; p < count; p++) sum = f64x2.add(sum, v128.load(parts + p * bytes + j));
    v128.store(out + j, sum);
  }
}
