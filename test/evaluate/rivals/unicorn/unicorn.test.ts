import { describe, expect, test } from 'vitest';
import { Random } from '../../../../src/base/random.js';
import { Evolution } from '../../../../src/evaluate/rivals/unicorn/evolution.js';
import { HistoSketch, sketchDistance } from '../../../../src/evaluate/rivals/unicorn/histo-sketch.js';
import { clusterPoints } from '../../../../src/evaluate/rivals/unicorn/medoids.js';
import { sketchStream } from '../../../../src/evaluate/rivals/unicorn/sketch-stream.js';
import { StreamingLabels } from '../../../../src/evaluate/rivals/unicorn/streaming-labels.js';
import { UNICORN_DEFAULTS } from '../../../../src/evaluate/rivals/unicorn/unicorn-options.js';

describe('StreamingLabels', () => {
  const labelsOf = (kinds: number[], edges: number[][]) => {
    const labels = new StreamingLabels(kinds, 2);
    for (const [source, target, relation] of edges) labels.add(source, target, relation);
    return (node: number, hop: number) => labels.labelOf(node, hop);
  };

  test('are equal for nodes with the same past up to the hop, and differ beyond it', () => {
    // 0 → 1 → 2 and 3 → 4 → 5, where 0 and 3 are of different kinds.
    const same = [
      [0, 1, 7],
      [1, 2, 8],
      [3, 4, 7],
      [4, 5, 8],
    ];
    const of = labelsOf([0, 1, 1, 2, 1, 1], same);
    expect(of(2, 0)).toBe(of(5, 0));
    expect(of(2, 1)).toBe(of(5, 1));
    expect(of(2, 2)).not.toBe(of(5, 2));
    expect(of(1, 1)).not.toBe(of(4, 1));
    const other = labelsOf([0, 1, 1, 0, 1, 1], [...same.slice(0, 3), [4, 5, 9]]);
    expect(other(1, 2)).toBe(other(4, 2));
    expect(other(2, 1)).not.toBe(other(5, 1));
  });

  test('an edge changes its target alone', () => {
    const labels = new StreamingLabels([0, 0, 0], 2);
    labels.add(0, 1, 1);
    const before = [0, 1, 2].map((node) => labels.labelOf(node, 1));
    labels.add(1, 2, 1);
    expect([0, 1].map((node) => labels.labelOf(node, 1))).toEqual(before.slice(0, 2));
    expect(labels.labelOf(2, 1)).not.toBe(before[2]);
  });
});

describe('HistoSketch', () => {
  const sketchOf = (counts: readonly number[], decay = 0) => {
    const sketch = new HistoSketch(4000, decay, 3);
    counts.forEach((count, element) => {
      for (let i = 0; i < count; i++) sketch.add(element);
    });
    return sketch.snapshot();
  };

  test('two sketches agree as often as the formula says', () => {
    const [a, b] = [
      [4, 2, 1, 1, 0, 8],
      [1, 2, 4, 0, 1, 8],
    ];
    const expected = a.reduce((sum, own, i) => {
      if (own === 0 || b[i] === 0) return sum;
      return sum + 1 / a.reduce((all, other, k) => all + Math.max(other / own, b[k] / b[i]), 0);
    }, 0);
    // Four deviations of a share of 4000 draws.
    const tolerance = 4 * Math.sqrt((expected * (1 - expected)) / 4000);
    const found = 1 - sketchDistance(sketchOf(a), sketchOf(b));
    expect(Math.abs(found - expected)).toBeLessThan(tolerance);
    expect(sketchDistance(sketchOf(a), sketchOf(a))).toBe(0);
  });

  test('gives the same in steps as at once', () => {
    const sketch = new HistoSketch(500, 0, 3);
    for (const element of [1, 2, 1]) sketch.add(element);
    sketch.snapshot();
    for (const element of [3, 1]) sketch.add(element);
    const whole = new HistoSketch(500, 0, 3);
    for (const element of [1, 2, 1, 3, 1]) whole.add(element);
    expect(sketch.snapshot()).toEqual(whole.snapshot());
  });

  test('forgets: with decay, late elements fill more of the sketch', () => {
    const share = (decay: number) => {
      const sketch = new HistoSketch(2000, decay, 3);
      sketch.add(1);
      for (let i = 0; i < 10; i++) sketch.tick();
      sketch.add(2);
      return sketch.snapshot().filter((element) => element === 2).length / 2000;
    };
    expect(Math.abs(share(0) - 0.5)).toBeLessThan(0.05);
    const weight = Math.exp(0.2 * 10);
    expect(Math.abs(share(0.2) - weight / (1 + weight))).toBeLessThan(0.05);
  });
});

