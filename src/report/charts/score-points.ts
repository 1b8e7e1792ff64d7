/** The score of one instance: an entity in one graph. */
export interface ScorePoint {
  readonly name: string;
  readonly score: number;
  readonly alert: boolean;
  /** Nanoseconds since the epoch. */
  readonly time: bigint;
  /** The rank of its incident. */
  readonly incident?: number;
}

export interface CollectedScores {
  readonly count: number;
  /** Points without a finite score. They are not counted elsewhere. */
  readonly notFinite: number;
  /** At most 0. */
  readonly lowest: number;
  /** At least 0. */
  readonly highest: number;
  /** The first and the last time, in milliseconds since the epoch. */
  readonly span: readonly [number, number];
  /** Highest score first. */
  readonly alerts: readonly ScorePoint[];
  /** The highest scores that are not alerts, highest first. */
  readonly nextHighest: readonly ScorePoint[];
  /** All points that are not alerts; times in milliseconds. */
  readonly others: { readonly scores: readonly number[]; readonly times: readonly number[] };
}

export const millisecondsOf = ({ time }: Pick<ScorePoint, 'time'>): number => Number(time / 1_000_000n);

/** Reads the points once. Only alerts and the `keep` next highest stay in memory as objects. */
export function collectScores(points: Iterable<ScorePoint>, keep: number): CollectedScores {
  const alerts: ScorePoint[] = [];
  const scores: number[] = [];
  const times: number[] = [];
  let nextHighest: ScorePoint[] = [];
  let notFinite = 0;
  let [lowest, highest] = [0, 0];
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const point of points) {
    const { score } = point;
    if (!Number.isFinite(score)) {
      notFinite++;
      continue;
    }
    const time = millisecondsOf(point);
    lowest = Math.min(lowest, score);
    highest = Math.max(highest, score);
    first = Math.min(first, time);
    last = Math.max(last, time);
    if (point.alert) {
      alerts.push(point);
      continue;
    }
    scores.push(score);
    times.push(time);
    nextHighest.push(point);
    if (nextHighest.length > 4 * keep + 16) nextHighest = highestOf(nextHighest, keep);
  }
  return {
    count: alerts.length + scores.length,
    notFinite,
    lowest,
    highest,
    span: spanOf(first, last),
    alerts: highestOf(alerts, alerts.length),
    nextHighest: highestOf(nextHighest, keep),
    others: { scores, times },
  };
}

function highestOf(points: readonly ScorePoint[], count: number): ScorePoint[] {
  return [...points].sort((a, b) => b.score - a.score).slice(0, count);
}

function spanOf(first: number, last: number): [number, number] {
  if (first > last) return [0, 1];
  // An axis needs a length: add a second on each side of a single moment.
  return first === last ? [first - 1000, last + 1000] : [first, last];
}
