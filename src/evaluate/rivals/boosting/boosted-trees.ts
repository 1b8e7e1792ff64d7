import { softmaxRows } from '../learning/activations.js';
import { FeatureBins } from './feature-bins.js';
import { RegressionTree, type TreeOptions } from './regression-tree.js';

export interface BoostingOptions extends TreeOptions {
  readonly rounds: number;
}

/** The defaults of XGBoost. */
export const BOOSTING_DEFAULTS: BoostingOptions = {
  rounds: 100,
  depth: 6,
  lambda: 1,
  smallest: 1,
  rate: 0.3,
};

/** Gradient-boosted trees for several classes: each round grows a tree for each class to the softmax loss. */
export class BoostedTrees {
  readonly classes: number;
  readonly #width: number;
  /** By round and class. */
  readonly #trees: RegressionTree[] = [];

  private constructor(width: number, classes: number) {
    this.#width = width;
    this.classes = classes;
  }

  /** `x`: rows × width. `each` is called after every round and may throw to stop. */
  static async fit(
    x: ArrayLike<number>,
    labels: ArrayLike<number>,
    classes: number,
    options: BoostingOptions = BOOSTING_DEFAULTS,
    each: (done: number) => Promise<void> = async () => {},
  ): Promise<BoostedTrees> {
    const rows = labels.length;
    const width = x.length / rows;
    const model = new BoostedTrees(width, classes);
    const bins = FeatureBins.of(x, width);
    const columns = Array.from({ length: width }, (_, feature) => bins.column(x, feature));
    const margins = new Float64Array(rows * classes);
    const [first, second] = [new Float64Array(rows), new Float64Array(rows)];
    for (let round = 0; round < options.rounds; round++) {
      const probabilities = softmaxRows(margins.slice(), classes);
      for (let c = 0; c < classes; c++) {
        for (let row = 0; row < rows; row++) {
          const p = probabilities[row * classes + c];
          first[row] = p - (labels[row] === c ? 1 : 0);
          // XGBoost doubles the second derivative of the softmax and keeps it above 0.
          second[row] = Math.max(2 * p * (1 - p), 1e-16);
        }
        const to = { to: margins, offset: c, stride: classes };
        model.#trees.push(RegressionTree.grow({ rows, bins, columns }, first, second, options, to));
      }
      await each((round + 1) / options.rounds);
    }
    return model;
  }

  /** The probability of each class, rows × classes. */
  predict(x: ArrayLike<number>): Float64Array {
    const rows = x.length / this.#width;
    const margins = new Float64Array(rows * this.classes);
    for (const [t, tree] of this.#trees.entries()) {
      for (let row = 0; row < rows; row++) {
        margins[row * this.classes + (t % this.classes)] += tree.predict(x, row * this.#width);
      }
    }
    return softmaxRows(margins, this.classes) as Float64Array;
  }
}
