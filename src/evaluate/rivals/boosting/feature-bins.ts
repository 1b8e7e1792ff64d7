/** The most bins of a feature. */
const MOST_BINS = 256;

/** The features of rows as small integers: equal counts of training rows in each bin, as in histogram boosting. */
export class FeatureBins {
  /** By feature, ascending: a value belongs to the first bin whose limit is not below it. */
  readonly limits: readonly Float64Array[];

  private constructor(limits: readonly Float64Array[]) {
    this.limits = limits;
  }

  /** `x`: rows × width. */
  static of(x: ArrayLike<number>, width: number): FeatureBins {
    const rows = x.length / width;
    const limits = Array.from({ length: width }, (_, feature) => {
      const column = Float64Array.from({ length: rows }, (_, row) => x[row * width + feature]).sort();
      const distinct = column.filter((value, i) => i === 0 || value !== column[i - 1]);
      if (distinct.length <= MOST_BINS) return distinct;
      const cuts = Float64Array.from({ length: MOST_BINS }, (_, bin) => {
        const at = Math.ceil(((bin + 1) * rows) / MOST_BINS) - 1;
        return column[at];
      });
      return cuts.filter((value, i) => i === 0 || value !== cuts[i - 1]);
    });
    return new FeatureBins(limits);
  }

  /** The bins of one feature, by row. */
  column(x: ArrayLike<number>, feature: number): Uint8Array {
    const width = this.limits.length;
    const limits = this.limits[feature];
    return Uint8Array.from({ length: x.length / width }, (_, row) => {
      const value = x[row * width + feature];
      let [low, high] = [0, limits.length - 1];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (limits[middle] < value) low = middle + 1;
        else high = middle;
      }
      return low;
    });
  }
}
