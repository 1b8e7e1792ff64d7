/** One scored node. */
export interface ScorePoint {
  readonly name: string;
  readonly score: number;
  readonly alert: boolean;
  /** Nanoseconds since the epoch; needed where the plot runs over time. */
  readonly time?: bigint;
  /** What the labels say, in evaluation: then hits, misses and false alarms have shapes of their own. */
  readonly malicious?: boolean;
  /** A word to group by in the table, for example an incident. */
  readonly group?: string;
}

/** A node that is drawn by itself: an alert, or one that should have been. */
export interface LoudNode {
  readonly point: ScorePoint;
  /** Milliseconds since the epoch, or the rank from 1. */
  readonly x: number;
}

export interface ScoredNodes {
  readonly count: number;
  readonly alerts: number;
  readonly lowest: number;
  readonly highest: number;
  /** Nodes without a finite score, or without a time where one is needed: counted, not drawn. */
  readonly unplaced: number;
  /** The first and last place on the axis. */
  readonly span: readonly [number, number];
  /** Highest score first. */
  readonly loud: readonly LoudNode[];
  /** The highest of the others, highest first. */
  readonly next: readonly ScorePoint[];
  /** Score and place of every node that is not loud. */
  readonly quiet: { readonly scores: readonly number[]; readonly places: readonly number[] };
}

/** Reads the nodes once. Only alerts, labelled nodes and the `keep` next highest stay as objects. */
export function collectScores(
  points: Iterable<ScorePoint>,
  over: 'time' | 'rank',
  keep: number,
): ScoredNodes {
  const scores: number[] = [];
  const times: number[] = [];
  const loudAt: number[] = [];
  const loudPoints: ScorePoint[] = [];
  let next: ScorePoint[] = [];
  let unplaced = 0;
  let alerts = 0;
  for (const point of points) {
    if (!Number.isFinite(point.score) || (over === 'time' && point.time === undefined)) {
      unplaced++;
      continue;
    }
    if (point.alert) alerts++;
    if (point.alert || point.malicious === true) {
      loudAt.push(scores.length);
      loudPoints.push(point);
    } else {
      next.push(point);
      if (next.length > 4 * keep + 16) next = highest(next, keep);
    }
    scores.push(point.score);
    times.push(point.time === undefined ? 0 : Number(point.time / 1_000_000n));
  }
  const places = over === 'time' ? times : ranksOf(scores);
  const isLoud = new Uint8Array(scores.length);
  for (const i of loudAt) isLoud[i] = 1;
  const loud = loudPoints.map((point, i) => ({ point, x: places[loudAt[i]] }));
  return {
    count: scores.length,
    alerts,
    lowest: least(scores, 0),
    highest: scores.reduce((most, each) => Math.max(most, each), 0),
    unplaced,
    span: over === 'time' ? spanOf(times) : [1, Math.max(2, scores.length)],
    loud: loud.sort((a, b) => b.point.score - a.point.score),
    next: highest(next, keep),
    quiet: {
      scores: scores.filter((_, i) => isLoud[i] === 0),
      places: places.filter((_, i) => isLoud[i] === 0),
    },
  };
}

function highest(points: readonly ScorePoint[], keep: number): ScorePoint[] {
  return [...points].sort((a, b) => b.score - a.score).slice(0, keep);
}

/** 1 for the highest; ties keep their order. */
function ranksOf(scores: readonly number[]): number[] {
  const order = scores.map((_, i) => i).sort((a, b) => scores[b] - scores[a]);
  const ranks = new Array<number>(scores.length);
  for (const [rank, i] of order.entries()) ranks[i] = rank + 1;
  return ranks;
}

function least(values: readonly number[], start: number): number {
  return values.reduce((low, each) => Math.min(low, each), start);
}

function spanOf(times: readonly number[]): [number, number] {
  const low = least(times, Number.POSITIVE_INFINITY);
  const high = times.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY);
  if (low > high) return [0, 1];
  // One moment still needs an axis: a second to each side.
  return low === high ? [low - 1000, high + 1000] : [low, high];
}
