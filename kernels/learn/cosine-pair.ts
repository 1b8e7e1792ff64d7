// The parts that both forms of the cosine loss share: arguments, layout of a part, and the loss of a pair.

import { H, ROW, madd, sumLanes } from './simd';

/** The most pairs that are processed together. */
export const BLOCK: usize = 48;
/**
 * x̂ is computed in float64 if ‖x̂‖² is below this share of its terms, Σ mⱼ² ‖wⱼ‖² + ‖b‖² over the columns of W. At this
 * share, float32 has about five digits left.
 */
export const CANCELS: f32 = 1e-2;
/** Bytes of the sums that follow dW (D rows) in a part: S = ΣB m mᵀ (one half, see multiplySymmetric), t = ΣB m, ΣB. db follows. */
export const SUMS: usize = H * ROW + ROW + 16;

// Arguments of cosineLoss. A work item is (relation, first pair, end pair, dense?, part).
export const WORK = 0, D = 1, DENSE = 2, WIDTH = 3, COLUMNS = 4, OFFSETS = 5, INDICES = 6, VALUES = 7;
export const NORMS = 8, NODES = 9, MEANS = 10, W = 11, BIAS = 12, GRAMS = 13, EXPONENT = 14, ERRORS = 15;
export const DM = 16, COUNTS = 17, PARTS = 18, PART_BYTES = 19;

// The results of `evaluatePair`.
export let error: f32 = 0;
export let factorA: f32 = 0;
export let factorB: f32 = 0;

/** ℓ and the factors A and B of ∂ℓ/∂x̂ = A x + B x̂ (method §5). */
export function evaluatePair(inner: f32, square: f32, norm: f32, exponent: u32, weight: f32): void {
  const length = sqrt(square);
  let c: f32 = 0;
  const counts = norm > 0 && square > <f32>1e-30;
  if (counts) c = min<f32>(1, max<f32>(-1, inner / (length * norm)));
  const gap: f32 = 1 - c;
  let power: f32 = 1;
  for (let i: u32 = 1; i < exponent; i++) power *= gap;
  error = power * gap;
  const slope: f32 = counts ? -(<f32>exponent) * power * weight : 0;
  factorA = counts ? slope / (length * norm) : 0;
  factorB = counts ? (-slope * c) / square : 0;
}

/** Σ mⱼ² squaresⱼ */
export function sumTerms(m: usize, squares: usize): f32 {
  let s0 = f32x4.splat(0), s1 = f32x4.splat(0);
  for (let j: usize = 0; j < ROW; j += 32) {
    const a = v128.load(m + j), b = v128.load(m + j, 16);
    s0 = madd(f32x4.mul(a, a), v128.load(squares + j), s0);
    s1 = madd(f32x4.mul(b, b), v128.load(squares + j, 16), s1);
  }
  return sumLanes(f32x4.add(s0, s1));
}
