import { describe, expect, test } from 'vitest';
import { Random } from '../../../../src/base/random.js';
import { BOOSTING_DEFAULTS, BoostedTrees } from '../../../../src/evaluate/rivals/boosting/boosted-trees.js';

describe('BoostedTrees', () => {
  test('one round of one cut has the leaves of the formula −ηG/(H + λ)', async () => {
    // Two features, of which the first is constant; the best cut of the second is between 2 and 5.
    const x = [1, 1, 1, 2, 1, 5, 1, 7, 1, 6];
    const labels = [0, 0, 1, 1, 1];
    const options = { ...BOOSTING_DEFAULTS, rounds: 1, depth: 1, smallest: 0 };
    const model = await BoostedTrees.fit(x, labels, 2, options);
    // At the start p = 1/2, so g = ±1/2 and h = 2 · 1/4. Left: two rows of class 0; right: three of class 1.
    const leaf = (g: number, h: number) => (-0.3 * g) / (h + 1);
    const left = [leaf(-1, 1), leaf(1, 1)];
    const right = [leaf(1.5, 1.5), leaf(-1.5, 1.5)];
    const softmax = (m: number[]) => Math.exp(m[0]) / (Math.exp(m[0]) + Math.exp(m[1]));
    const found = model.predict(x);
    [left, left, right, right, right].forEach((margins, row) => {
      expect(found[2 * row]).toBeCloseTo(softmax(margins), 12);
    });
    // A value between the cuts goes left up to the largest value on the left.
    expect(model.predict([1, 2])[0]).toBeCloseTo(softmax(left), 12);
    expect(model.predict([1, 2.5])[0]).toBeCloseTo(softmax(right), 12);
  });

  test('learns classes that no single cut separates', async () => {
    const random = new Random(1);
    const x = Float64Array.from({ length: 800 }, () => random.float() * 2 - 1);
    const labels = Array.from({ length: 400 }, (_, row) => {
      const [a, b] = [x[2 * row], x[2 * row + 1]];
      return a * b > 0 ? 0 : a > 0 ? 1 : 2;
    });
    const model = await BoostedTrees.fit(x, labels, 3, { ...BOOSTING_DEFAULTS, rounds: 20 });
    const found = model.predict(x);
    const right = labels.filter((label, row) => {
      const own = found.subarray(3 * row, 3 * row + 3);
      return own.indexOf(Math.max(...own)) === label;
    });
    expect(right.length).toBeGreaterThan(390);
  });
});
