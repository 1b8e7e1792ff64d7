import { type AttackNodes, bestScores } from './attack-metrics.js';
import { type Ranking, stepOf } from './ranking-metrics.js';

/** Points in order of precision, one per distinct precision. */
export interface AdpCurve {
  readonly precision: Float64Array;
  /** The largest share of attacks with a hit at that precision. */
  readonly detected: Float64Array;
}

/**
 * Attacks detected over precision (method §10). After each group of equal scores, from the highest down, a point has the
 * precision so far and the share of attacks with a hit. Points of equal precision keep the largest share, and (0, 0) is
 * added. Null without attacks.
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

/** The area under the curve by trapezoids, from precision 0 to the highest precision. */
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

/** Hits only grow down the ranking and the sort is stable, so the last of equal precisions has the largest share. */
function keepBest(precision: Float64Array, hit: Uint32Array, attacks: number): AdpCurve {
  const order = Uint32Array.from(precision, (_, i) => i).sort((a, b) => precision[a] - precision[b]);
  const kept = order.filter((i, at) => at === order.length - 1 || precision[order[at + 1]] !== precision[i]);
  return {
    precision: Float64Array.from(kept, (i) => precision[i]),
    detected: Float64Array.from(kept, (i) => hit[i] / attacks),
  };
}
