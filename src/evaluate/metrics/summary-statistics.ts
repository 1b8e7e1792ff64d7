/** A figure over seeds. */
export interface Summary {
  /** Seeds, and those in which the figure is defined. */
  readonly n: number;
  readonly defined: number;
  /** Null unless it is defined in every seed: a mean over the seeds that went well would flatter. */
  readonly mean: number | null;
  /** Sample deviation (n − 1); null for a single seed. */
  readonly std: number | null;
  /** std / |mean|: how unstable the figure is; null where the mean is 0. */
  readonly relative: number | null;
}

export function summarise(values: readonly (number | null)[]): Summary {
  const numbers = values.filter((value) => value !== null);
  const counts = { n: values.length, defined: numbers.length };
  if (numbers.length === 0 || numbers.length < values.length) {
    return { ...counts, mean: null, std: null, relative: null };
  }
  // Differences from the first value, so that equal values give themselves back and a deviation of exactly 0.
  const shift = numbers[0];
  const rest = numbers.reduce((sum, value) => sum + (value - shift), 0) / numbers.length;
  const mean = shift + rest;
  if (numbers.length === 1) return { ...counts, mean, std: null, relative: null };
  const squares = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const std = Math.sqrt(squares / (numbers.length - 1));
  return { ...counts, mean, std, relative: mean === 0 ? null : std / Math.abs(mean) };
}

/** Each named figure over the seeds, one record per statistic, as `result.json` has them. */
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
