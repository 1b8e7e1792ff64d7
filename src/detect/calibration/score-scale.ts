import { fitTail, type TailModel, tailLogP } from './tail-model.js';

/**
 * Maps a fused score to −ln of the share of benign instances that score at least as much. Evidence of many relations is
 * dependent, so that a fused score is not −ln of a probability; lineage needs one to apply its price.
 */
export class ScoreScale {
  /** Benign scores above zero, ascending. */
  readonly scores: Float32Array;
  /** All benign instances, including those that score 0. */
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

  /** Returns 0 for a score of 0. */
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
