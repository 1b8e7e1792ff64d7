import { expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { FARTHEST } from '../../../src/detect/knn/snapped-points.js';
import { Moments, Standardisation } from '../../../src/detect/knn/standardisation.js';
import { cloud } from './clouds.js';

test('mean and deviation of rows added in chunks equal direct evaluation', () => {
  const rows = cloud(new Random('moments'), { rows: 400, width: 5, middles: 3 });
  // A small spread around a large mean keeps its digits.
  for (let row = 0; row < 400; row++) rows[row * 5 + 2] = 1000 + rows[row * 5 + 2] / 64;
  const moments = new Moments(5);
  for (const [from, to] of [
    [0, 1],
    [1, 1],
    [1, 250],
    [250, 400],
  ]) {
    moments.add(rows.subarray(from * 5, to * 5));
  }
  const { mean, deviation, kept } = moments.standardisation();
  for (let d = 0; d < 5; d++) {
    const column = Float64Array.from({ length: 400 }, (_, row) => rows[row * 5 + d]);
    const middle = column.reduce((sum, x) => sum + x, 0) / 400;
    const spread = Math.sqrt(column.reduce((sum, x) => sum + (x - middle) ** 2, 0) / 400);
    expect(mean[d]).toBe(Math.fround(middle));
    expect(deviation[d]).toBeCloseTo(spread, 6);
  }
  expect([...kept]).toEqual([0, 1, 2, 3, 4]);
});

test('constant dimensions are dropped, and so are those that vary only by rounding', () => {
  const moments = new Moments(3);
  const next = Math.fround(1 + 2 ** -23);
  moments.add(Float32Array.of(3, 0.1, 1, 3, 0.2, next, 3, 0.3, 1, 3, 0.4, next));
  const standardisation = moments.standardisation();
  expect([...standardisation.kept]).toEqual([1]);
  const points = standardisation.snap(Float32Array.of(-7, 0.1, 99, 50, 0.1, -99));
  expect(points).toMatchObject({ width: 1, count: 1 }); // they differ in dropped dimensions only
});

test('coordinates snap to the nearest grid step and are clamped', () => {
  const plain = new Standardisation(Float32Array.of(1, 0), Float32Array.of(2, 1));
  const { steps, pointOf } = plain.snap(
    Float32Array.of(4, 0.1234564, 4, 0.1234556, 4, -0.1234564, 1e9, -1e30, 1, Number.POSITIVE_INFINITY),
  );
  expect([...steps]).toEqual([1_500_000, 123_456, 1_500_000, -123_456, FARTHEST, -FARTHEST, 0, FARTHEST]);
  expect([...pointOf]).toEqual([0, 0, 1, 2, 3]);
});

test('embeddings that are not numbers are refused', () => {
  const plain = new Standardisation(Float32Array.of(0), Float32Array.of(1));
  const notANumber = expect.objectContaining({ code: 'not-a-number' });
  expect(() => plain.snap(Float32Array.of(1, Number.NaN))).toThrow(notANumber);
  const moments = new Moments(1);
  moments.add(Float32Array.of(1, Number.NaN));
  expect(() => moments.standardisation()).toThrow(notANumber);
  expect(() =>
    new Standardisation(new Float32Array(2), new Float32Array(2)).snap(new Float32Array(3)),
  ).toThrow(RangeError);
});
