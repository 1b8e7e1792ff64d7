import type { Kernels } from '../device.js';
import { eachValue, floatsOf, integersOf } from './buffers.js';

/** ℓ and the factors of ∂ℓ/∂x̂ = A x + B x̂ (method §5). */
export function pairLoss(inner: number, square: number, norm: number, exponent: number) {
  if (!(norm > 0 && square > 1e-30)) return { error: 1, A: 0, B: 0 };
  const length = Math.sqrt(square);
  const c = Math.min(1, Math.max(-1, inner / (length * norm)));
  const slope = -exponent * (1 - c) ** (exponent - 1);
  return {
    error: (1 - c) ** exponent,
    A: slope / (length * norm),
    B: (-slope * c) / square,
  };
}

/** The loss of one relation with x̂ = W m + b written out. */
export function denseRelation(args: Kernels['cosineLoss'], r: number): void {
  const { hidden: H, gradient } = args;
  const D = args.target.cols;
  const w = floatsOf(args.w).subarray(r * D * H, (r + 1) * D * H);
  const bias = floatsOf(args.bias).subarray(r * D, (r + 1) * D);
  const dw =
    gradient &&
    floatsOf(gradient.dw)
      .subarray(r * D * H, (r + 1) * D * H)
      .fill(0);
  const db =
    gradient &&
    floatsOf(gradient.dBias)
      .subarray(r * D, (r + 1) * D)
      .fill(0);
  for (let k = args.offsets[r]; k < args.offsets[r + 1]; k++) {
    const m = floatsOf(args.means).slice(k * H, (k + 1) * H); // dMeans may overwrite it
    const v = integersOf(args.nodes)[k];
    const x = new Float64Array(D);
    eachValue(args.target, v, (column, value) => {
      x[column] += value;
    });
    const xHat = bias.slice();
    let inner = 0;
    let square = 0;
    for (let i = 0; i < D; i++) {
      for (let j = 0; j < H; j++) xHat[i] += w[i * H + j] * m[j];
      inner += xHat[i] * x[i];
      square += xHat[i] * xHat[i];
    }
    const { error, A, B } = pairLoss(inner, square, floatsOf(args.norms)[v], args.exponent);
    floatsOf(args.errors)[k] = error;
    if (gradient === null || dw === null || db === null) continue;
    const dm = floatsOf(gradient.dMeans)
      .subarray(k * H, (k + 1) * H)
      .fill(0);
    for (let i = 0; i < D; i++) {
      const dx = (A * x[i] + B * xHat[i]) / args.counts[r];
      db[i] += dx;
      for (let j = 0; j < H; j++) {
        dw[i * H + j] += dx * m[j];
        dm[j] += dx * w[i * H + j];
      }
    }
  }
}
