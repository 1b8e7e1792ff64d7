import type { Severity } from '../../../detect/alerts/severity.js';

/** Severities on the scale of 0 to 100 that most receivers use. */
export const SEVERITY_SCORES: Readonly<Record<Severity, number>> = {
  info: 10,
  low: 30,
  medium: 50,
  high: 75,
  critical: 95,
};
