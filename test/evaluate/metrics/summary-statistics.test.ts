import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summariseSeeds } from '../../../src/evaluate/metrics/summary-statistics.js';

/** Mean, std and relative of one figure. */
function summarise(values: readonly (number | null)[]) {
  const { mean, std, relative } = summariseSeeds(
    values.map((x) => ({ x })),
    ['x'],
  );
  return { mean: mean.x, std: std.x, relative: relative.x };
}

describe('a summary', () => {
  it('has the mean and the sample deviation', () => {
    // 2, 4, 4, 4, 5, 5, 7, 9: squares sum to 32, over 7.
    expect(summarise([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({
      mean: 5,
      std: Math.sqrt(32 / 7),
      relative: Math.sqrt(32 / 7) / 5,
    });
    expect(summarise([-1, -3])).toMatchObject({ mean: -2, relative: Math.SQRT2 / 2 });
  });

  it('has a deviation of exactly 0 for equal values', () => {
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

  it('has no deviation for one seed, and no relative deviation for a mean of 0', () => {
    expect(summarise([3])).toEqual({ mean: 3, std: null, relative: null });
    expect(summarise([-1, 1])).toEqual({ mean: 0, std: Math.SQRT2, relative: null });
  });

  it('is null if one seed does not define the figure', () => {
    expect(summarise([1, null, 1])).toEqual({ mean: null, std: null, relative: null });
    expect(summarise([])).toEqual({ mean: null, std: null, relative: null });
  });

  it('covers each named figure', () => {
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
