import { describe, expect, test } from 'vitest';
import { Random } from '../../../../src/base/random.js';
import { gatherEdges } from '../../../../src/evaluate/rivals/learning/edge-rows.js';
import { PlainProducts, type Reals } from '../../../../src/evaluate/rivals/learning/products.js';
import { MagicNetwork } from '../../../../src/evaluate/rivals/magic/magic-network.js';
import { MAGIC_DEFAULTS } from '../../../../src/evaluate/rivals/magic/magic-options.js';
import { checkGradients } from '../learning/gradient-check.js';

const TYPES = 3;
const RELATIONS = 2;
const options = { ...MAGIC_DEFAULTS, hidden: 8, heads: 2, layers: 3 };
const types = Uint8Array.of(0, 1, 2, 1, 0);
/** Source, target, relation. Node 4 has no edge in. */
const EDGES = [
  [0, 1, 0],
  [2, 1, 1],
  [1, 0, 1],
  [3, 2, 0],
  [4, 3, 0],
  [0, 3, 1],
];
const graph = gatherEdges(5, {
  length: EDGES.length,
  source: EDGES.map(([s]) => s),
  target: EDGES.map(([, t]) => t),
  relation: EDGES.map(([, , r]) => r),
});
const pairs = { length: 4, connected: 2, source: [0, 3, 4, 2], target: [1, 2, 0, 4] };
const masked = [1, 4];

function makeNetwork(seed = 1): MagicNetwork {
  const network = new MagicNetwork(
    new PlainProducts(Float64Array),
    options,
    { types: TYPES, relations: RELATIONS },
    new Random(seed),
  );
  // Zeros would hide mistakes in the gradients of the mask token and the biases.
  const random = new Random(9);
  for (const { w } of network.parameters.list) {
    if (w.every((value) => value === 0)) for (let i = 0; i < w.length; i++) w[i] = random.float() - 0.5;
  }
  return network;
}

/** One layer, as MAGIC's paper writes it: no arrays shared with the code under test. */
function slowLayer(layer: MagicNetwork['decoder'], x: readonly number[][], leaky = 0.2): number[][] {
  const { width, residual } = layer.shape;
  const at = (w: Reals, row: number, column: number) => w[row * layer.outputs + column];
  const z = x.map((row) =>
    Array.from({ length: layer.outputs }, (_, j) =>
      row.reduce((sum, value, k) => sum + value * at(layer.w.w, k, j), 0),
    ),
  );
  const dot = (a: Reals, row: (column: number) => number, head: number) => {
    let sum = 0;
    for (let k = 0; k < width; k++) sum += a[head * width + k] * row(head * width + k);
    return sum;
  };
  return x.map((own, v) =>
    Array.from({ length: layer.outputs }, (_, j) => {
      const head = Math.floor(j / width);
      const into = EDGES.filter(([, target]) => target === v);
      const weights = into.map(([u, , r]) => {
        const logit =
          dot(layer.aSource.w, (c) => z[u][c], head) +
          dot(layer.aTarget.w, (c) => z[v][c], head) +
          dot(layer.aEdge.w, (c) => at(layer.edges.w, r, c), head);
        return Math.exp(logit > 0 ? logit : leaky * logit);
      });
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      let out = layer.bias.w[j];
      into.forEach(([u], e) => {
        out += (weights[e] / total) * z[u][j];
      });
      if (residual) {
        const { wResidual } = layer;
        out +=
          wResidual === null ? own[j] : own.reduce((sum, value, k) => sum + value * at(wResidual.w, k, j), 0);
      }
      return layer.prelu === null || out > 0 ? out : out * layer.prelu.w[0];
    }),
  );
}

const oneHot = (type: number): number[] => Array.from({ length: TYPES }, (_, k) => (k === type ? 1 : 0));

describe('MagicNetwork', () => {
  test('embeds nodes by three layers of attention over typed edges', () => {
    const network = makeNetwork();
    let h = Array.from(types, oneHot);
    for (const layer of network.encoder) h = slowLayer(layer, h);
    network.embed(graph, types).forEach((value, i) => {
      expect(value).toBeCloseTo(h[Math.floor(i / 8)][i % 8], 10);
    });
  });

  test('the loss is the scaled cosine error of masked nodes plus the cross entropy of pairs', () => {
    const network = makeNetwork();
    let h = Array.from(types, (type, v) => (masked.includes(v) ? [...network.token.w] : oneHot(type)));
    const outputs: number[][][] = [];
    for (const layer of network.encoder) {
      h = slowLayer(layer, h);
      outputs.push(h);
    }
    const all = h.map((_, v) => outputs.flatMap((output) => output[v]));
    const multiply = (row: readonly number[], { w, columns }: { w: Reals; columns: number }) =>
      Array.from({ length: columns }, (_, j) => row.reduce((sum, x, k) => sum + x * w[k * columns + j], 0));
    const decoded = slowLayer(
      network.decoder,
      all.map((row) => multiply(row, network.toDecoder.w)),
    );
    let loss = 0;
    for (const v of masked) {
      const norm = Math.hypot(...decoded[v]);
      loss += (1 - decoded[v][types[v]] / norm) ** 3 / masked.length;
    }
    for (let p = 0; p < pairs.length; p++) {
      const { first, second } = network.classifier;
      const hidden = multiply([...all[pairs.source[p]], ...all[pairs.target[p]]], first.w).map((value, j) => {
        const sum = value + (first.bias?.w[j] ?? 0);
        return sum > 0 ? sum : 0.2 * sum;
      });
      const [logit] = multiply(hidden, second.w);
      const probability = 1 / (1 + Math.exp(-logit - (second.bias?.w[0] ?? 0)));
      loss -= Math.log(p < pairs.connected ? probability : 1 - probability) / pairs.length;
    }
    expect(network.learn(graph, types, { masked, pairs, random: null })).toBeCloseTo(loss, 10);
  });

  test('has the gradients of its loss, also with dropout', () => {
    const network = makeNetwork();
    const learn = () => network.learn(graph, types, { masked, pairs, random: new Random(5) });
    checkGradients(network.parameters.list, learn);
  });

  test('learns to reconstruct types and edges', () => {
    const network = makeNetwork();
    const draw = { masked, pairs, random: null };
    const before = network.learn(graph, types, draw);
    for (let step = 0; step < 150; step++) {
      network.parameters.clearGradients();
      network.learn(graph, types, draw);
      network.parameters.step({ rate: 0.01 });
    }
    expect(network.learn(graph, types, draw)).toBeLessThan(before / 4);
  });
});
