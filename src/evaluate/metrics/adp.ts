import { type AttackNodes, bestScores } from './attack-metrics.js';
import { type Ranking, stepOf } from './ranking-metrics.js';

/** Points by rising precision, each precision once. */
export interface AdpCurve {
  readonly precision: Float64Array;
  /** The share of attacks with a hit: the best reached at that precision. */
  readonly detected: Float64Array;
}

/**
 * Attacks detected over precision (method §10). From the highest score down, after each group of equal scores: the
 * precision so far and the share of attacks with a hit. Of points with the same precision the best share stays, and
 * (0, 0) is added. Null without attacks.
 */
export function adpCurve(
  ranking: Ranking,
  attacks: AttackNodes | null,
  scores: ArrayLike<number>,
): AdpCurve | null {
  if (attacks === null || attacks.names.length === 0) return null;
  const steps = ranking.thresholds.length;
  const hitAt = new Uint32Array(steps + 1);
  for (const best of bestScores(attacks, scores)) hitAt[stepOf(ranking, best)]++;

  const precision = new Float64Array(steps + 1);
  const hit = new Uint32Array(steps + 1);
  for (let n = 0, attacksHit = 0; n < steps; n++) {
    attacksHit += hitAt[n];
    precision[n + 1] = ranking.hits[n] / ranking.flagged[n];
    hit[n + 1] = attacksHit;
  }
  return keepBest(precision, hit, attacks.names.length);
}

/** The area under the curve, by trapezoids from precision 0 to the highest one reached. */
export function adp(ranking: Ranking, attacks: AttackNodes | null, scores: ArrayLike<number>): number | null {
  const curve = adpCurve(ranking, attacks, scores);
  if (curve === null) return null;
  const { precision, detected } = curve;
  let area = 0;
  for (let i = 1; i < precision.length; i++) {
    area += ((precision[i] - precision[i - 1]) * (detected[i] + detected[i - 1])) / 2;
  }
  return area;
}

/** Attacks hit only grow down the ranking and the sort is stable: of equal precisions the last has the best share. */
function keepBest(precision: Float64Array, hit: Uint32Array, attacks: number): AdpCurve {
  const order = Uint32Array.from(precision, (_, i) => i).sort((a, b) => precision[a] - precision[b]);
  const kept = order.filter((i, at) => at === order.length - 1 || precision[order[at + 1]] !== precision[i]);
  return {
    precision: Float64Array.from(kept, (i) => precision[i]),
    detected: Float64Array.from(kept, (i) => hit[i] / attacks),
  };
}
