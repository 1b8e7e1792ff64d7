import { fitTail, type TailModel, tailLogP } from './tail-model.js';

/**
 * What a fused score means: −ln of the share of benign instances that score as much. Evidence under many relations has
 * few causes, so that fused scores of hundreds are no probabilities; on this scale they are, as far as benign scores and
 * their fitted tail reach, and prices can be taken off.
 */
export class ScoreScale {
  /** Benign scores above zero, ascending. */
  readonly scores: Float32Array;
  /** All benign instances, also those that score nothing. */
  readonly instances: number;
  readonly #tail: TailModel | undefined;

  constructor(scores: Float32Array, instances: number) {
    this.scores = scores;
    this.instances = instances;
    const all = new Float32Array(instances);
    all.set(scores, instances - scores.length);
    this.#tail = fitTail(all);
  }

  static of(scores: Iterable<number>, instances: number): ScoreScale {
    return new ScoreScale(Float32Array.from(scores).sort(), instances);
  }

  /** 0 for what scores nothing. */
  measure(score: number): number {
    if (!(score > 0)) return 0;
    if (this.#tail !== undefined && score > this.#tail.threshold) return -tailLogP(this.#tail, score);
    let [low, high] = [0, this.scores.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.scores[middle] < score) low = middle + 1;
      else high = middle;
    }
    return -Math.log((1 + this.scores.length - low) / (this.instances + 1));
  }
}
