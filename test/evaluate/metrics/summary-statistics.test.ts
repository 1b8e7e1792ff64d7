import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarise, summariseSeeds } from '../../../src/evaluate/metrics/summary-statistics.js';

describe('a summary', () => {
  it('has the mean and the sample deviation', () => {
    // 2, 4, 4, 4, 5, 5, 7, 9: squares sum to 32, over 7.
    expect(summarise([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({
      n: 8,
      defined: 8,
      mean: 5,
      std: Math.sqrt(32 / 7),
      relative: Math.sqrt(32 / 7) / 5,
    });
    expect(summarise([-1, -3])).toMatchObject({ mean: -2, relative: Math.SQRT2 / 2 });
  });

  it('gives equal values back, with a deviation of exactly 0', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 2, max: 9 }),
        (x, n) => {
          const { mean, std } = summarise(new Array(n).fill(x));
          expect(mean).toBeCloseTo(x, 12);
          expect(std).toBe(0);
        },
      ),
    );
  });

  it('has no deviation of one seed, and no relative one around 0', () => {
    expect(summarise([3])).toEqual({ n: 1, defined: 1, mean: 3, std: null, relative: null });
    expect(summarise([-1, 1])).toEqual({ n: 2, defined: 2, mean: 0, std: Math.SQRT2, relative: null });
  });

  it('is null as soon as one seed leaves the figure undefined', () => {
    expect(summarise([1, null, 1])).toEqual({ n: 3, defined: 2, mean: null, std: null, relative: null });
    expect(summarise([])).toEqual({ n: 0, defined: 0, mean: null, std: null, relative: null });
  });

  it('is kept per figure', () => {
    const seeds = [
      { f1: 0.5, ap: null, other: 'x' },
      { f1: 1, ap: 0.5, other: 'y' },
    ];
    expect(summariseSeeds(seeds, ['f1', 'ap'])).toEqual({
      mean: { f1: 0.75, ap: null },
      std: { f1: Math.sqrt(0.125), ap: null },
      relative: { f1: Math.sqrt(0.125) / 0.75, ap: null },
    });
  });
});
