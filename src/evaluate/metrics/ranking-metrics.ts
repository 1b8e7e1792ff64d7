/**
 * The counts at every distinct threshold, from the highest score down. All ranking metrics use these counts, so the order
 * of equal scores cannot change a figure (method §10).
 */
export interface Ranking {
  /** Distinct scores in descending order. */
  readonly thresholds: Float64Array;
  /** Nodes at or above each threshold, and the positives among them. */
  readonly flagged: Uint32Array;
  readonly hits: Uint32Array;
  readonly nodes: number;
  readonly positives: number;
}

export interface Oracle {
  readonly f1: number;
  /** Nodes with at least this score are flagged; null flags no node. */
  readonly threshold: number | null;
}

/** Columns of a curve with one entry per threshold, in descending order. */
export interface PrecisionRecallCurve {
  readonly thresholds: Float64Array;
  readonly precision: Float64Array;
  readonly recall: Float64Array;
}

export interface RocCurve {
  readonly thresholds: Float64Array;
  readonly fpr: Float64Array;
  readonly tpr: Float64Array;
}

/** Ranks all nodes except the ignored ones. */
export function rankScores(
  scores: ArrayLike<number>,
  positives: Uint8Array,
  ignored?: Uint8Array | undefined,
): Ranking {
  if (positives.length !== scores.length || (ignored !== undefined && ignored.length !== scores.length)) {
    throw new RangeError('rankScores: scores and masks must have equal lengths');
  }
  // The figures need counts, not node numbers. Two sorts of plain numbers are much faster than one sort of node numbers.
  const all = new Float64Array(scores.length);
  const attack = new Float64Array(scores.length);
  let [nodes, hits] = [0, 0];
  for (let v = 0; v < scores.length; v++) {
    if (Number.isNaN(scores[v])) throw new RangeError(`rankScores: the score of node ${v} is NaN`);
    if (ignored !== undefined && ignored[v] !== 0) continue;
    all[nodes++] = scores[v];
    if (positives[v] !== 0) attack[hits++] = scores[v];
  }
  return countSteps(all.subarray(0, nodes).sort(), attack.subarray(0, hits).sort());
}

/** Both arrays are in ascending order. */
function countSteps(all: Float64Array, attack: Float64Array): Ranking {
  let steps = 0;
  for (let i = 0; i < all.length; i++) if (i === 0 || all[i] !== all[i - 1]) steps++;
  const thresholds = new Float64Array(steps);
  const flagged = new Uint32Array(steps);
  const hits = new Uint32Array(steps);
  let [from, hitFrom] = [all.length, attack.length];
  for (let step = 0; step < steps; step++) {
    const score = all[from - 1];
    while (from > 0 && all[from - 1] === score) from--;
    while (hitFrom > 0 && attack[hitFrom - 1] === score) hitFrom--;
    thresholds[step] = score + 0; // turns -0 into 0
    flagged[step] = all.length - from;
    hits[step] = attack.length - hitFrom;
  }
  return { thresholds, flagged, hits, nodes: all.length, positives: attack.length };
}

/** The first step that flags nodes with this score, or the number of steps if none does. */
export function stepOf({ thresholds }: Ranking, score: number): number {
  let [low, high] = [0, thresholds.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (thresholds[middle] <= score) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Σ (R_n − R_{n−1})·P_n over distinct thresholds, without interpolation. Null without positives. */
export function averagePrecision({ flagged, hits, positives }: Ranking): number | null {
  if (positives === 0) return null;
  let sum = 0;
  for (let n = 0; n < hits.length; n++) {
    const gained = hits[n] - (n === 0 ? 0 : hits[n - 1]);
    if (gained > 0) sum += gained * (hits[n] / flagged[n]);
  }
  return sum / positives;
}

/** The probability that a positive outranks a negative, with ties counted half. Null without either class. */
export function auroc({ flagged, hits, nodes, positives }: Ranking): number | null {
  const negatives = nodes - positives;
  if (positives === 0 || negatives === 0) return null;
  let twice = 0; // twice the number of correctly ordered pairs: an integer, so the sum is exact
  for (let n = 0, tp = 0, fp = 0; n < hits.length; n++) {
    const falls = flagged[n] - hits[n];
    twice += (falls - fp) * (tp + hits[n]);
    [tp, fp] = [hits[n], falls];
  }
  return twice / 2 / positives / negatives;
}

/**
 * The threshold with the best F1 on the test, the highest one if several are equal. Only thresholds above 0 count: a node
 * that scores 0 never raises an alert, and a negative rank is no score. If no positive scores above 0, nothing is flagged
 * and F1 is 0. The threshold needs the labels of the test, so it is an upper bound and not an operating point (method §9).
 * Null without positives.
 */
export function bestF1(ranking: Ranking): Oracle | null {
  const { thresholds, flagged, hits, positives } = ranking;
  if (positives === 0) return null;
  let best: Oracle = { f1: 0, threshold: null };
  for (let n = 0; n < hits.length && thresholds[n] > 0; n++) {
    const f1 = (2 * hits[n]) / (flagged[n] + positives);
    if (f1 > best.f1) best = { f1, threshold: thresholds[n] };
  }
  return best;
}

/** Null without positives. The point (recall 0, precision 1) of some plots is left out: it has no threshold. */
export function precisionRecallCurve(ranking: Ranking): PrecisionRecallCurve | null {
  const { thresholds, flagged, hits, positives } = ranking;
  if (positives === 0) return null;
  return {
    thresholds: thresholds.slice(),
    precision: Float64Array.from(hits, (tp, n) => tp / flagged[n]),
    recall: Float64Array.from(hits, (tp) => tp / positives),
  };
}

/** From (0, 0), at a threshold above every score, to (1, 1). Null without either class. */
export function rocCurve(ranking: Ranking): RocCurve | null {
  const { thresholds, flagged, hits, nodes, positives } = ranking;
  const negatives = nodes - positives;
  if (positives === 0 || negatives === 0) return null;
  return {
    thresholds: prepend(Infinity, thresholds),
    fpr: prepend(
      0,
      Float64Array.from(hits, (tp, n) => (flagged[n] - tp) / negatives),
    ),
    tpr: prepend(
      0,
      Float64Array.from(hits, (tp) => tp / positives),
    ),
  };
}

function prepend(first: number, rest: Float64Array): Float64Array {
  const joined = new Float64Array(rest.length + 1);
  joined[0] = first;
  joined.set(rest, 1);
  return joined;
}
