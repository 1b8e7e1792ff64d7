import { describe, expect, test } from 'vitest';
import { Random } from '../../../../src/base/random.js';
import type { GraphView } from '../../../../src/detect/graph-view.js';
import { PlainProducts } from '../../../../src/evaluate/rivals/learning/products.js';
import { Cascade, nodeScore } from '../../../../src/evaluate/rivals/threatrace/cascade.js';
import { threatraceGraph } from '../../../../src/evaluate/rivals/threatrace/threatrace-graph.js';
import { ThreatraceNetwork } from '../../../../src/evaluate/rivals/threatrace/threatrace-network.js';
import { THREATRACE_DEFAULTS } from '../../../../src/evaluate/rivals/threatrace/threatrace-options.js';
import { checkGradients } from '../learning/gradient-check.js';

const RELATIONS = 2;
/** Subject, object, relation, events. Relation 2 is not in training. */
const ACTS = [
  [0, 1, 0, 3],
  [0, 2, 1, 1],
  [3, 2, 0, 2],
  [3, 4, 1, 4],
  [0, 3, 1, 1],
  [4, 1, 2, 5],
];
const kinds = Uint8Array.of(0, 1, 1, 0, 2);

const view = {
  planned: { nodes: new Int32Array(5) },
  interactions: {
    length: ACTS.length,
    subject: Int32Array.from(ACTS, ([s]) => s),
    object: Int32Array.from(ACTS, ([, o]) => o),
    relation: Uint16Array.from(ACTS, ([, , r]) => r),
    count: Uint32Array.from(ACTS, ([, , , n]) => n),
  },
} as unknown as GraphView;

const graph = () => threatraceGraph(view, kinds, RELATIONS);
const options = { ...THREATRACE_DEFAULTS, hidden: 4 };
const make = (seed = 1) =>
  new ThreatraceNetwork(
    new PlainProducts(Float64Array),
    options,
    { inputs: 2 * RELATIONS, kinds: 3 },
    new Random(seed),
  );

/** The probabilities, directly from the formulas. */
function slowPredict(network: ThreatraceNetwork): number[][] {
  const known = ACTS.filter(([, , r]) => r < RELATIONS);
  const x = Array.from(kinds, (_, v) =>
    Array.from({ length: 2 * RELATIONS }, (_, k) =>
      known
        .filter(([s, o, r]) => (k < RELATIONS ? s === v && r === k : o === v && r === k - RELATIONS))
        .reduce((sum, [, , , n]) => sum + n, 0),
    ),
  );
  const mean = (rows: number[][], v: number) => {
    // Every event is an edge, so three events weigh three times.
    const list = [
      rows[v],
      ...known.filter(([, o]) => o === v).flatMap(([s, , , n]) => Array(n).fill(rows[s])),
    ];
    return rows[v].map((_, k) => list.reduce((sum, row) => sum + row[k], 0) / list.length);
  };
  const apply = (row: number[], { w, bias }: ThreatraceNetwork['first']) =>
    Array.from(
      { length: w.columns },
      (_, j) => row.reduce((sum, value, k) => sum + value * w.w[k * w.columns + j], 0) + (bias?.w[j] ?? 0),
    );
  const h = x.map((_, v) => apply(mean(x, v), network.first).map((value) => Math.max(0, value)));
  return h.map((_, v) => {
    const logits = apply(mean(h, v), network.second).map(Math.exp);
    const total = logits.reduce((sum, value) => sum + value, 0);
    return logits.map((value) => value / total);
  });
}

describe('ThreatraceNetwork', () => {
  test('predicts node types by two layers over event counts', () => {
    const network = make();
    const expected = slowPredict(network);
    network.predict(graph(), [4, 1, 2]).forEach((value, i) => {
      expect(value).toBeCloseTo(expected[[4, 1, 2][Math.floor(i / 3)]][i % 3], 6);
    });
  });

  test('the loss is the mean cross entropy of the nodes in a step', () => {
    const network = make();
    const expected = slowPredict(network);
    const loss = network.learn(graph(), [0, 4], null);
    expect(loss).toBeCloseTo(-(Math.log(expected[0][0]) + Math.log(expected[4][2])) / 2, 6);
  });

  test('has the gradients of its loss, also with dropout', () => {
    const network = make();
    const prepared = graph();
    checkGradients(network.parameters.list, () => network.learn(prepared, [0, 1, 3, 4], new Random(4)));
  });
});

describe('nodeScore', () => {
  test.each([
    [[0.6, 0.3, 0.1], 0, 0.5],
    [[0.4, 0.35, 0.25], 0, 0.875],
    [[0.6, 0.3, 0.1], 1, 1.3],
    [[0.6, 0.3, 0.1], 3, 1.6],
  ])('%j for kind %i is %f', (probabilities, kind, score) => {
    expect(nodeScore(probabilities, kind)).toBeCloseTo(score, 12);
  });
});

describe('Cascade', () => {
  test('keeps sub-models until every training node is right, and gives these low scores', async () => {
    const cascade = new Cascade(make(), { ...options, dropout: 0, patience: 200 });
    await cascade.fit([graph()], new Random(2));
    expect(cascade.models).toBeGreaterThan(0);
    const scores = cascade.scores(graph());
    expect(Math.max(...scores)).toBeLessThan(1 / options.ratio);
    const changed = threatraceGraph(view, Uint8Array.of(2, 1, 1, 0, 2), RELATIONS);
    expect(cascade.scores(changed)[0]).toBeGreaterThan(1);
  });

  test('stops at a number of steps', async () => {
    const network = make();
    await new Cascade(network, options).fit([graph()], new Random(2), { most: 3 });
    expect(network.parameters.steps).toBe(3);
  });
});