test('sketchStream gives a sketch per batch, and weights fall between them', () => {
  // A hundred edges between nodes of kind 0, then one to a node of kind 1: with one hop, four labels in all.
  const length = 101;
  const last = (i: number) => i === length - 1;
  const edges = {
    length,
    source: Array.from({ length }, (_, i) => 2 * i),
    target: Array.from({ length }, (_, i) => 2 * i + 1),
    relation: Array.from({ length }, () => 0),
  };
  const kinds = Array.from({ length: 2 * length }, (_, node) => (last((node - 1) / 2) ? 1 : 0));
  const options = { ...UNICORN_DEFAULTS, hops: 1, size: 2000, decay: 0.1, batch: 40 };
  const run = (fading: number) => sketchStream(edges, kinds, { ...options, fading }, 1);
  expect(run(1000)).toHaveLength(3);
  const before = new Set(run(1000)[1]);
  const late = (sketches: readonly Uint32Array[]) =>
    (sketches.at(-1) as Uint32Array).filter((label) => !before.has(label)).length / 2000;
  // The old labels weigh 100 each. An edge has two labels: if weights fall by e^-0.1 with every second label, the old ones
  // weigh Σ e^(-0.1 i) for i = 1 to 100.
  const old = (1 - Math.exp(-10)) / (Math.exp(0.1) - 1);
  expect(Math.abs(late(run(1000)) - 1 / 101)).toBeLessThan(0.01);
  expect(Math.abs(late(run(2)) - 1 / (1 + old))).toBeLessThan(0.03);
});

test('a long stream forgets as a short one does', () => {
  const late = (ticks: number) => {
    const sketch = new HistoSketch(2000, 0.5, 3);
    for (let i = 0; i < ticks; i++) {
      sketch.add(9);
      sketch.tick();
    }
    sketch.add(1);
    sketch.snapshot();
    sketch.tick();
    sketch.add(2);
    return sketch.snapshot().filter((element) => element === 2).length / 2000;
  };
  // Without a limit of their growth, the weights would be infinite after 1,420 ticks.
  const expected = 1 / (1 + Math.exp(-0.5) * (1 + 1 / (Math.exp(0.5) - 1)));
  for (const ticks of [599, 600, 5000]) expect(Math.abs(late(ticks) - expected)).toBeLessThan(0.05);
});

test('clusterPoints finds the groups of points on a line', () => {
  const points = [0, 1, 2, 50, 51, 52, 100, 101];
  const distance = points.map((a) => Float64Array.from(points, (b) => Math.abs(a - b)));
  const { medoids, clusterOf } = clusterPoints(distance, 6, 20, new Random(1));
  expect(medoids).toHaveLength(3);
  expect(new Set(clusterOf.slice(0, 3)).size).toBe(1);
  expect(clusterOf[3]).toBe(clusterOf[5]);
  expect(clusterOf[6]).toBe(clusterOf[7]);
  expect(clusterOf[0]).not.toBe(clusterOf[6]);
});

describe('Evolution', () => {
  /** A sketch whose first numbers are of a state, and some of which are noise. */
  const sketchOf = (state: number, noise: number, seed: number) => {
    const random = new Random(seed);
    return Uint32Array.from({ length: 100 }, (_, j) =>
      random.float() < noise ? 1000 + random.u32() : state * 100 + j,
    );
  };
  const train = [0, 0, 0, 0, 1, 1, 1, 1].map((state, i) => sketchOf(state, 0.1, i));
  const evolution = new Evolution(train, UNICORN_DEFAULTS, new Random(1));

  test('a stream that evolves as in training is normal; another state is not', () => {
    const benign = [0, 0, 1, 1].map((state, i) => sketchOf(state, 0.1, 50 + i));
    expect(Math.max(...evolution.follow(benign))).toBeLessThan(1.6);
    const attacked = evolution.follow([...benign, sketchOf(2, 0.1, 90)]);
    // The largest distance is 1, so the largest score is one over the limit.
    expect(attacked[4]).toBeGreaterThan(2);
  });

  test('a step back that training never took is abnormal', () => {
    const found = evolution.follow([train[1], train[5], train[1]]);
    expect(found[1]).toBeLessThanOrEqual(1);
    expect(found[2]).toBeGreaterThan(2);
  });
});
