import type { FeatureBins } from './feature-bins.js';

export interface TreeOptions {
  readonly depth: number;
  /** L2 penalty of a leaf. */
  readonly lambda: number;
  /** The smallest sum of second derivatives in a leaf. */
  readonly smallest: number;
  readonly rate: number;
}

/** Binned training rows, by feature. */
export interface BinnedRows {
  readonly rows: number;
  readonly bins: FeatureBins;
  readonly columns: readonly Uint8Array[];
}

interface Split {
  readonly feature: number;
  readonly bin: number;
  readonly gain: number;
}

/** A tree of cuts. Leaves have the feature −1 and a value. */
export class RegressionTree {
  readonly #feature: number[] = [];
  readonly #limit: number[] = [];
  readonly #children: number[] = [];
  readonly #value: number[] = [];

  /**
   * Grows a tree to the first and second derivatives of a loss (Chen and Guestrin 2016). Adds the values of the leaves to
   * `margins`, one for each row at `offset + row * stride`.
   */
  static grow(
    data: BinnedRows,
    first: Float64Array,
    second: Float64Array,
    options: TreeOptions,
    margins: { readonly to: Float64Array; readonly offset: number; readonly stride: number },
  ): RegressionTree {
    const tree = new RegressionTree();
    tree.#grow(
      data,
      { first, second },
      Int32Array.from({ length: data.rows }, (_, i) => i),
      options,
      0,
      margins,
    );
    return tree;
  }

  /** The value for the row of x that begins at `from`. */
  predict(x: ArrayLike<number>, from: number): number {
    let node = 0;
    while (this.#feature[node] >= 0) {
      const isRight = x[from + this.#feature[node]] > this.#limit[node];
      node = this.#children[node] + (isRight ? 1 : 0);
    }
    return this.#value[node];
  }

  #grow(
    data: BinnedRows,
    derivatives: { first: Float64Array; second: Float64Array },
    rows: Int32Array,
    options: TreeOptions,
    depth: number,
    margins: { readonly to: Float64Array; readonly offset: number; readonly stride: number },
    node = this.#add(),
  ): void {
    const { first, second } = derivatives;
    let [g, h] = [0, 0];
    for (const row of rows) {
      g += first[row];
      h += second[row];
    }
    const split = depth < options.depth ? bestSplit(data, derivatives, rows, { g, h }, options) : undefined;
    if (split === undefined) {
      const value = (-options.rate * g) / (h + options.lambda);
      this.#value[node] = value;
      for (const row of rows) margins.to[margins.offset + row * margins.stride] += value;
      return;
    }
    const column = data.columns[split.feature];
    this.#feature[node] = split.feature;
    this.#limit[node] = data.bins.limits[split.feature][split.bin];
    this.#children[node] = this.#add();
    this.#add();
    const left = rows.filter((row) => column[row] <= split.bin);
    const right = rows.filter((row) => column[row] > split.bin);
    const child = this.#children[node];
    this.#grow(data, derivatives, left, options, depth + 1, margins, child);
    this.#grow(data, derivatives, right, options, depth + 1, margins, child + 1);
  }

  #add(): number {
    this.#feature.push(-1);
    this.#limit.push(0);
    this.#children.push(0);
    return this.#value.push(0) - 1;
  }
}

/** The cut with the largest gain, or undefined if none gains. */
function bestSplit(
  { columns, bins }: BinnedRows,
  { first, second }: { first: Float64Array; second: Float64Array },
  rows: Int32Array,
  { g, h }: { g: number; h: number },
  { lambda, smallest }: TreeOptions,
): Split | undefined {
  if (h < 2 * smallest) return undefined;
  const whole = (g * g) / (h + lambda);
  let best: Split | undefined;
  const sums = new Float64Array(512);
  for (let feature = 0; feature < columns.length; feature++) {
    const count = bins.limits[feature].length;
    if (count < 2) continue;
    sums.fill(0);
    const column = columns[feature];
    for (const row of rows) {
      const at = 2 * column[row];
      sums[at] += first[row];
      sums[at + 1] += second[row];
    }
    let [leftG, leftH] = [0, 0];
    for (let bin = 0; bin + 1 < count; bin++) {
      leftG += sums[2 * bin];
      leftH += sums[2 * bin + 1];
      const [rightG, rightH] = [g - leftG, h - leftH];
      if (leftH < smallest || rightH < smallest) continue;
      const gain = (leftG * leftG) / (leftH + lambda) + (rightG * rightG) / (rightH + lambda) - whole;
      if (gain > 1e-9 && gain > (best?.gain ?? 0)) best = { feature, bin, gain };
    }
  }
  return best;
}
