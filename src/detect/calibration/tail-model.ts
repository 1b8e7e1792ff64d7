/**
 * A model of values beyond the benign sample (method §6). Without it, every value above the largest benign one ties at
 * p = 1/(n + 1).
 */
export interface TailModel {
  readonly kind: 'pareto' | 'exponential';
  /** u: lies between the lower 90 % and the exceedances, where the empirical p is constant. */
  readonly threshold: number;
  /** The empirical ln p at the threshold, where the model begins. */
  readonly logShare: number;
  /** ξ > 0 */
  readonly shape: number;
  /** σ > 0 */
  readonly scale: number;
  readonly exceedances: number;
}

const EXCEEDING_SHARE = 0.1;
const MIN_PARETO = 50;
const MIN_EXPONENTIAL = 20;
/** Fewer distinct values do not show how the tail falls. */
const MIN_DISTINCT = 10;

/**
 * Fits the largest tenth of an ascending sample: a generalised Pareto distribution from 50 values on, an exponential one
 * from 20 on, none below. The Pareto is fitted by probability-weighted moments (Hosking and Wallis 1987), which are robust
 * to single outliers.
 *
 * The shape is at least 1/m, because (1 + y/Σyᵢ)^−m is the tail of a new exponential value whose scale is estimated from m
 * values. A plain exponential would ignore the error of its scale.
 */
export function fitTail(sorted: ArrayLike<number>): TailModel | undefined {
  const n = sorted.length;
  let start = n - Math.floor(n * EXCEEDING_SHARE);
  while (start > 0 && start < n && sorted[start] === sorted[start - 1]) start++;
  const m = n - start;
  if (m < MIN_EXPONENTIAL) return undefined;
  const threshold = (sorted[start - 1] + sorted[start]) / 2;
  let distinct = 1;
  let b0 = 0;
  let b1 = 0;
  for (let i = 0; i < m; i++) {
    const excess = sorted[start + i] - threshold;
    if (i > 0 && sorted[start + i] !== sorted[start + i - 1]) distinct++;
    b0 += excess;
    b1 += excess * (1 - (i + 0.65) / m);
  }
  b0 /= m;
  b1 /= m;
  if (distinct < MIN_DISTINCT || !(b0 > 0) || !Number.isFinite(b0)) return undefined;
  const common = { threshold, logShare: Math.log((1 + m) / (n + 1)), exceedances: m };
  if (m >= MIN_PARETO) {
    const spread = b0 - 2 * b1;
    const shape = 2 - b0 / spread;
    const scale = (2 * b0 * b1) / spread;
    if (shape > 1 / m && scale > 0 && Number.isFinite(scale)) {
      return { kind: 'pareto', ...common, shape, scale };
    }
  }
  return { kind: m >= MIN_PARETO ? 'pareto' : 'exponential', ...common, shape: 1 / m, scale: b0 };
}

/** ln p of a value at or above the threshold. */
export function tailLogP({ threshold, logShare, shape, scale }: TailModel, value: number): number {
  return logShare - Math.log1p((shape * (value - threshold)) / scale) / shape;
}

/** The value with this ln p, for ln p at or below that of the threshold. */
export function tailValue({ threshold, logShare, shape, scale }: TailModel, logP: number): number {
  return threshold + (scale * Math.expm1(shape * (logShare - logP))) / shape;
}
