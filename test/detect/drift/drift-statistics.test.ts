import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  discoveryRates,
  effectiveCount,
  ksProbability,
  PlacedSample,
} from '../../../src/detect/drift/drift-statistics.js';

const share = (values: readonly number[], is: (value: number) => boolean) =>
  values.filter(is).length / values.length;

describe('distances', () => {
  test('are those of the two distribution functions, even with ties', () => {
    const values = fc.array(fc.nat(12), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(values, values, (before, now) => {
        const sample = new PlacedSample();
        for (const value of now) {
          sample.add(
            share(before, (each) => each < value),
            share(before, (each) => each <= value),
          );
        }
        let [rise, fall] = [0, 0];
        for (let x = -1; x <= 13; x++) {
          const gap = share(before, (each) => each <= x) - share(now, (each) => each <= x);
          [rise, fall] = [Math.max(rise, gap), Math.max(fall, -gap)];
        }
        // Never larger, and at most one bin smaller.
        expect(sample.rise).toBeLessThanOrEqual(rise + 1e-12);
        expect(sample.rise).toBeGreaterThan(rise - 2e-4);
        expect(sample.fall).toBeLessThanOrEqual(fall + 1e-12);
        expect(sample.fall).toBeGreaterThan(fall - 2e-4);
      }),
    );
  });

  test('equal values have no distance and are not above any percentile', () => {
    const sample = new PlacedSample();
    for (let i = 0; i < 50; i++) sample.add(0, 1);
    expect([sample.rise, sample.fall, sample.above]).toEqual([0, 0, { p90: 0, p99: 0 }]);
  });

  test('p is 5 % at 1.358/√N, as in published tables, and 1 without values', () => {
    expect(ksProbability(1.3581 / Math.sqrt(50), 100, 100)).toBeCloseTo(0.05, 3);
    expect(ksProbability(0.9, 0, 100)).toBe(1);
    expect(ksProbability(0, 100, 100)).toBe(1);
  });
});

describe('the effective number of values', () => {
  const sumsOf = (nodes: readonly (readonly number[])[]) => {
    const all = nodes.flat();
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    return {
      nodes: nodes.length,
      n: all.length,
      sum: sum(all),
      squares: sum(all.map((value) => value ** 2)),
      squaredCounts: sum(nodes.map(({ length }) => length ** 2)),
      betweenSquares: sum(nodes.map((values) => sum(values) ** 2 / values.length)),
    };
  };

  test('is one per node if nodes are alike or have one value each', () => {
    expect(effectiveCount(sumsOf([[0.1], [0.5], [0.9]]))).toBe(3);
    const mixed = Array.from({ length: 20 }, () => [0.1, 0.9, 0.5, 0.3, 0.7]);
    expect(effectiveCount(sumsOf(mixed))).toBe(20);
  });

  test('is small if one node has most values and repeats itself', () => {
    const nodes = [new Array(900).fill(0.2), ...Array.from({ length: 100 }, (_, i) => [i / 100])];
    const worth = effectiveCount(sumsOf(nodes));
    expect(worth).toBeLessThan(3);
    expect(worth).toBeGreaterThanOrEqual(1);
  });

  test('is at most the number of nodes', () => {
    const value = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(fc.array(value, { minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 9 }),
        (nodes) => {
          const worth = effectiveCount(sumsOf(nodes));
          expect(worth).toBeGreaterThan(0);
          expect(worth).toBeLessThanOrEqual(nodes.length);
        },
      ),
    );
  });
});

test('discovery rates equal the step-up procedure of Benjamini and Hochberg', () => {
  const p = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
  const level = fc.double({ min: 0.001, max: 0.999, noNaN: true });
  fc.assert(
    fc.property(p, level, (values, q) => {
      const sorted = [...values].sort((a, b) => a - b);
      let last = sorted.length;
      while (last > 0 && (sorted[last - 1] * sorted.length) / last > q) last--;
      const found = discoveryRates(values).map((rate) => rate <= q);
      expect(found).toEqual(values.map((value) => last > 0 && value <= sorted[last - 1]));
    }),
  );
});
