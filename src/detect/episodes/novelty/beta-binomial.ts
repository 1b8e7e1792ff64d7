import { logGamma } from './log-gamma.js';

/** Terms below this share of the largest one no longer change a tail. */
const NEGLIGIBLE = 1e-16;

/**
 * −ln P(X ≥ m), where X of n are new, and the share that is new has a Beta(α, β) distribution. Unlike a binomial tail it
 * tells 3 of 3 from 300 of 300 although both are all: the share itself is uncertain.
 */
export function betaBinomialSurprise(m: number, n: number, alpha: number, beta: number): number {
  if (m <= 0 || n <= 0) return 0;
  const first = logChoose(n, m) + logBeta(m + alpha, n - m + beta) - logBeta(alpha, beta);
  let [sum, term, largest] = [1, 1, 1];
  for (let k = m; k < n; k++) {
    term *= ((n - k) * (k + alpha)) / ((k + 1) * (n - k - 1 + beta));
    sum += term;
    largest = Math.max(largest, term);
    if (term < NEGLIGIBLE * largest || !Number.isFinite(sum)) break;
  }
  return Math.max(0, -(first + Math.log(sum)));
}

function logChoose(n: number, k: number): number {
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}
