import { expect, test } from 'vitest';
import { spreadOf } from '../../../src/report/charts/statistics.js';

test('one value has no deviation, and no value has no mean', () => {
  expect(spreadOf([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({ mean: 5, deviation: Math.sqrt(32 / 7), count: 8 });
  expect(spreadOf([3])).toEqual({ mean: 3, deviation: Number.NaN, count: 1 });
  expect(spreadOf([]).mean).toBeNaN();
});
