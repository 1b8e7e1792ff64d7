/** Mean and sample standard deviation. The deviation is NaN for fewer than two values. */
export interface Spread {
  readonly mean: number;
  readonly deviation: number;
  readonly count: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: count < 2 ? Number.NaN : Math.sqrt(squares / (count - 1)), count };
}
