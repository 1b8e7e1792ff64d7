/** Weights that fall linearly and sum to 1: each is `decline` / n of the mean lower than the one before. */
export function wordWeights(count: number, decline: number): Float64Array {
  const step = -decline / count;
  const first = 1 / count - 0.5 * (count - 1) * (step / count);
  return Float64Array.from({ length: count }, (_, i) => first + (i * step) / count);
}
