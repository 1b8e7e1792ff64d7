import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import type { GraphView } from '../../../src/detect/graph-view.js';
import { RelationNetwork } from '../../../src/evaluate/rivals/relation-network.js';

const WIDTH = 3;
const RELATIONS = 3;

/** Nodes with three features and a profile behind them, which the network must not read. */
function randomView(
  seed: number,
  relationOf: (s: readonly number[], o: readonly number[]) => number,
): GraphView {
  const random = new Random(seed);
  const rows = Array.from({ length: 30 }, () =>
    Array.from({ length: WIDTH }, () => Math.fround(random.float() * 2 - 1)),
  );
  const pairs = Array.from({ length: 400 }, () => [random.below(30), random.below(30)]);
  const indices = rows.flatMap(() => [0, 1, 2, WIDTH + 4]);
  const zeros = new Int32Array(pairs.length);
  return {
    planned: {
      nodes: Int32Array.from(rows.keys()),
      graph: {
        features: {
          rows: rows.length,
          cols: WIDTH + 9,
          offsets: Uint32Array.from({ length: rows.length + 1 }, (_, i) => i * 4),
          indices: Uint32Array.from(indices),
          values: Float32Array.from(rows.flatMap((row) => [...row, random.float() * 100])),
        },
      },
    } as unknown as GraphView['planned'],
    names: undefined as unknown as GraphView['names'],
    newRelation: new Uint8Array(rows.length),
    interactions: {
      length: pairs.length,
      subject: Int32Array.from(pairs, ([s]) => s),
      object: Int32Array.from(pairs, ([, o]) => o),
      relation: Uint16Array.from(pairs, ([s, o]) => relationOf(rows[s], rows[o])),
      count: new Uint32Array(pairs.length).fill(1),
      first: zeros,
      last: zeros,
    },
  };
}

const rule = (s: readonly number[], o: readonly number[]) => (s[0] > 0 ? 0 : o[2] > 0 ? 1 : 2);

/** The mean loss of softmax regression, written out; weights as in the parts. */
function slowLosses(view: GraphView, weights: ArrayLike<number>): number[] {
  const { features } = view.planned.graph;
  const { subject, object, relation, length } = view.interactions;
  return Array.from({ length }, (_, i) => {
    const x = [subject[i], object[i]].flatMap((node) => [
      ...features.values.subarray(node * 4, node * 4 + WIDTH),
    ]);
    const logits = Array.from({ length: RELATIONS }, (_, r) =>
      [...x, 1].reduce((sum, value, k) => sum + value * weights[k * RELATIONS + r], 0),
    );
    return -Math.log(Math.exp(logits[relation[i]]) / logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
  });
}

describe('relation network', () => {
  const train = randomView(1, rule);
  const network = RelationNetwork.fit([train], RELATIONS, WIDTH, { steps: 300, rate: 0.05 });

  test('computes the loss of softmax regression on text and type of both ends', () => {
    const expected = slowLosses(train, network.toParts().weights);
    network.losses(train).forEach((loss, i) => {
      expect(loss).toBeCloseTo(expected[i], 6);
    });
  });

  test('ends near the minimum: no small change of a weight makes the loss much smaller', () => {
    const mean = (weights: ArrayLike<number>) => slowLosses(train, weights).reduce((a, b) => a + b, 0) / 400;
    const long = RelationNetwork.fit([train], RELATIONS, WIDTH, { steps: 600, rate: 0.05 });
    const { weights } = long.toParts();
    const at = mean(weights);
    expect(at).toBeLessThan(0.35);
    // The rule can be told apart ever more sharply by larger weights, so the slope need not vanish.
    weights.forEach((_, k) => {
      const moved = weights.map((weight, i) => (i === k ? weight + 0.05 : weight));
      expect(mean(moved)).toBeGreaterThan(at - 0.01);
    });
  });

  test('finds a relation strange where it does not belong, in graphs it has not seen', () => {
    const mean = (view: GraphView) =>
      network.losses(view).reduce((a, b) => a + b, 0) / view.interactions.length;
    expect(mean(randomView(2, rule))).toBeLessThan(0.7);
    expect(mean(randomView(2, (s, o) => (rule(s, o) + 1) % 3))).toBeGreaterThan(2);
  });

  test('counts an interaction as often as it is there, and gives the same bytes again', () => {
    const weights = (...views: GraphView[]) =>
      RelationNetwork.fit(views, RELATIONS, WIDTH, { steps: 20 }).toParts();
    expect(weights(train)).toEqual(weights(train));
    expect(weights(train, train).examples).toBe(2 * weights(train).examples);
    const other = randomView(4, rule);
    weights(train, train).weights.forEach((weight, i) => {
      expect(weight).toBeCloseTo(weights(train).weights[i], 5);
    });
    expect(weights(train, other)).not.toEqual(weights(train, train));
  });

  test('holds a relation it never met for as likely as what none of its examples was', () => {
    const strange = randomView(3, () => RELATIONS);
    expect(network.losses(strange)[0]).toBeCloseTo(Math.log(401), 12);
    const taught = RelationNetwork.fit([strange], RELATIONS, WIDTH);
    expect(taught.toParts().examples).toBe(0);
  });

  test('goes through its parts, and refuses damaged ones', () => {
    const parts = network.toParts();
    const again = RelationNetwork.fromParts(parts);
    expect(again.losses(train)).toEqual(network.losses(train));
    const refuse = (change: object) =>
      expect(() => RelationNetwork.fromParts({ ...parts, ...change })).toThrow('damaged');
    refuse({ width: 4 });
    refuse({ relationCount: -3 });
    refuse({ weights: parts.weights.map((weight, i) => (i === 5 ? Number.NaN : weight)) });
    refuse({ examples: 0.5 });
  });
});
