import { type Kernels, takesDenseForm } from '../device.js';
import { eachValue, floatsOf, integersOf } from './buffers.js';

type Args = Kernels['cosineLoss'];

/** ℓ and the factors of ∂ℓ/∂x̂ = A x + B x̂ (method §5). */
function judge(inner: number, square: number, norm: number, exponent: number) {
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

export function cosineLoss(args: Args): void {
  for (let r = 0; r + 1 < args.offsets.length; r++) {
    const slots = args.offsets[r + 1] - args.offsets[r];
    if (slots === 0) continue;
    if (takesDenseForm(slots, { features: args.target.cols, hidden: args.hidden })) denseRelation(args, r);
    else gramRelation(args, r);
  }
}

/** x̂ = W m + b written out. */
export function denseRelation(args: Args, r: number): void {
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
    const m = floatsOf(args.means).slice(k * H, (k + 1) * H); // dMeans may be in its place
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
    const { error, A, B } = judge(inner, square, floatsOf(args.norms)[v], args.exponent);
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

/** The same without x̂, term by term as in method §5. */
export function gramRelation(args: Args, r: number): void {
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
    const m = floatsOf(args.means).slice(k * H, (k + 1) * H); // dMeans may be in its place
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
    // No floor: float64 has the digits, and the WASM device writes x̂ out where float32 has not.
    const found = judge(inner, quadratic + 2 * linear + beta, floatsOf(args.norms)[v], args.exponent);
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
