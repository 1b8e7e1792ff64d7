import { describe, expect, test } from 'vitest';
import { Random } from '../../../../src/base/random.js';
import { PlainProducts, type Reals } from '../../../../src/evaluate/rivals/learning/products.js';
import type { TransformerLayer } from '../../../../src/evaluate/rivals/learning/transformer-layer.js';
import { NeighbourMemory } from '../../../../src/evaluate/rivals/orthrus/neighbour-memory.js';
import { OrthrusNetwork } from '../../../../src/evaluate/rivals/orthrus/orthrus-network.js';
import { ORTHRUS_DEFAULTS } from '../../../../src/evaluate/rivals/orthrus/orthrus-options.js';
import { twoMeans } from '../../../../src/evaluate/rivals/orthrus/two-means.js';
import { wordWeights } from '../../../../src/evaluate/rivals/word-weights.js';
import { checkGradients } from '../learning/gradient-check.js';

const small = { ...ORTHRUS_DEFAULTS, projected: 4, hidden: 3, heads: 2, out: 3, neighbours: 2 };
const RELATIONS = 2;
const INPUTS = 3;
/** Source, target, relation. */
const EDGES = [
  [0, 1, 0],
  [2, 1, 1],
  [0, 3, 1],
  [1, 0, 1],
  [0, 1, 1],
  [3, 0, 0],
];
const edges = {
  length: EDGES.length,
  source: Int32Array.from(EDGES, ([s]) => s),
  target: Int32Array.from(EDGES, ([, t]) => t),
  relation: Uint16Array.from(EDGES, ([, , r]) => r),
};
const random = new Random(8);
const features = Float64Array.from({ length: 5 * INPUTS }, () => random.float() - 0.5);
const make = (options = small) =>
  new OrthrusNetwork(
    new PlainProducts(Float64Array),
    options,
    { inputs: INPUTS, relations: RELATIONS },
    new Random(1),
  );

/** The last two edges, after the first four. */
function lastBatch() {
  const memory = new NeighbourMemory(5, small.neighbours);
  memory.batch(edges, 0, 4, features);
  memory.remember(edges, 0, 4);
  return memory.batch(edges, 4, 6, features);
}

const apply = (x: readonly number[], w: Reals, bias: Reals | undefined, columns: number) =>
  Array.from({ length: columns }, (_, j) =>
    x.reduce((sum, value, k) => sum + value * w[k * columns + j], bias?.[j] ?? 0),
  );
const linear = (x: readonly number[], layer: OrthrusNetwork['asSource']) =>
  apply(x, layer.w.w, layer.bias?.w, layer.w.columns);

/** One layer from its formula; `into` lists (neighbour, relation) by node. */
function slowLayer(layer: TransformerLayer, x: readonly number[][], into: readonly number[][][]): number[][] {
  const { heads, width } = layer.shape;
  const edge = (r: number, j: number) => layer.edges.w[r * layer.outputs + j];
  return x.map((own, v) => {
    const out = linear(own, layer.skip);
    const q = linear(own, layer.query);
    for (let h = 0; h < heads; h++) {
      const at = Array.from({ length: width }, (_, j) => h * width + j);
      const weights = (into[v] ?? []).map(([u, r]) => {
        const k = linear(x[u], layer.key);
        return Math.exp(at.reduce((sum, j) => sum + q[j] * (k[j] + edge(r, j)), 0) / Math.sqrt(width));
      });
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      (into[v] ?? []).forEach(([u, r], i) => {
        const value = linear(x[u], layer.value);
        for (const j of at) out[j] += (weights[i] / total) * (value[j] + edge(r, j));
      });
    }
    return out;
  });
}

// The attention of the first layer folds its queries into the inputs if a head is as wide as they are.
describe.each([
  ['OrthrusNetwork', small],
  ['OrthrusNetwork with a first layer that folds', { ...small, hidden: 5 }],
])('%s', (_, options) => {
  test('gives the loss of the relation of an edge, from the latest edges of both ends', () => {
    const network = make(options);
    // After four edges, node 0 remembers (3, 1) and (1, 1); node 1 (2, 1) and (0, 1); node 3 (0, 1). The first edge of
    // node 0 and of node 1 is forgotten. Nodes: 0, 1, 3 and the neighbour 2.
    const into: number[][][] = [];
    into[0] = [
      [1, 1],
      [3, 1],
    ];
    into[1] = [
      [2, 1],
      [0, 1],
    ];
    into[3] = [[0, 1]];
    const roles = [3, 3, 1, 3];
    const row = (node: number) => [...features.subarray(node * INPUTS, (node + 1) * INPUTS)];
    const zero = [0, 0, 0];
    const x = roles.map((role, node) => {
      const source = linear((role & 1) === 0 ? zero : row(node), network.asSource);
      const target = linear((role & 2) === 0 ? zero : row(node), network.asTarget);
      return source.map((value, j) => value + target[j]);
    });
    const h1 = slowLayer(network.first, x, into).map((values) => values.map((value) => Math.max(0, value)));
    const h = slowLayer(network.second, h1, into);
    const expected = EDGES.slice(4).map(([s, t, r]) => {
      const pair = [...linear(h[s], network.decodeSource), ...linear(h[t], network.decodeTarget)];
      const logits = linear(
        linear(pair, network.hidden).map((value) => Math.max(0, value)),
        network.output,
      );
      return Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0)) - logits[r];
    });
    const losses = network.losses(lastBatch());
    expect(losses).toHaveLength(2);
    losses.forEach((loss, i) => {
      expect(loss).toBeCloseTo(expected[i], 10);
    });
    expect(network.learn(lastBatch(), null)).toBeCloseTo((expected[0] + expected[1]) / 2, 10);
  });

  test('has the gradients of its loss, also with dropout', () => {
    const network = make(options);
    const batch = lastBatch();
    checkGradients(network.parameters.list, () => network.learn(batch, new Random(3)));
  });

  test('a relation that training lacks has no loss', () => {
    const batch = { ...lastBatch(), relations: Uint16Array.of(RELATIONS, 0) };
    expect(make(options).losses(batch)[0]).toBeNaN();
  });
});

test('twoMeans cuts where the clusters are tightest', () => {
  expect(twoMeans([1, 9, 1.5, 8, 2])).toBe(2);
  expect(twoMeans([3, 3])).toBe(Number.NEGATIVE_INFINITY);
  expect(twoMeans([])).toBe(Number.NEGATIVE_INFINITY);
});

test('wordWeights fall by the given share of the mean from word to word, and sum to 1', () => {
  for (const [i, weight] of wordWeights(4, 0.3).entries()) {
    expect(weight).toBeCloseTo([0.3625, 0.2875, 0.2125, 0.1375][i], 12);
  }
  const long = [...wordWeights(9, 0.3)];
  expect(long.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  expect(long[8]).toBeCloseTo(-0.2 / 9, 12);
});
