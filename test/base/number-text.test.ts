import { expect, test } from 'vitest';
import { groupThousands } from '../../src/base/number-text.js';

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
