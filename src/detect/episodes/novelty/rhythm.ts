/** Fewer contacts than this have no rhythm. */
export const FEWEST_CONTACTS = 4;
/** The most that rhythm adds, in nats. */
const MOST = 10;
/** Clocks and load blur the most regular job, so that a smaller variation counts as this one. */
const LEAST_VARIATION = 0.05;

/**
 * How much more likely the times of contacts are for a regular job than for events at random, in nats: the logarithm of
 * the likelihood ratio of normal against exponential intervals. 0 if they look random.
 */
export function rhythmSurprise(times: readonly bigint[]): number {
  if (times.length < FEWEST_CONTACTS) return 0;
  const sorted = [...times].sort((a, b) => (a < b ? -1 : 1));
  const intervals = sorted.slice(1).map((time, i) => Number(time - sorted[i]));
  const mean = intervals.reduce((sum, each) => sum + each, 0) / intervals.length;
  if (mean === 0) return 0;
  const variance = intervals.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (intervals.length - 1);
  const variation = Math.max(LEAST_VARIATION, Math.sqrt(variance) / mean);
  const perInterval = 1 - Math.log(variation * Math.sqrt(2 * Math.PI * Math.E));
  return Math.min(MOST, Math.max(0, intervals.length * perInterval));
}
