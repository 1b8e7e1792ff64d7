// Adam over a flat array of parameters, with L2 added to the gradient (method §5).

import { float, madd, ptr, word } from './simd';

/**
 * Arguments: length, parameters, gradient, first and second moment, rate, β1, β2, ε, decay, 1/(1−β1ᵗ), 1/(1−β2ᵗ), scale,
 * 1−β1, 1−β2 (the subtraction in float32 would have an error of 1e-5).
 */
export function adam(args: usize, chunk: usize): void {
  const start = chunk << 16;
  const end = min<usize>(start + 65536, (<usize>word(args, 0) << 2));
  const theta = ptr(args, 1), gradient = ptr(args, 2), first = ptr(args, 3), second = ptr(args, 4);
  const rate = f32x4.splat(float(args, 5) * float(args, 10));
  const beta1 = f32x4.splat(float(args, 6)), beta2 = f32x4.splat(float(args, 7));
  const rest1 = f32x4.splat(float(args, 13)), rest2 = f32x4.splat(float(args, 14));
  const epsilon = f32x4.splat(float(args, 8)), decay = f32x4.splat(float(args, 9));
  const correction = f32x4.splat(float(args, 11)), scale = f32x4.splat(float(args, 12));
  for (let i = start; i < end; i += 16) {
    const p = v128.load(theta + i);
    const g = madd(decay, p, f32x4.mul(v128.load(gradient + i), scale));
    const m = madd(beta1, v128.load(first + i), f32x4.mul(rest1, g));
    const v = madd(beta2, v128.load(second + i), f32x4.mul(f32x4.mul(rest2, g), g));
    v128.store(first + i, m);
    v128.store(second + i, v);
    const root = f32x4.add(f32x4.sqrt(f32x4.mul(v, correction)), epsilon);
    v128.store(theta + i, f32x4.sub(p, f32x4.div(f32x4.mul(rate, m), root)));
  }
}
