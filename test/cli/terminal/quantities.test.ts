import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from '../../../src/base/time-text.js';
import { formatBytes, formatCount, formatDuration } from '../../../src/cli/terminal/quantities.js';

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [-1234567, '-1,234,567'],
  [1234.5678, '1,234.5678'],
  [12345678901234567890n, '12,345,678,901,234,567,890'],
  [1e21, '1e+21'],
  [Number.NaN, 'NaN'],
])('count %s', (value, text) => {
  expect(formatCount(value)).toBe(text);
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1536n, '1.5 KiB'],
  [1024 * 1024 - 1, '1.0 MiB'],
  [5 * 2 ** 40, '5.0 TiB'],
])('bytes %s', (value, text) => {
  expect(formatBytes(value)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [350.4, '350 ms'],
  [999.7, '1.0 s'],
  [2500, '2.5 s'],
  [9960, '10 s'],
  [59_600, '1m 00s'],
  [80_000, '1m 20s'],
  [7_500_000, '2h 05m'],
  [273_600_000, '3d 4h'],
  [Number.POSITIVE_INFINITY, '?'],
])('duration %s', (value, text) => {
  expect(formatDuration(value)).toBe(text);
});

test.each([
  [0n, '1970-01-01T00:00:00.000000000Z'],
  [1523037672123456789n, '2018-04-06T18:01:12.123456789Z'],
  [-1n, '1969-12-31T23:59:59.999999999Z'],
  [10n ** 30n, `${10n ** 30n} ns`],
])('timestamp %s', (value, text) => {
  expect(isoTime(value)).toBe(text);
});

test('a timestamp can be parsed back exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (ns) => {
      const text = isoTime(ns);
      const seconds = BigInt(Date.parse(`${text.slice(0, -11)}Z`)) / 1000n;
      expect(seconds * 1_000_000_000n + BigInt(text.slice(-10, -1))).toBe(ns);
    }),
  );
});
