/** One figure over seeds. */
interface Summary {
  /** Null unless every seed defines the figure: a mean over the successful seeds would be too good. */
  readonly mean: number | null;
  /** Sample standard deviation (n − 1); null for a single seed. */
  readonly std: number | null;
  /** std / |mean|; null if the mean is 0. */
  readonly relative: number | null;
}

function summarise(values: readonly (number | null)[]): Summary {
  const numbers = values.filter((value) => value !== null);
  if (numbers.length === 0 || numbers.length < values.length) {
    return { mean: null, std: null, relative: null };
  }
  // Differences from the first value give equal values an exact mean and a deviation of exactly 0.
  const shift = numbers[0];
  const rest = numbers.reduce((sum, value) => sum + (value - shift), 0) / numbers.length;
  const mean = shift + rest;
  if (numbers.length === 1) return { mean, std: null, relative: null };
  const squares = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const std = Math.sqrt(squares / (numbers.length - 1));
  return { mean, std, relative: mean === 0 ? null : std / Math.abs(mean) };
}

/** The mean, std and relative std of each figure over the seeds, as in `result.json`. */
export function summariseSeeds<K extends string>(
  seeds: readonly Readonly<Record<K, number | null>>[],
  figures: readonly K[],
): Record<'mean' | 'std' | 'relative', Record<K, number | null>> {
  const summaries = figures.map((figure) => [figure, summarise(seeds.map((seed) => seed[figure]))] as const);
  const pick = (statistic: 'mean' | 'std' | 'relative') =>
    Object.fromEntries(summaries.map(([figure, summary]) => [figure, summary[statistic]])) as Record<
      K,
      number | null
    >;
  return { mean: pick('mean'), std: pick('std'), relative: pick('relative') };
}
