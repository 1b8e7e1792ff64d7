import { expect, test } from 'vitest';
import {
  formatFixed,
  formatFrequency,
  formatNumber,
  formatPercent,
  formatSeconds,
  formatTime,
} from '../../../src/report/page/format.js';

test.each([
  [0, '0'],
  [1234567, '1,234,567'],
  [-1234.5678, '−1,235'],
  [12345.678, '12,346'],
  [0.031234, '0.03123'],
  [0.5, '0.5'],
  [3.14159e-7, '3.14e-7'],
  [2e20, '2.00e20'],
  [Number.NaN, '–'],
  [Number.POSITIVE_INFINITY, '∞'],
  [-12_345_678_901_234_567_890n, '−12,345,678,901,234,567,890'],
])('%s is written %s', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test('a share below 1 is never 100 %', () => {
  expect([1, 0.99999, 0.9999, 0.995].map((share) => formatPercent(share, 2))).toEqual([
    '100.00 %',
    'more than 99.99 %',
    '99.99 %',
    '99.50 %',
  ]);
  expect(formatPercent(0.999, 0)).toBe('more than 99 %');
});

test.each([
  [0.0002, '1 in 5,000'],
  [2 / 41, '1 in 21'],
  [1.4e-9, '1 in 7×10⁸'],
  [5e-324, '1 in 2×10³⁰⁸'],
  [0.9, 'more than 1 in 2'],
  [0, 'never'],
])('a probability of %s is written %s', (probability, text) => {
  expect(formatFrequency(probability)).toBe(text);
});

test('fixed decimals, percent, durations', () => {
  expect(formatFixed(1234.5, 2)).toBe('1,234.50');
  expect(formatPercent(0.1234)).toBe('12.3 %');
  expect(formatPercent(Number.NaN)).toBe('–');
  expect([0.0123, 59.94, 120, 7200].map(formatSeconds)).toEqual(['12 ms', '59.9 s', '2.0 min', '2.0 h']);
});

test('times are UTC; a time beyond the calendar is a number', () => {
  expect(formatTime(1_523_627_788_123_456_789n)).toBe('2018-04-13 13:56:28.123 UTC');
  expect(formatTime(10n ** 30n)).toBe(`${10n ** 30n} ns`);
});
