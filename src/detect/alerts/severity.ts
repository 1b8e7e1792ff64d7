/** How urgent an alert is, in words; the order is from least to most. */
export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;

export type Severity = (typeof SEVERITIES)[number];

const AT_MOST: readonly (readonly [number, Severity])[] = [
  [1e-5, 'critical'],
  [1e-4, 'high'],
  [1e-3, 'medium'],
  [1e-2, 'low'],
];

/**
 * The severity of an empirical p-value (method §9). Nothing else goes into it, so with few benign scores to compare
 * with, the p-value cannot get small and no alert gets a high severity: 9,999 are needed for `high`.
 */
export function severityOf(empiricalP: number): Severity {
  return AT_MOST.find(([most]) => empiricalP <= most)?.[1] ?? 'info';
}

/** Higher is more urgent. */
export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
