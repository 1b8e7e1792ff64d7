import { expect, test } from 'vitest';
import { countOf, groupThousands } from '../../src/base/number-text.js';

test.each([
  ['0', '0'],
  ['999', '999'],
  ['1000', '1,000'],
  ['-1234567', '-1,234,567'],
  ['100000.123456', '100,000.123456'],
  ['0.0001', '0.0001'],
])('%s becomes %s', (digits, grouped) => {
  expect(groupThousands(digits)).toBe(grouped);
});

test.each([
  [0, '0 graphs'],
  [1, '1 graph'],
  [1n, '1 graph'],
  [1234, '1,234 graphs'],
])('countOf(%s) gives %s', (count, text) => {
  expect(countOf(count, 'graph')).toBe(text);
});

test('a noun may have a plural of its own', () => {
  expect(countOf(2, 'entity', 'entities')).toBe('2 entities');
});
