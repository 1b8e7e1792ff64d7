import fc from 'fast-check';
import { expect, it } from 'vitest';
import { append } from '../../src/base/append.js';
import { largest, smallest } from '../../src/base/extremes.js';

it('are those of Math.min and Math.max', () => {
  fc.assert(
    fc.property(fc.array(fc.double()), (values) => {
      expect(smallest(values)).toBe(Math.min(...values));
      expect(largest(values)).toBe(Math.max(...values));
    }),
  );
});

it('of more values than the stack can take are found, and such an array is appended', () => {
  const values = Array.from({ length: 1_000_000 }, (_, i) => i);
  expect(() => Math.min(...values)).toThrow(RangeError);
  expect([smallest(values), largest(values)]).toEqual([0, 999_999]);
  const all = [-1];
  append(all, values);
  expect([all.length, all[0], all[1_000_000]]).toEqual([1_000_001, -1, 999_999]);
});
