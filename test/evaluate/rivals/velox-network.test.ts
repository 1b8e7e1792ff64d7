import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import type { GraphView } from '../../../src/detect/graph-view.js';
import { VeloxExamples } from '../../../src/evaluate/rivals/velox-examples.js';
import { VeloxNetwork } from '../../../src/evaluate/rivals/velox-network.js';
import type { VeloxNetworkOptions } from '../../../src/evaluate/rivals/velox-options.js';

const WIDTH = 3;
const RELATIONS = 3;

/** Nodes with three features, followed by a profile that the network must not read. */
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

const LINEAR = { hidden: 0, dropout: 0 };

function fitNetwork(views: readonly GraphView[], options: Partial<VeloxNetworkOptions> = {}): VeloxNetwork {
  return VeloxNetwork.fit(new VeloxExamples(RELATIONS, WIDTH).add(views), { ...LINEAR, ...options });
}

/** The losses of softmax regression, computed directly. */
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

describe('VeloxNetwork', () => {
  const train = randomView(1, rule);
  const network = fitNetwork([train], { steps: 300, rate: 0.05 });

  test('computes the loss of softmax regression over text and type of both ends', () => {
    const expected = slowLosses(train, network.weights);
    network.losses(train).forEach((loss, i) => {
      expect(loss).toBeCloseTo(expected[i], 6);
    });
  });

  test('converges: no small change of a weight makes the loss much smaller', () => {
    const mean = (weights: ArrayLike<number>) => slowLosses(train, weights).reduce((a, b) => a + b, 0) / 400;
    const long = fitNetwork([train], { steps: 600, rate: 0.05 });
    const { weights } = long;
    const at = mean(weights);
    expect(at).toBeLessThan(0.35);
    // The classes are separable, so larger weights always reduce the loss a little.
    weights.forEach((_, k) => {
      const moved = weights.map((weight, i) => (i === k ? weight + 0.05 : weight));
      expect(mean(moved)).toBeGreaterThan(at - 0.01);
    });
  });

  test('gives unexpected relations a high loss in new graphs', () => {
    const mean = (view: GraphView) =>
      network.losses(view).reduce((a, b) => a + b, 0) / view.interactions.length;
    expect(mean(randomView(2, rule))).toBeLessThan(0.7);
    expect(mean(randomView(2, (s, o) => (rule(s, o) + 1) % 3))).toBeGreaterThan(2);
  });

  test('counts repeated interactions, and gives the same weights again', () => {
    const fitTo = (...views: GraphView[]) => fitNetwork(views, { steps: 20, rate: 0.01 });
    const once = fitTo(train);
    const twice = fitTo(train, train);
    expect(fitTo(train).weights).toEqual(once.weights);
    expect(twice.examples).toBe(2 * once.examples);
    twice.weights.forEach((weight, i) => {
      expect(weight).toBeCloseTo(once.weights[i], 5);
    });
    expect(fitTo(train, randomView(4, rule)).weights).not.toEqual(twice.weights);
  });

  test('gives an unknown relation the probability 1 / (examples + 1)', () => {
    const unknown = randomView(3, () => RELATIONS);
    expect(network.losses(unknown)[0]).toBeCloseTo(Math.log(401), 12);
    expect(fitNetwork([unknown]).examples).toBe(0);
  });

  test('scores a node by the largest loss of its interactions, in either role', () => {
    const losses = network.losses(train);
    const { subject, object } = train.interactions;
    const scores = network.scores(train);
    expect(scores).toHaveLength(30);
    scores.forEach((score, v) => {
      const own = losses.filter((_, i) => subject[i] === v || object[i] === v);
      expect(score).toBe(Math.max(0, ...own));
    });
  });

  test('learns with hidden units what one linear layer cannot', () => {
    const same = (s: readonly number[], o: readonly number[]) => (s[0] > 0 === o[0] > 0 ? 0 : 1);
    const view = randomView(5, same);
    const mean = (hidden: number) => {
      const losses = fitNetwork([view], { steps: 300, rate: 0.02, hidden }).losses(view);
      return losses.reduce((a, b) => a + b, 0) / losses.length;
    };
    expect(mean(0)).toBeGreaterThan(0.6);
    expect(mean(16)).toBeLessThan(0.3);
  });

  test('depends on the seed only if it draws random numbers', () => {
    const weights = (options: Partial<VeloxNetworkOptions>) =>
      fitNetwork([train], { steps: 3, rate: 0.01, ...options }).weights;
    for (const drawing of [{ dropout: 0.3 }, { hidden: 4 }]) {
      expect(weights({ ...drawing, seed: 1 })).toEqual(weights({ ...drawing, seed: 1 }));
      expect(weights({ ...drawing, seed: 1 })).not.toEqual(weights({ ...drawing, seed: 2 }));
    }
    expect(weights({ seed: 1 })).toEqual(weights({ seed: 2 }));
  });

  test('has smaller weights with dropout', () => {
    const size = (dropout: number) =>
      fitNetwork([train], { steps: 300, rate: 0.05, dropout }).weights.reduce((sum, w) => sum + w * w, 0);
    expect(size(0.3)).toBeLessThan(size(0));
  });
});
