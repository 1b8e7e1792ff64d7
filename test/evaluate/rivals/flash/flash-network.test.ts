import { describe, expect, test } from 'vitest';
import { Random } from '../../../../src/base/random.js';
import type { GraphView } from '../../../../src/detect/graph-view.js';
import { type FlashGraph, FlashNetwork } from '../../../../src/evaluate/rivals/flash/flash-network.js';
import { documentVectors, NodeDocuments } from '../../../../src/evaluate/rivals/flash/node-documents.js';
import { positionCode } from '../../../../src/evaluate/rivals/flash/position-code.js';
import { NeighbourMean } from '../../../../src/evaluate/rivals/learning/neighbour-mean.js';
import { PlainProducts } from '../../../../src/evaluate/rivals/learning/products.js';
import { checkGradients } from '../learning/gradient-check.js';

const INPUTS = 3;
const HIDDEN = 4;
const EDGES = [
  [0, 1],
  [0, 2],
  [3, 2],
  [1, 3],
];
const random = new Random(2);
const own = Float64Array.from({ length: 4 * INPUTS }, () => random.float() - 0.5);
const mean = new NeighbourMean(
  4,
  {
    length: EDGES.length,
    source: EDGES.map(([s]) => s),
    target: EDGES.map(([, t]) => t),
    weight: [1, 1, 1, 1],
  },
  false,
);
const graph: FlashGraph = { mean, own, around: mean.all(own, INPUTS), kinds: Uint8Array.of(0, 1, 1, 0) };
const make = () =>
  new FlashNetwork(
    new PlainProducts(Float64Array),
    { hidden: HIDDEN, dropout: 0.5 },
    { inputs: INPUTS, kinds: 2 },
    new Random(1),
  );

const unit = (row: number[]) => row.map((value) => value / Math.hypot(...row));

function slowLayer(x: number[][], around: FlashNetwork['firstAround'], self: FlashNetwork['firstOwn']) {
  const apply = (row: number[], { w, bias }: FlashNetwork['firstOwn']) =>
    Array.from({ length: w.columns }, (_, j) =>
      row.reduce((sum, value, k) => sum + value * w.w[k * w.columns + j], bias?.w[j] ?? 0),
    );
  return x.map((row, v) => {
    const neighbours = EDGES.filter(([, t]) => t === v).map(([s]) => x[s]);
    const average = row.map((_, k) =>
      neighbours.length === 0 ? 0 : neighbours.reduce((sum, each) => sum + each[k], 0) / neighbours.length,
    );
    const other = apply(row, self);
    return unit(apply(average, around).map((value, j) => value + other[j]));
  });
}

describe('FlashNetwork', () => {
  const rows = [0, 1, 2, 3].map((v) => [...own.subarray(v * INPUTS, (v + 1) * INPUTS)]);

  test('embeds nodes by the formula, and has the weighted loss of their types', () => {
    const network = make();
    const h = slowLayer(rows, network.firstAround, network.firstOwn).map((row) =>
      row.map((value) => Math.max(0, value)),
    );
    network.embed(graph, [2, 3]).forEach((value, i) => {
      expect(value).toBeCloseTo(h[2 + Math.floor(i / HIDDEN)][i % HIDDEN], 10);
    });
    const out = slowLayer(h, network.secondAround, network.secondOwn);
    const loss = (v: number, kind: number) =>
      Math.log(Math.exp(out[v][0]) + Math.exp(out[v][1])) - out[v][kind];
    const weights = [2, 1];
    expect(network.learn(graph, [1, 3], weights, null)).toBeCloseTo((loss(1, 1) + 2 * loss(3, 0)) / 3, 10);
  });

  test('has the gradients of its loss, also with dropout', () => {
    const network = make();
    checkGradients(network.parameters.list, () => network.learn(graph, [0, 1, 3], [2, 1], new Random(6)));
  });
});

describe('NodeDocuments', () => {
  const view = (object: string): GraphView =>
    ({
      planned: { nodes: Int32Array.of(0, 1, 2) },
      names: { texts: ['sh', object], name: Int32Array.of(0, 1, -1) },
      interactions: {
        length: 2,
        subject: Int32Array.of(0, 0),
        object: Int32Array.of(1, 2),
        relation: Uint16Array.of(0, 1),
      },
    }) as unknown as GraphView;

  test('are the program, relation and object of each event, at both ends', () => {
    const documents = new NodeDocuments();
    const { offsets, tokens } = documents.of(view('/etc/a'), ['READ', 'FORK']);
    // sh 0, READ 1, /etc/a 2, FORK 3; the third node has no name.
    expect([...offsets]).toEqual([0, 5, 8, 10]);
    expect([...tokens]).toEqual([0, 1, 2, 0, 3, 0, 1, 2, 0, 3]);
    documents.close();
    expect([...documents.of(view('/etc/new'), ['READ', 'FORK']).tokens]).toEqual([0, 1, 0, 3, 0, 1, 0, 3]);
  });

  test('vectors are the mean of words and positions', () => {
    const vectors = Float32Array.of(1, 0, 0, 2);
    const found = documentVectors(
      { offsets: Uint32Array.of(0, 2, 2), tokens: Uint32Array.of(0, 1) },
      vectors,
      2,
    );
    expect(found[0]).toBeCloseTo((1 + 0 + Math.sin(1)) / 2, 6);
    expect(found[1]).toBeCloseTo((0 + 2 + 1 + Math.cos(1)) / 2, 6);
    expect([...found.subarray(2)]).toEqual([0, 0]);
    expect(positionCode(3, 5, 8)).toBeCloseTo(Math.cos(3 / 10_000 ** (4 / 8)), 12);
  });
});
