import { expect, test } from 'vitest';
import { Random } from '../../../../src/base/random.js';
import { Parameters } from '../../../../src/evaluate/rivals/learning/parameters.js';

test('steps of Adam follow the formula of Kingma and Ba, with L2 in the gradient', () => {
  const parameters = new Parameters(Float64Array, new Random(1));
  const { w, d } = parameters.constant(1, 2, 0.5);
  const gradients = [
    [0.3, -2],
    [-0.1, 4],
    [0.7, 1],
  ];
  const [rate, decay] = [0.01, 0.1];
  const expected = [0.5, 0.5].map((start, k) => {
    let [weight, m, v] = [start, 0, 0];
    gradients.forEach((row, i) => {
      const g = row[k] + decay * weight;
      m = 0.9 * m + 0.1 * g;
      v = 0.999 * v + 0.001 * g * g;
      const corrected = [m / (1 - 0.9 ** (i + 1)), v / (1 - 0.999 ** (i + 1))];
      weight -= (rate * corrected[0]) / (Math.sqrt(corrected[1]) + 1e-8);
    });
    return weight;
  });
  for (const row of gradients) {
    parameters.clearGradients();
    d.set(row);
    parameters.step({ rate, decay });
  }
  expect(parameters.steps).toBe(3);
  expect(w[0]).toBeCloseTo(expected[0], 12);
  expect(w[1]).toBeCloseTo(expected[1], 12);
});

test('a copy of the weights stays as it is, and can be put back', () => {
  const parameters = new Parameters(Float64Array, new Random(1));
  const { w, d } = parameters.normal(2, 2, 1);
  const before = [...w];
  const copy = parameters.copy();
  d.fill(1);
  parameters.step({ rate: 0.1 });
  expect([...w]).not.toEqual(before);
  parameters.restore(copy);
  expect([...w]).toEqual(before);
});
