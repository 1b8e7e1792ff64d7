import { finishMix, mixWord } from '../../../base/integer-mix.js';

/** The weight of a new element grows by less than e to this power, so that sums of weights stay finite. */
const MOST_GROWTH = 300;
/** Hashes are below this number. */
const RANGE = 0x1_0000_0000;
/** The range, and more than the rounding of a bound. */
const SLACK = RANGE * (1 + 1e-6);

/**
 * HistoSketch (Yang et al. 2017): as many numbers for a growing histogram as asked for. Two sketches of V and W agree in
 * a share of their numbers that estimates Σ_i 1 / Σ_k max(V_k/V_i, W_k/W_i), which is near Σ min / Σ max. Weights fall
 * exponentially with time.
 */
export class HistoSketch {
  readonly #seed: number;
  readonly #decay: number;
  readonly #weights = new Map<number, number>();
  readonly #changed = new Set<number>();
  readonly #elements: Uint32Array;
  readonly #least: Float64Array;
  /** e to the least values. */
  readonly #bounds: Float64Array;
  #time = 0;

  constructor(size: number, decay: number, seed: number) {
    this.#seed = seed;
    this.#decay = decay;
    this.#elements = new Uint32Array(size);
    this.#least = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
    this.#bounds = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  }

  add(element: number): void {
    // Later weights grow instead of earlier ones falling: only their ratio matters.
    const weight = (this.#weights.get(element) ?? 0) + Math.exp(this.#decay * this.#time);
    this.#weights.set(element, weight);
    this.#changed.add(element);
  }

  /** The sketch of all elements so far. */
  snapshot(): Uint32Array {
    // A weight only grows, and a larger weight only lowers the value, so that unchanged elements need no second look.
    const least = this.#least;
    const bounds = this.#bounds;
    for (const element of this.#changed) {
      const sum = this.#weights.get(element) as number;
      const weight = Math.log(sum);
      const start = mixWord(mixWord(0, this.#seed), element);
      const most = sum * SLACK;
      for (let j = 0; j < least.length; j++) {
        const hash = finishMix(mixWord(start, j)) >>> 0;
        // −ln u is at least 1 − u, which decides nearly always, without a logarithm.
        if (RANGE - hash - 0.5 > bounds[j] * most) continue;
        const value = logValue(hash) - weight;
        if (value >= least[j]) continue;
        least[j] = value;
        bounds[j] = Math.exp(value);
        this.#elements[j] = element;
      }
    }
    this.#changed.clear();
    return this.#elements.slice();
  }

  /** Time goes on by one step. */
  tick(): void {
    this.#time++;
    const grown = this.#decay * this.#time;
    if (grown < MOST_GROWTH) return;
    // Scaling all weights alike changes no sketch.
    for (const [element, weight] of this.#weights) this.#weights.set(element, weight * Math.exp(-grown));
    for (let j = 0; j < this.#least.length; j++) {
      this.#least[j] += grown;
      this.#bounds[j] = Math.exp(this.#least[j]);
    }
    this.#time = 0;
  }
}

/**
 * ln a without the weight, from a hash of (seed, element, j). The paper has ln c + rβ − r, where r and c are Gamma(2, 1) and
 * β is uniform. r(1 − β) is exponential, so c·e^(rβ − r) is too, and one draw replaces five.
 */
function logValue(hash: number): number {
  return Math.log(-Math.log((hash + 0.5) / RANGE));
}

/** The share of numbers in which two sketches differ. */
export function sketchDistance(a: Uint32Array, b: Uint32Array): number {
  let different = 0;
  for (let j = 0; j < a.length; j++) if (a[j] !== b[j]) different++;
  return different / a.length;
}
