import type { Incident } from '../alerts/alert.js';
import type { Severity } from '../alerts/severity.js';
import type { BenignIncidents } from './raise-incidents.js';

/** Fewer benign incidents than this say nothing about rates. */
const FEWEST = 20;
/** The most false incidents per host and day of each severity. */
const SEVERITY: readonly (readonly [number, Severity])[] = [
  [0.1, 'critical'],
  [1, 'high'],
  [5, 'medium'],
  [20, 'low'],
];

export interface BenignRate {
  /** Benign incidents of at least a score, per host and day. */
  readonly rate: number;
  readonly sure: NonNullable<Incident['episode']>['sure'];
  /** Whether no benign incident scores as high. */
  readonly isHighest: boolean;
}

export function benignRate(score: number, { scores, hostDays }: BenignIncidents): BenignRate {
  const { length } = scores.values;
  const count = length - scores.values.findIndex((value) => value >= score);
  const days = Math.max(hostDays, Number.MIN_VALUE);
  const few = length < FEWEST;
  if (length > 0 && scores.values[length - 1] >= score)
    return { rate: count / days, sure: few ? 'unresolved' : 'resolved', isHighest: false };
  const rate = Math.min(1, Math.max(1, length) * Math.exp(-scores.of(score))) / days;
  return { rate, sure: few ? 'unresolved' : 'extrapolated', isHighest: true };
}

/**
 * The rarer among benign incidents, the more severe. A few of them tell the order but hardly a rate: what scores above all
 * of them is worth a look, and nothing is critical.
 */
export function severityOf({ rate, sure, isHighest }: BenignRate): Severity {
  const severity = SEVERITY.find(([most]) => rate <= most)?.[1] ?? 'info';
  if (sure !== 'unresolved') return severity;
  if (!isHighest) return 'low';
  return severity === 'critical' || severity === 'high' ? 'high' : 'medium';
}
