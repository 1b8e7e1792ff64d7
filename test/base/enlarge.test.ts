import { expect, test } from 'vitest';
import { enlarge } from '../../src/base/enlarge.js';

test('keeps the type and the numbers, doubles by default, and fills with zeros', () => {
  expect(enlarge(Uint16Array.of(7, 65_535))).toEqual(Uint16Array.of(7, 65_535, 0, 0));
  expect(enlarge(Float64Array.of(0.1), 3)).toEqual(Float64Array.of(0.1, 0, 0));
  expect(enlarge(BigInt64Array.of(-1n))).toEqual(BigInt64Array.of(-1n, 0n));
});

test('copies only the range of a view and does not change its array', () => {
  const whole = Int32Array.of(1, 2, 3, 4);
  const larger = enlarge(whole.subarray(1, 3));
  expect(larger).toEqual(Int32Array.of(2, 3, 0, 0));
  larger.fill(9);
  expect(whole).toEqual(Int32Array.of(1, 2, 3, 4));
});
