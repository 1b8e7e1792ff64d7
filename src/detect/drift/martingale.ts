import { type BenignCurve, empiricalP } from '../threshold/threshold.js';

/** The share of the capital that each bet stakes: a window can at worst halve it. */
const STAKE = 0.5;
/** The share of the capital that is redistributed over the bets at each window, so that a late change is found too. */
const JUMP = 0.01;
/** Standard errors added to the benign share, so that the choice of calibration graphs does not look like change. */
const SLACK = 2;
const TAILS = [0.1, 0.01] as const;

/** Whether and when scores began to rise. */
export interface Change {
  readonly windows: number;
  /** The capital now and its maximum. Without change, it exceeds c with probability at most 1/c. */
  readonly capital: number;
  readonly most: number;
  /** The start of the window that reached 1/level, and of the window where the rise began; null without a change. */
  readonly reachedTs: bigint | null;
  readonly sinceTs: bigint | null;
  /** The shares of instances above the benign 90th and 99th percentile of scores, and the shares bet against. */
  readonly above: { readonly p90: number; readonly p99: number };
  readonly against: { readonly p90: number; readonly p99: number };
}

/**
 * A test martingale over windows in time order. The factor of a window is a mean over its instances, whose expectation is
 * at most 1 even if they are dependent; so windows must be exchangeable with those of calibration, but instances within a
 * window need not be independent. Three bets share the capital (a simple jumper): no bet, a bet on the share of instances
 * with empirical p ≤ 0.1, and one on the share with p ≤ 0.01.
 */
export class ScoreMartingale {
  readonly #benign: BenignCurve;
  readonly #level: number;
  readonly #against: readonly number[];
  /** Instances that a window needs for the full stake, because a small window says little. */
  readonly #full: number;
  #capitals = [1 / 3, 1 / 3, 1 / 3];
  #windows = 0;
  #instances = 0;
  readonly #above = [0, 0];
  #most = 1;
  #least = 1;
  #rising: bigint | null = null;
  #reached: bigint | null = null;
  #since: bigint | null = null;

  constructor(benign: BenignCurve, level: number) {
    this.#benign = benign;
    this.#level = level;
    this.#against = TAILS.map((tail) => benignShare(benign, tail));
    this.#full = Math.max(1, (2 * benign.instances) / Math.max(1, benign.graphs));
  }

  /** Adds the scores of one window's instances. */
  add(scores: Iterable<number>, firstTs: bigint): void {
    let n = 0;
    const counts = [0, 0];
    for (const score of scores) {
      n++;
      const p = empiricalP(this.#benign, score);
      for (let tail = 0; tail < TAILS.length; tail++) if (p <= TAILS[tail]) counts[tail]++;
    }
    if (n === 0) return;
    this.#windows++;
    this.#instances += n;
    counts.forEach((count, tail) => {
      this.#above[tail] += count;
    });
    const stake = STAKE * Math.min(1, n / this.#full);
    const factors = [1, ...counts.map((count, tail) => 1 + stake * (count / n / this.#against[tail] - 1))];
    const before = this.#capital;
    this.#capitals = this.#capitals.map(
      (capital, bet) => ((1 - JUMP) * capital + (JUMP * before) / factors.length) * factors[bet],
    );
    // Cap the capital before it overflows.
    const total = this.#capital;
    if (total > 1e12) this.#capitals = this.#capitals.map((capital) => (capital / total) * 1e12);
    this.#follow(firstTs);
  }

  finish(): Change {
    const share = (tail: number) => (this.#instances === 0 ? 0 : this.#above[tail] / this.#instances);
    return {
      windows: this.#windows,
      capital: this.#capital,
      most: this.#most,
      reachedTs: this.#reached,
      sinceTs: this.#since,
      above: { p90: share(0), p99: share(1) },
      against: { p90: this.#against[0], p99: this.#against[1] },
    };
  }

  get #capital(): number {
    return this.#capitals.reduce((sum, capital) => sum + capital, 0);
  }

  /** The rise began after the last minimum before the limit was reached. */
  #follow(firstTs: bigint): void {
    const capital = this.#capital;
    this.#most = Math.max(this.#most, capital);
    if (this.#reached !== null) return;
    if (capital <= this.#least) {
      this.#least = capital;
      this.#rising = null;
    } else {
      this.#rising ??= firstTs;
    }
    if (capital >= 1 / this.#level) {
      this.#reached = firstTs;
      this.#since = this.#rising ?? firstTs;
    }
  }
}

/** The share of the tail, plus the variation over calibration graphs (by a jackknife). */
function benignShare({ without, thresholds, scores, instances }: BenignCurve, tail: number): number {
  let at = 0;
  while (at < thresholds.length && empiricalP({ scores, instances }, thresholds[at]) <= tail) at++;
  const shares = without.flatMap(({ above, instances: left }) =>
    above === undefined || left === undefined || left === 0 || at === 0 ? [] : [above[at - 1] / left],
  );
  if (shares.length < 2) return 2 * tail;
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const squares = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0);
  return tail + SLACK * Math.sqrt(((shares.length - 1) / shares.length) * squares);
}
