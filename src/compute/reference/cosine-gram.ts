import type { Kernels } from '../device.js';
import { eachValue, floatsOf, integersOf } from './buffers.js';
import { pairLoss } from './cosine-dense.js';

/** The same loss without x̂, term by term as in method §5. */
export function gramRelation(args: Kernels['cosineLoss'], r: number): void {
  const { hidden: H, gradient } = args;
  const D = args.target.cols;
  const w = floatsOf(args.w).subarray(r * D * H, (r + 1) * D * H);
  const bias = floatsOf(args.bias).subarray(r * D, (r + 1) * D);
  const G = new Float64Array(H * H);
  const g = new Float64Array(H);
  let beta = 0;
  for (let d = 0; d < D; d++) {
    for (let i = 0; i < H; i++) {
      g[i] += w[d * H + i] * bias[d];
      for (let j = 0; j < H; j++) G[i * H + j] += w[d * H + i] * w[d * H + j];
    }
    beta += bias[d] * bias[d];
  }
  const dw = new Float64Array(D * H);
  const db = new Float64Array(D);
  const S = new Float64Array(H * H);
  const t = new Float64Array(H);
  let sumB = 0;
  for (let k = args.offsets[r]; k < args.offsets[r + 1]; k++) {
    const m = floatsOf(args.means).slice(k * H, (k + 1) * H); // dMeans may overwrite it
    const v = integersOf(args.nodes)[k];
    const product = new Float64Array(H); // Wᵀx
    let inner = 0;
    eachValue(args.target, v, (column, value) => {
      for (let j = 0; j < H; j++) product[j] += value * w[column * H + j];
      inner += value * bias[column];
    });
    let linear = 0;
    let quadratic = 0;
    const y = g.slice(); // Gm + g
    for (let i = 0; i < H; i++) {
      inner += m[i] * product[i];
      linear += m[i] * g[i];
      for (let j = 0; j < H; j++) y[i] += G[i * H + j] * m[j];
      quadratic += m[i] * (y[i] - g[i]);
    }
    // No guard against cancellation, unlike in the WASM kernels: float64 has enough digits.
    const found = pairLoss(inner, quadratic + 2 * linear + beta, floatsOf(args.norms)[v], args.exponent);
    floatsOf(args.errors)[k] = found.error;
    if (gradient === null) continue;
    const [A, B] = [found.A / args.counts[r], found.B / args.counts[r]];
    for (let i = 0; i < H; i++) {
      floatsOf(gradient.dMeans)[k * H + i] = A * product[i] + B * y[i];
      t[i] += B * m[i];
      for (let j = 0; j < H; j++) S[i * H + j] += B * m[i] * m[j];
    }
    sumB += B;
    eachValue(args.target, v, (column, value) => {
      for (let j = 0; j < H; j++) dw[column * H + j] += A * value * m[j];
      db[column] += A * value;
    });
  }
  if (gradient === null) return;
  for (let d = 0; d < D; d++) {
    for (let i = 0; i < H; i++) {
      for (let j = 0; j < H; j++) dw[d * H + j] += w[d * H + i] * S[i * H + j];
      dw[d * H + i] += bias[d] * t[i];
      db[d] += w[d * H + i] * t[i];
    }
    db[d] += bias[d] * sumB;
  }
  floatsOf(gradient.dw).set(dw, r * D * H);
  floatsOf(gradient.dBias).set(db, r * D);
}
