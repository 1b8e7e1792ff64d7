import type { AlertEvidence } from './alert.js';

/**
 * Whether p comes from the tail model and not from counting: it differs from (1 + those not below) / (n + 1) (method §6),
 * which the model replaces from the highest tenth of benign values on, not only beyond them.
 */
export function isModelled({
  p,
  n,
  draws,
  benignQuantile,
}: Pick<AlertEvidence, 'p' | 'n' | 'draws' | 'benignQuantile'>): boolean {
  if (n === 0) return false;
  const counted = (1 + Math.round((1 - benignQuantile) * n)) / (n + 1);
  const corrected = draws > 1 ? -Math.expm1(draws * Math.log1p(-counted)) : counted;
  return Math.abs(p - corrected) > 1e-6 * corrected;
}
