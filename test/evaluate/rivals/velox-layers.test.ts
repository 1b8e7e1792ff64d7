import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { countWeights, VeloxLayers, veloxGradient } from '../../../src/evaluate/rivals/velox-layers.js';
import type { SparseMatrix } from '../../../src/features/sparse.js';

const WIDTH = 3;
const RELATIONS = 4;
const ROWS = 5;

function randomRows(random: Random): SparseMatrix {
  return {
    rows: ROWS,
    cols: WIDTH,
    offsets: Uint32Array.from({ length: ROWS + 1 }, (_, row) => row * WIDTH),
    indices: Uint32Array.from({ length: ROWS * WIDTH }, (_, i) => i % WIDTH),
    values: Float32Array.from({ length: ROWS * WIDTH }, () => 2 * random.float() - 1),
  };
}

/** Three pairs of rows with five examples under two, one and two relations. */
const PAIRS = {
  length: 3,
  subject: [0, 1, 0],
  object: [2, 3, 4],
  offsets: Uint32Array.of(0, 2, 3, 5),
  relation: Uint16Array.of(0, 3, 1, 2, 0),
  share: Float64Array.of(0.1, 0.3, 0.2, 0.25, 0.15),
};

describe.each([0, 6])('VeloxLayers with %i hidden units', (hidden) => {
  const random = new Random(hidden);
  const shape = { relationCount: RELATIONS, width: WIDTH, hidden };
  const weights = Float64Array.from({ length: countWeights(shape) }, () => 2 * random.float() - 1);
  // Dropout gives the two roles different values.
  const ends = [randomRows(random), randomRows(random)] as const;

  test('computes the logits by matrix products', () => {
    const layers = new VeloxLayers(shape, weights, ...ends);
    const rowOf = ({ values }: SparseMatrix, row: number) => [
      ...values.subarray(row * WIDTH, (row + 1) * WIDTH),
    ];
    const multiply = (x: readonly number[], w: Float64Array, n: number) =>
      Array.from({ length: n }, (_, k) => [...x, 1].reduce((sum, value, i) => sum + value * w[i * n + k], 0));
    const x = [...rowOf(ends[0], 1), ...rowOf(ends[1], 3)];
    const first = multiply(x, weights, hidden === 0 ? RELATIONS : hidden);
    const second = weights.subarray((2 * WIDTH + 1) * hidden);
    const relu = first.map((value) => Math.max(0, value));
    const expected = hidden === 0 ? first : multiply(relu, second, RELATIONS);
    const total = layers.run(1, 3);
    expected.forEach((logit, r) => {
      expect(layers.logits[r]).toBeCloseTo(logit, 10);
    });
    expect(total).toBeCloseTo(Math.log(expected.reduce((sum, logit) => sum + Math.exp(logit), 0)), 10);
  });

  test('has the gradient of central differences', () => {
    const gradient = new Float64Array(weights.length);
    const lossAt = (at: Float64Array, into = new Float64Array(weights.length)) =>
      veloxGradient(shape, at, PAIRS, ends, into);
    lossAt(weights, gradient);
    const h = 1e-6;
    weights.forEach((weight, k) => {
      const [above, below] = [weights.with(k, weight + h), weights.with(k, weight - h)];
      expect(gradient[k]).toBeCloseTo((lossAt(above) - lossAt(below)) / (2 * h), 7);
    });
  });
});
