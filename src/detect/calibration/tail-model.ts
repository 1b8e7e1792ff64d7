/**
 * What lies beyond the benign sample (method §6). Without a model every value above the largest benign one ties at
 * p = 1/(n + 1), and the strangest nodes cannot be told apart.
 */
export interface TailModel {
  readonly kind: 'pareto' | 'exponential';
  /** u: between the lower 90 % and the exceedances, so that the empirical p is constant around it. */
  readonly threshold: number;
  /** ln p at the threshold, the empirical one: the two meet there. */
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
/** A handful of values that repeat do not show how a tail falls. */
const MIN_DISTINCT = 10;

/**
 * Fits the largest tenth of an ascending sample: a generalised Pareto from 50 values on, an exponential from 20,
 * nothing below. The Pareto is fitted by probability-weighted moments (Hosking and Wallis 1987), which one wild value
 * does not upset.
 *
 * The shape is at least 1/m: (1 + y/Σyᵢ)^−m is how a new exponential value compares with m seen ones when the scale is
 * known from those alone. The plain exponential would be certain of its scale, and call a value far out impossible.
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

/** The value whose ln p this is, for ln p at or below that of the threshold. */
export function tailValue({ threshold, logShare, shape, scale }: TailModel, logP: number): number {
  return threshold + (scale * Math.expm1(shape * (logShare - logP))) / shape;
}
