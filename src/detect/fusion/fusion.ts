import { RecalError } from '../../base/errors.js';
import { chiSquareLogSurvival, logUpperGamma } from '../calibration/log-survival.js';
import type { PairCovariance } from './covariance.js';

/** Rows of evidence. A fusion combines those of one node. */
export interface FusibleEvidence {
  readonly logP: ArrayLike<number>;
  /** n: the number of benign values behind each p. */
  readonly samples: ArrayLike<number>;
  readonly slots: ArrayLike<number>;
  /** The kind of each row, if slots are numbered within kinds. */
  readonly kinds?: ArrayLike<number>;
}

/**
 * Fuses the evidence of one node, rows `from` up to `to`, into a score: the higher, the more suspicious; 0 without
 * evidence. Writes the share of each row in the score to `shares`. The shares add up to 1, or are all 0 if the score is 0.
 */
export type Fuse = (evidence: FusibleEvidence, from: number, to: number, shares?: Float64Array) => number;

export const FUSIONS = ['fisher', 'max', 'mean', 'brown', 'cauchy'] as const;
export type FusionName = (typeof FUSIONS)[number];

/** `brown` needs the covariances of calibration (method §8). */
export function createFusion(name: FusionName, covariance?: PairCovariance): Fuse {
  switch (name) {
    case 'fisher':
      return fuseFisher;
    case 'max':
      return fuseMax;
    case 'mean':
      return fuseMean;
    case 'cauchy':
      return fuseCauchy;
    case 'brown':
      if (covariance === undefined) {
        throw new RecalError('fusion-covariance', 'the model has no covariances for the fusion brown', {
          hint: 'run recal calibrate with --set fusion=brown, or choose another fusion',
        });
      }
      return (evidence, from, to, shares) => fuseBrown(covariance, evidence, from, to, shares);
  }
}

/** −ln SF of χ² with 2k degrees of freedom at −2 Σ ln p, as in the paper: exact for independent evidence. */
const fuseFisher: Fuse = (evidence, from, to, shares) => {
  const total = addLogs(evidence, from, to, shares);
  return -chiSquareLogSurvival(2 * total, to - from) + 0;
};

/** −ln of the smallest p. */
export const fuseMax: Fuse = ({ logP }, from, to, shares) => {
  let smallest = -1;
  for (let i = from; i < to; i++) if (smallest < 0 || logP[i] < logP[smallest]) smallest = i;
  if (smallest < 0) return 0;
  const score = Math.max(0, -logP[smallest]);
  if (shares !== undefined) {
    shares.fill(0, from, to);
    if (score > 0) shares[smallest] = 1;
  }
  return score;
};

/** The mean of 1 − p. */
const fuseMean: Fuse = ({ logP }, from, to, shares) => {
  let total = 0;
  for (let i = from; i < to; i++) {
    const term = Math.max(0, -Math.expm1(logP[i]));
    total += term;
    if (shares !== undefined) shares[i] = term;
  }
  scaleShares(shares, from, to, total);
  return to === from ? 0 : total / (to - from);
};

/**
 * Brown's approximation for dependent evidence: c·χ² with f degrees of freedom, matched to the mean 2k and the variance
 * 4k + 2 Σ cov of −2 Σ ln p. For independent evidence it equals Fisher's; k equal rows count as one.
 */
function fuseBrown(
  covariance: PairCovariance,
  evidence: FusibleEvidence,
  from: number,
  to: number,
  shares: Float64Array | undefined,
): number {
  const k = to - from;
  const total = addLogs(evidence, from, to, shares);
  if (k === 0) return 0;
  let variance = 4 * k;
  for (let i = from + 1; i < to; i++) {
    for (let j = from; j < i; j++) variance += 2 * covariance.between(evidence, i, j);
  }
  const mean = 2 * k;
  const c = variance / (2 * mean);
  const f = (2 * mean * mean) / variance;
  return -logUpperGamma(f / 2, total / c) + 0;
}

/**
 * The Cauchy combination, whose tail depends little on the dependence of the evidence. p is clamped to
 * [1/(n+1), n/(n+1)], because a single p of 1 would outweigh all other rows.
 */
const fuseCauchy: Fuse = ({ logP, samples }, from, to, shares) => {
  let sum = 0;
  let positive = 0;
  for (let i = from; i < to; i++) {
    const n = samples[i];
    const p = n < 1 ? 0.5 : Math.min(n / (n + 1), Math.max(1 / (n + 1), Math.exp(logP[i])));
    const term = cotangent(p);
    sum += term;
    positive += Math.max(0, term);
    if (shares !== undefined) shares[i] = Math.max(0, term);
  }
  scaleShares(shares, from, to, positive);
  if (to === from) return 0;
  const mean = sum / (to - from);
  // ½ − atan(t)/π cancels for large t; atan(1/t)/π does not.
  return -Math.log(mean > 0 ? Math.atan(1 / mean) / Math.PI : 0.5 - Math.atan(mean) / Math.PI) + 0;
};

/** tan((½ − p)π), with the sign and zero of p = ½ exact. */
function cotangent(p: number): number {
  if (p > 0.25 && p < 0.75) return Math.tan((0.5 - p) * Math.PI);
  return p < 0.5 ? 1 / Math.tan(p * Math.PI) : -1 / Math.tan((1 - p) * Math.PI);
}

/** −Σ ln p, never negative. */
function addLogs(
  { logP }: FusibleEvidence,
  from: number,
  to: number,
  shares: Float64Array | undefined,
): number {
  let total = 0;
  for (let i = from; i < to; i++) {
    const term = Math.max(0, -logP[i]);
    total += term;
    if (shares !== undefined) shares[i] = term;
  }
  scaleShares(shares, from, to, total);
  return total;
}

function scaleShares(shares: Float64Array | undefined, from: number, to: number, total: number): void {
  if (shares === undefined || !(total > 0)) return;
  for (let i = from; i < to; i++) shares[i] /= total;
}
