/** The share of the largest values that the tail is fitted to, and their least and greatest number. */
const TAIL = { share: 0.1, least: 5, most: 250 };
/** Below this number of values, only ranks are used. */
const FEWEST = 20;
/** A tail falls by at most one nat per nat: scores are themselves −ln of a probability. Two such excesses are assumed. */
const LEAST_MEAN = 1;
const ASSUMED = 2;

/**
 * How rare a score is among those of benign episodes: −ln P(S ≥ s). Beyond what was seen, an exponential tail whose mean is
 * estimated from m values, P = (1 + x/(m·mean))^−m: a short calibration can say less than a long one.
 */
export class TailSurprise {
  /** Ascending, rounded as a model file stores them. */
  readonly values: Float32Array;
  readonly #from: number;
  readonly #inTail: number;
  readonly #mean: number;

  constructor(values: ArrayLike<number>) {
    this.values = Float32Array.from(values).sort();
    const { length } = this.values;
    this.#inTail = Math.max(TAIL.least, Math.min(TAIL.most, Math.floor(length * TAIL.share)));
    this.#from = length < FEWEST ? Number.POSITIVE_INFINITY : this.values[length - this.#inTail - 1];
    const excess = this.values
      .subarray(Math.max(0, length - this.#inTail))
      .reduce((sum, v) => sum + (v - this.#from), 0);
    this.#mean = Math.max(LEAST_MEAN, (excess + ASSUMED * LEAST_MEAN) / (this.#inTail + ASSUMED));
  }

  /** In nats. */
  of(score: number): number {
    const { length } = this.values;
    if (length < FEWEST) return Math.log((length + 1) / (this.#atLeast(score) + 1)) + this.#beyond(score);
    if (score > this.#from) {
      const values = this.#inTail + ASSUMED;
      const beyond = (score - this.#from) / this.#mean;
      return Math.log(length / this.#inTail) + values * Math.log1p(beyond / values);
    }
    return Math.log((length + 1) / (this.#atLeast(score) + 0.5));
  }

  /** Beyond the largest of a few values, each nat counts as one. */
  #beyond(score: number): number {
    return Math.max(0, score - (this.values[this.values.length - 1] ?? 0));
  }

  #atLeast(score: number): number {
    let [low, high] = [0, this.values.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.values[middle] >= score) high = middle;
      else low = middle + 1;
    }
    return this.values.length - low;
  }
}
