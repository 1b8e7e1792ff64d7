import type { Floats, Integers, Kernels } from '../device.js';
import { eachRow, floatsOf, integersOf } from './buffers.js';

/** Slope of the LeakyReLU for negative logits. */
const SLOPE = 0.2;

/** LeakyReLU, as attention applies it to logits. */
export function leakyRelu(value: number): number {
  return value > 0 ? value : SLOPE * value;
}

/** ∂L/∂α of head h of the entry u → v with ρ. */
type WeightGradient = (v: number, u: number, rho: number, h: number) => number;

type ScoreInputs = Pick<
  Kernels['attendGrad'],
  'hidden' | 'heads' | 'entries' | 'z' | 's' | 'd' | 'trace' | 'dPre'
> & {
  /** Null: zero. */
  readonly b: Floats | null;
  readonly c: Floats | null;
  /** The row of d that each entry reads. Default: its destination. */
  readonly targets?: Integers;
};

/** dPre·(z_u + c_ρ). */
function weightGradient(args: ScoreInputs): WeightGradient {
  const { hidden: H, heads } = args;
  const F = H / heads;
  const [z, c, dPre] = [floatsOf(args.z), args.c && floatsOf(args.c), floatsOf(args.dPre)];
  return (v, u, rho, h) => {
    let sum = 0;
    for (let j = h * F; j < (h + 1) * F; j++)
      sum += dPre[v * H + j] * (z[u * H + j] + (c?.[rho * H + j] ?? 0));
    return sum;
  };
}

/** For folded rows g·h_u + dPre·c_ρ; for other rows as `weightGradient`. */
export function foldWeightGradient(
  args: Pick<
    Kernels['foldAttendGrad'],
    'hidden' | 'heads' | 'entries' | 'z' | 's' | 'd' | 'b' | 'c' | 'trace' | 'dPre' | 'h' | 'g'
  >,
): WeightGradient {
  const { hidden: H, heads } = args;
  const F = H / heads;
  const [g, c, dPre, h] = [args.g, args.c, args.dPre, args.h].map(floatsOf);
  const unfolded = weightGradient(args);
  return (v, u, rho, k) => {
    if (v >= args.entries.foldedCount) return unfolded(v, u, rho, k);
    let sum = 0;
    for (let j = 0; j < H; j++) sum += g[(v * heads + k) * H + j] * h[u * H + j];
    for (let j = k * F; j < (k + 1) * F; j++) sum += dPre[v * H + j] * c[rho * H + j];
    return sum;
  };
}

/**
 * Visits each entry u → v and head with α, the gradient g of the logit before LeakyReLU, and `size`. g is a difference of
 * two numbers, and `size` is the sum of their absolute values, which bounds the rounding error of g.
 */
export function eachScoreGradient(
  args: ScoreInputs,
  visit: (
    v: number,
    u: number,
    rho: number,
    h: number,
    alpha: number,
    g: number,
    size: number,
    target: number,
  ) => void,
  gradientOf: WeightGradient = weightGradient(args),
): void {
  const { heads, trace } = args;
  const [neighbours, relations] = [integersOf(args.entries.neighbours), integersOf(args.entries.relations)];
  const [s, d, b] = [floatsOf(args.s), floatsOf(args.d), args.b && floatsOf(args.b)];
  const targets = args.targets && integersOf(args.targets);
  const [peak, inverse] = [floatsOf(trace.peak), floatsOf(trace.inverse)];
  eachRow(args.entries.work, (v, start, end) => {
    const [alphas, dAlphas] = [new Float64Array(end - start), new Float64Array(end - start)];
    for (let h = 0; h < heads; h++) {
      const at = v * heads + h;
      const raw = (e: number) =>
        s[neighbours[e] * heads + h] +
        d[(targets?.[e] ?? v) * heads + h] +
        (b?.[relations[e] * heads + h] ?? 0);
      let inner = 0;
      for (let e = start; e < end; e++) {
        const dAlpha = gradientOf(v, neighbours[e], relations[e], h);
        alphas[e - start] = Math.exp(leakyRelu(raw(e)) - peak[at]) * inverse[at];
        dAlphas[e - start] = dAlpha;
        inner += alphas[e - start] * dAlpha;
      }
      for (let e = start; e < end; e++) {
        const dAlpha = dAlphas[e - start];
        const weight = alphas[e - start] * (raw(e) > 0 ? 1 : SLOPE);
        const size = weight * (Math.abs(dAlpha) + Math.abs(inner));
        const g = weight * (dAlpha - inner);
        visit(v, neighbours[e], relations[e], h, alphas[e - start], g, size, targets?.[e] ?? v);
      }
    }
  });
}
