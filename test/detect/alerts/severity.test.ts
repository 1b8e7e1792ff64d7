import { expect, test } from 'vitest';
import { SEVERITIES, severityOf, severityRank } from '../../../src/detect/alerts/severity.js';

test.each([
  [1, 'info'],
  [0.010001, 'info'],
  [0.01, 'low'],
  [0.001, 'medium'],
  [1e-4, 'high'],
  [1e-5, 'critical'],
  [0, 'critical'],
  [Number.NaN, 'info'],
])('p = %f is %s', (p, severity) => {
  expect(severityOf(p)).toBe(severity);
});

test('a high severity needs enough benign scores', () => {
  expect(severityOf(1 / (9_998 + 1))).toBe('medium');
  expect(severityOf(1 / (9_999 + 1))).toBe('high');
});

test('ranks ascend', () => {
  expect(SEVERITIES.map(severityRank)).toEqual([0, 1, 2, 3, 4]);
});
