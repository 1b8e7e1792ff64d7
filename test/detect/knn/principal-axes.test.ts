import { expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { principalAxes } from '../../../src/detect/knn/principal-axes.js';
import { buildReference, cloud } from './clouds.js';

test('axes are orthonormal, and the spread falls from axis to axis', () => {
  const random = new Random('axes');
  const width = 9;
  const rows = cloud(random, { rows: 500, width, middles: 4 });
  for (let row = 0; row < 500; row++) rows[row * width] = rows[row * width + 1] + 0.01 * random.float();
  const { points } = buildReference(rows, width, 0);
  const axes = principalAxes(points, 10);
  const column = (a: number) => Array.from({ length: width }, (_, i) => axes[i * 10 + a]);
  const product = (x: readonly number[], y: readonly number[]) => x.reduce((sum, v, i) => sum + v * y[i], 0);
  const variances = Array.from({ length: width }, (_, a) => {
    for (let b = 0; b < width; b++) expect(product(column(a), column(b))).toBeCloseTo(a === b ? 1 : 0, 12);
    const along = Array.from({ length: points.count }, (_, p) =>
      product(column(a), [...points.steps.subarray(p * width, (p + 1) * width)]),
    );
    const mean = along.reduce((sum, x) => sum + x, 0) / along.length;
    return along.reduce((sum, x) => sum + (x - mean) ** 2, 0) / along.length / 1e12;
  });
  for (let a = 1; a < width; a++) expect(variances[a]).toBeLessThanOrEqual(variances[a - 1] + 1e-9);
  // Two dimensions are nearly equal, so that one axis has almost no spread.
  expect(variances[width - 1]).toBeLessThan(1e-4);
  expect(variances.reduce((sum, x) => sum + x)).toBeCloseTo(width, 3);
});
