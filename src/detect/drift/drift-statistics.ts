/** The statistics of drift: the distance between two distributions, and its probability without change. */

/** Bins of the unit interval. Binning shortens a distance by at most one bin. */
const BINS = 10_000;

/**
 * The ranks of recent values among benign ones. A value is given as the share of benign values below it and the share at
 * most as large. With ties the two differ, and each distance uses the one that makes it smaller.
 */
export class PlacedSample {
  readonly #below = new Uint32Array(BINS + 1);
  readonly #atMost = new Uint32Array(BINS + 1);
  #n = 0;
  #above90 = 0;
  #above99 = 0;

  add(below: number, atMost: number): void {
    this.#below[Math.floor(below * BINS)]++;
    this.#atMost[Math.ceil(atMost * BINS)]++;
    this.#n++;
    if (below >= 0.9) this.#above90++;
    if (below >= 0.99) this.#above99++;
  }

  get n(): number {
    return this.#n;
  }

  /** The shares of values above the benign 90th and 99th percentile: at most 10 % and 1 % without change. */
  get above(): { p90: number; p99: number } {
    return this.#n === 0
      ? { p90: 0, p99: 0 }
      : { p90: this.#above90 / this.#n, p99: this.#above99 / this.#n };
  }

  /** sup(F_before − F_now): how much larger values have become. */
  get rise(): number {
    let [most, before] = [0, 0];
    for (let bin = 0; bin <= BINS; bin++) {
      if (this.#below[bin] === 0) continue;
      most = Math.max(most, bin / BINS - before / this.#n);
      before += this.#below[bin];
    }
    return most;
  }

  /** sup(F_now − F_before): how much smaller values have become. */
  get fall(): number {
    let [most, upTo] = [0, 0];
    for (let bin = 0; bin <= BINS; bin++) {
      if (this.#atMost[bin] === 0) continue;
      upTo += this.#atMost[bin];
      most = Math.max(most, upTo / this.#n - bin / BINS);
    }
    return most;
  }
}

/**
 * p of the larger of the two one-sided Kolmogorov–Smirnov distances between samples of n and m: 2·exp(−2·N·D²), with
 * N = nm / (n + m). It is asymptotic, a bound for one sample of any size (Massart 1990), and conservative with ties.
 */
export function ksProbability(distance: number, n: number, m: number): number {
  if (!(n > 0) || !(m > 0)) return 1;
  return Math.min(1, 2 * Math.exp((-2 * distance * distance * n * m) / (n + m)));
}

/** Sums over the values of a sample and over its nodes. */
interface NodeSums {
  readonly nodes: number;
  readonly n: number;
  /** Σ c² over nodes, where c is the number of a node's values. */
  readonly squaredCounts: number;
  /** Σ of values, Σ of squared values, and Σ over nodes of (sum of values)² / c. */
  readonly sum: number;
  readonly squares: number;
  readonly betweenSquares: number;
}

/**
 * The effective number of independent values: at most one per node, and fewer if a few busy nodes have most values and
 * repeat themselves. Uses Kish's design effect 1 + ρ·(Σc²/n − 1), with ρ the correlation within nodes (analysis of variance).
 */
export function effectiveCount(sums: NodeSums): number {
  const { nodes, n, squaredCounts, sum, squares, betweenSquares } = sums;
  if (nodes < 2 || n === nodes) return nodes;
  const between = Math.max(0, betweenSquares - (sum * sum) / n) / (nodes - 1);
  const within = Math.max(0, squares - betweenSquares) / (n - nodes);
  const usual = (n - squaredCounts / n) / (nodes - 1);
  const total = between + (usual - 1) * within;
  const alike = total > 0 ? Math.min(1, Math.max(0, (between - within) / total)) : 1;
  return Math.min(nodes, n / (1 + alike * (squaredCounts / n - 1)));
}

/** For each p, the smallest false discovery rate at which it is a discovery (Benjamini and Hochberg). */
export function discoveryRates(p: readonly number[]): number[] {
  const order = p.map((_, i) => i).sort((a, b) => p[b] - p[a] || b - a);
  const rates = new Array<number>(p.length);
  let least = 1;
  order.forEach((i, place) => {
    least = Math.min(least, (p[i] * p.length) / (p.length - place));
    rates[i] = least;
  });
  return rates;
}
