import { expect, test } from 'vitest';
import { enlarge } from '../../src/base/enlarge.js';

test('enlarge keeps the type and the numbers, doubles unless told otherwise, and fills with zeros', () => {
  expect(enlarge(Uint16Array.of(7, 65_535))).toEqual(Uint16Array.of(7, 65_535, 0, 0));
  expect(enlarge(Float64Array.of(0.1), 3)).toEqual(Float64Array.of(0.1, 0, 0));
  expect(enlarge(BigInt64Array.of(-1n))).toEqual(BigInt64Array.of(-1n, 0n));
});

test('enlarge takes what a view shows, and leaves it as it was', () => {
  const whole = Int32Array.of(1, 2, 3, 4);
  const larger = enlarge(whole.subarray(1, 3));
  expect(larger).toEqual(Int32Array.of(2, 3, 0, 0));
  larger.fill(9);
  expect(whole).toEqual(Int32Array.of(1, 2, 3, 4));
});
