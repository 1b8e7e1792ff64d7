import { expect, test } from 'vitest';
import { formatMoment, momentOf } from '../../../src/detect/alerts/moment.js';

test.each([
  [0n, '1970-01-01T00:00:00.000000000Z'],
  [1_522_972_800_000_000_001n, '2018-04-06T00:00:00.000000001Z'],
  [-1n, '1969-12-31T23:59:59.999999999Z'],
  [-1_000_000_000n, '1969-12-31T23:59:59.000000000Z'],
  [2n ** 63n - 1n, '2262-04-11T23:47:16.854775807Z'],
  [-(2n ** 63n), '1677-09-21T00:12:43.145224192Z'],
])('%d', (ns, iso) => {
  expect(momentOf(ns)).toEqual({ ns: String(ns), iso });
});

test('a formatted moment is cut to the second', () => {
  expect(formatMoment(momentOf(1_522_972_800_999_999_999n))).toBe('2018-04-06 00:00:00');
});
