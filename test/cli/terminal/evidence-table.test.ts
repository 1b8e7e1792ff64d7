import { expect, test } from 'vitest';
import { formatProbability, renderEvidence } from '../../../src/cli/terminal/evidence-table.js';
import type { AlertEvidence } from '../../../src/detect/alerts/alert.js';

const look = { width: Number.POSITIVE_INFINITY, unicode: true };
const row: AlertEvidence = {
  kind: 'name',
  role: 'object',
  relation: 'EVENT_\u001b[2J',
  events: 1234,
  value: 13.5,
  benignQuantile: 0.999999,
  p: 0,
  logP: -1000,
  n: 42,
  level: 'slot',
  beyond: true,
  modelled: true,
  floor: false,
  draws: 7,
  share: 1,
  because: '',
  source: null,
};

test.each([
  [Math.log(0.5), '0.5000'],
  [Math.log(0.0012), '0.0012'],
  [Math.log(1.5e-4), '1.5e-4'],
  [Math.log(9.99e-6), '1.0e-5'],
  [-1000, '5.1e-435'],
  [0, '1.0000'],
  [Number.NEGATIVE_INFINITY, '0'],
])('ln p = %f is %s', (logP, text) => {
  expect(formatProbability(logP)).toBe(text);
});

test('prints notes on the limits of a value, and no control characters', () => {
  const [, line] = renderEvidence([row], look);
  expect(line).toMatch(/^1 +name +EVENT_\\e\[2J +object +1,234 +13\.500 +all +42 +5\.1e-435 +100\.0 % /);
  expect(line).toMatch(
    / p from the tail model; largest of 7; benign: entities of all types; few benign values$/,
  );
  const [, inside] = renderEvidence([{ ...row, beyond: false }], look);
  expect(inside).toContain(' 99.999 % ');
  expect(renderEvidence([{ ...row, because: 'x\u202e' }], look).at(-1)).toBe('#1 x\\u{202e}');
  const [, plain, , ...below] = renderEvidence(
    [
      { ...row, because: 'x' },
      { ...row, because: 'x' },
    ],
    look,
  );
  expect(plain).toMatch(/ p from the tail model; largest of 7; few benign values$/);
  expect(below).toEqual(['benign values: entities of all types', '#1 #2 x']);
  expect(renderEvidence([row, { ...row, level: 'all' }], look)[2]).toMatch(/; benign: all relations; few/);
  expect(renderEvidence([], look)).toEqual(['no evidence: the score is 0']);
});
