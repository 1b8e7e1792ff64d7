import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { fitTail, type TailModel, tailLogP, tailValue } from '../../../src/detect/calibration/tail-model.js';

const sample = (seed: number, n: number, draw: (u: number) => number) => {
  const random = new Random(seed);
  return Float64Array.from({ length: n }, () => draw(1 - random.float())).sort();
};
const exponential = (u: number) => -Math.log(u);
const pareto = (shape: number) => (u: number) => (u ** -shape - 1) / shape;
const fitted = (sorted: Float64Array) => fitTail(sorted) as TailModel;

describe('a fitted tail', () => {
  it('is a Pareto from 50 exceedances on, an exponential from 20 on, undefined below', () => {
    expect(fitted(sample(1, 500, exponential))).toMatchObject({ kind: 'pareto', exceedances: 50 });
    expect(fitted(sample(1, 499, exponential))).toMatchObject({ kind: 'exponential', exceedances: 49 });
    expect(fitted(sample(1, 200, exponential))).toMatchObject({ kind: 'exponential', exceedances: 20 });
    expect(fitTail(sample(1, 199, exponential))).toBeUndefined();
  });

  it('finds the shape of the sample', () => {
    for (const shape of [0.1, 0.25, 0.4]) {
      let mean = 0;
      for (let seed = 0; seed < 20; seed++) mean += fitted(sample(seed, 8000, pareto(shape))).shape / 20;
      expect(Math.abs(mean - shape)).toBeLessThan(0.04);
    }
  });

  it('is unbounded: bounded values get the shape 1/m and the mean excess as scale', () => {
    const sorted = sample(3, 1000, (u) => u);
    const { shape, scale, threshold } = fitted(sorted);
    const excess = sorted.slice(900).map((value) => value - threshold);
    expect(shape).toBe(1 / 100);
    expect(scale).toBeCloseTo(excess.reduce((sum, y) => sum + y, 0) / 100, 12);
    expect(tailLogP(fitted(sorted), 100)).toBeGreaterThan(-Infinity);
  });

  it('starts at the empirical p, above the lower nine tenths', () => {
    const sorted = sample(4, 1000, exponential);
    const tail = fitted(sorted);
    expect(tail.threshold).toBeGreaterThan(sorted[899]);
    expect(tail.threshold).toBeLessThan(sorted[900]);
    expect(tailLogP(tail, tail.threshold)).toBeCloseTo(Math.log(101 / 1001), 14);
  });

  it('keeps ties on one side of its threshold, and needs distinct values', () => {
    const tied = Float64Array.from([
      ...new Float64Array(850),
      ...new Float64Array(80).fill(1),
      ...sample(5, 70, (u) => 2 + u),
    ]);
    const tail = fitted(tied);
    expect(tail.exceedances).toBe(70);
    expect(tail.threshold).toBeGreaterThan(1);
    expect(
      fitTail(Float64Array.from([...new Float64Array(900), ...new Float64Array(100).fill(1)])),
    ).toBeUndefined();
    expect(fitTail(new Float64Array(1000).fill(3))).toBeUndefined();
  });

  it('is roughly true for new values of the same distribution', () => {
    // The share of new values with p ≤ 1e-3, from samples of 500.
    let [met, drawn] = [0, 0];
    for (let seed = 0; seed < 200; seed++) {
      const tail = fitted(sample(seed, 500, exponential));
      const random = new Random(seed).stream('new');
      for (let i = 0; i < 2000; i++, drawn++) {
        const value = exponential(1 - random.float());
        if (value > tail.threshold && tailLogP(tail, value) <= Math.log(1e-3)) met++;
      }
    }
    expect(met / drawn).toBeGreaterThan(0.0004);
    expect(met / drawn).toBeLessThan(0.0016);
  });

  it('falls with the value, and can be inverted', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50 }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        (seed, excess, step) => {
          const tail = fitted(sample(seed, 600, exponential));
          const value = tail.threshold + excess;
          expect(tailLogP(tail, value + step)).toBeLessThan(tailLogP(tail, value));
          const back = tailValue(tail, tailLogP(tail, value));
          expect(Math.abs(back - value)).toBeLessThan(1e-9 * (1 + Math.abs(value)));
        },
      ),
    );
  });
});
