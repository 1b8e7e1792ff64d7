// What both forms of the cosine loss share: arguments, what a part holds, and a slot's judgement.

import { H, ROW, madd, sumLanes } from './simd';

/** Slots that are worked on together at most. */
export const BLOCK: usize = 48;
/**
 * x̂ is taken in float64 where ‖x̂‖² is a smaller share of what it is made of, Σ mⱼ² ‖wⱼ‖² + ‖b‖² over the columns of W:
 * float32 has about five digits left of it there.
 */
export const CANCELS: f32 = 1e-2;
/** Of a part after dW (D rows): S = ΣB m mᵀ (one half, see multiplySymmetric), t = ΣB m, ΣB; db comes last. */
export const SUMS: usize = H * ROW + ROW + 16;

// Arguments of cosineLoss. A work item is (relation, first slot, end slot, dense?, part).
export const WORK = 0, D = 1, DENSE = 2, WIDTH = 3, COLUMNS = 4, OFFSETS = 5, INDICES = 6, VALUES = 7;
export const NORMS = 8, NODES = 9, MEANS = 10, W = 11, BIAS = 12, GRAMS = 13, EXPONENT = 14, ERRORS = 15;
export const DM = 16, COUNTS = 17, PARTS = 18, PART_BYTES = 19;

// What `evaluatePair` found for one slot.
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
