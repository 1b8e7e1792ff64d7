/**
 * Weights that sum to 1 and fall linearly: each is `decline` of the mean lower than the one before. In long names, the last
 * ones are below 0.
 */
export function wordWeights(count: number, decline: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => (1 + decline * ((count - 1) / 2 - i)) / count);
}
