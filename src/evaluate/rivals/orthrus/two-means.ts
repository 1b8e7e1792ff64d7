/**
 * Divides numbers into two clusters with the smallest sum of squared distances from their means. Returns the largest
 * number of the lower cluster, or −∞ if all are equal or there are fewer than two.
 */
export function twoMeans(numbers: ArrayLike<number>): number {
  const sorted = Float64Array.from(numbers).sort();
  const total = sorted.reduce((sum, value) => sum + value, 0);
  let best = { gain: 0, end: -1 };
  // The squares cancel: the best cut maximises Σ n·mean².
  const base = (total * total) / sorted.length;
  let sum = 0;
  for (let i = 0; i + 1 < sorted.length; i++) {
    sum += sorted[i];
    if (sorted[i] === sorted[i + 1]) continue;
    const rest = total - sum;
    const gain = (sum * sum) / (i + 1) + (rest * rest) / (sorted.length - i - 1) - base;
    if (gain > best.gain) best = { gain, end: i };
  }
  return best.end < 0 ? Number.NEGATIVE_INFINITY : sorted[best.end];
}
