/** Severities of alerts, the least urgent first. */
export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;

export type Severity = (typeof SEVERITIES)[number];

const AT_MOST: readonly (readonly [number, Severity])[] = [
  [1e-5, 'critical'],
  [1e-4, 'high'],
  [1e-3, 'medium'],
  [1e-2, 'low'],
];

/**
 * The severity of an empirical p-value (method §9). With few benign scores the p-value cannot be small: `high` needs at
 * least 9,999 of them.
 */
export function severityOf(empiricalP: number): Severity {
  return AT_MOST.find(([most]) => empiricalP <= most)?.[1] ?? 'info';
}

/** Higher is more urgent. */
export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
