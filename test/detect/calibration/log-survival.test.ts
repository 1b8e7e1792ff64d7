import gammainc from '@stdlib/math-base-special-gammainc';
import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chiSquareLogSurvival,
  logNormalTail,
  logSmallestOf,
  logUpperGamma,
} from '../../../src/detect/calibration/log-survival.js';

const relative = (a: number, b: number) => Math.abs(a - b) / Math.abs(b);
const fisher = (ps: number[]) => -2 * ps.reduce((sum, p) => sum + Math.log(p), 0);

describe('the tail of χ² with 2k degrees of freedom', () => {
  it('is p itself for one p-value', () => {
    for (const p of [1, 0.7, 0.05, 1e-9, 1e-300]) {
      expect(chiSquareLogSurvival(fisher([p]), 1)).toBeCloseTo(Math.log(p), 12);
    }
  });

  it('is 0.01748 for 0.05 twice, and 1 where every p is 1', () => {
    expect(Math.exp(chiSquareLogSurvival(fisher([0.05, 0.05]), 2))).toBeCloseTo(0.01748, 5);
    for (const k of [0, 1, 2, 40]) expect(-chiSquareLogSurvival(0, k)).toBeCloseTo(0, 15);
  });

  it('agrees with the distribution function of another library on both sides', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 1e-3, max: 8, noNaN: true }),
        (k, times) => {
          const x = 2 * k * times;
          const logSf = chiSquareLogSurvival(x, k);
          const below = chiSquareCdf(x, 2 * k);
          // Compare each side where the other library keeps its digits.
          if (below > 1e-290 && below < 0.9) expect(relative(-Math.expm1(logSf), below)).toBeLessThan(1e-12);
          const above = gammainc(x / 2, k, true, true);
          if (above > 1e-290 && above < 0.9) expect(relative(Math.exp(logSf), above)).toBeLessThan(1e-12);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('equals the closed form, evaluated directly', () => {
    for (const [y, k] of [
      [3, 2],
      [12.5, 7],
      [40, 20],
      [19.9, 20],
    ]) {
      let sum = 0;
      for (let i = 0, term = 1; i < k; term *= y / ++i) sum += term;
      expect(relative(chiSquareLogSurvival(2 * y, k), Math.log(sum) - y)).toBeLessThan(1e-12);
    }
  });

  it('keeps falling where the probability underflows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.double({ min: 0, max: 290, noNaN: true }),
        fc.double({ min: 1e-11, max: 1, noNaN: true }),
        (k, exponent, step) => {
          const x = 10 ** exponent;
          const near = chiSquareLogSurvival(x, k);
          const far = chiSquareLogSurvival(x * (1 + step), k);
          expect(near).toBeLessThanOrEqual(0);
          expect(Number.isFinite(far)).toBe(true);
          if (x > 2 * k) expect(far).toBeLessThan(near);
          else expect(far).toBeLessThanOrEqual(near);
        },
      ),
      { numRuns: 3000 },
    );
    expect(chiSquareLogSurvival(Infinity, 5)).toBe(-Infinity);
  });

  it('refuses NaN and fractional k', () => {
    expect(() => chiSquareLogSurvival(Number.NaN, 1)).toThrow(RangeError);
    expect(() => chiSquareLogSurvival(1, 1.5)).toThrow(RangeError);
  });
});

describe('ln Q(a, x)', () => {
  it('agrees with another library where that keeps its digits', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 80, noNaN: true }),
        fc.double({ min: 1e-3, max: 8, noNaN: true }),
        (a, times) => {
          const x = a * times;
          const above = gammainc(x, a, true, true);
          if (above > 1e-290 && above < 0.9)
            expect(relative(Math.exp(logUpperGamma(a, x)), above)).toBeLessThan(1e-11);
          const below = gammainc(x, a);
          if (below > 1e-290 && below < 0.9) {
            expect(relative(-Math.expm1(logUpperGamma(a, x)), below)).toBeLessThan(1e-11);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('equals the closed form of χ² for integer a, at any distance', () => {
    for (const k of [1, 2, 9, 40]) {
      for (const x of [0.5, 5, 39, 41, 300, 1e4, 1e9]) {
        expect(relative(logUpperGamma(k, x), chiSquareLogSurvival(2 * x, k))).toBeLessThan(1e-12);
      }
    }
  });

  it('obeys Q(a + 1, x) = Q(a, x) + x^a e^−x / Γ(a + 1) where probabilities underflow', () => {
    // In logs: with q = Q(a+1)/Q(a), the recurrence at a and at a+1 share the kernel up to the factor x/(a+1).
    for (const [a, x] of [
      [0.7, 2000],
      [3.3, 5000],
      [12.25, 1e5],
    ]) {
      const [q0, q1, q2] = [0, 1, 2].map((i) => logUpperGamma(a + i, x));
      const first = Math.expm1(q1 - q0) * Math.exp(q0 - q1);
      const second = Math.expm1(q2 - q1);
      expect(relative(second / first, x / (a + 1))).toBeLessThan(1e-7);
    }
  });

  it('starts at 0, ends at −∞ and refuses invalid arguments', () => {
    expect(logUpperGamma(2.5, 0)).toBe(0);
    expect(logUpperGamma(2.5, Infinity)).toBe(-Infinity);
    expect(() => logUpperGamma(0, 1)).toThrow(RangeError);
    expect(() => logUpperGamma(1, -1)).toThrow(RangeError);
  });
});

describe('ln Φ(−z)', () => {
  it('has the values of published tables', () => {
    expect(logNormalTail(0)).toBeCloseTo(-Math.LN2, 14);
    expect(Math.exp(logNormalTail(1.959963984540054))).toBeCloseTo(0.025, 14);
    expect(Math.exp(logNormalTail(-1.959963984540054))).toBeCloseTo(0.975, 14);
    expect(relative(Math.exp(logNormalTail(10)), 7.61985302416052e-24)).toBeLessThan(1e-12);
  });

  it('equals its asymptotic series where the probability underflows', () => {
    for (const z of [50, 1e3, 1e6]) {
      const series = 1 - 1 / z ** 2 + 3 / z ** 4 - 15 / z ** 6;
      const wanted = (-z * z) / 2 - Math.log(z * Math.sqrt(2 * Math.PI)) + Math.log(series);
      expect(relative(logNormalTail(z), wanted)).toBeLessThan(1e-13);
    }
  });

  it('falls with z', () => {
    let before = 0;
    for (let z = -38; z < 200; z += 0.01) {
      const value = logNormalTail(z);
      if (z > -8) expect(value).toBeLessThan(before);
      else expect(value).toBeLessThanOrEqual(before);
      before = value;
    }
  });
});

describe('the smallest of d p-values', () => {
  it('counts as 1 − (1 − p)^d', () => {
    for (const p of [0.9, 0.3, 0.01, 1e-6]) {
      for (const d of [1, 2, 17, 1000]) {
        expect(Math.exp(logSmallestOf(Math.log(p), d))).toBeCloseTo(1 - (1 - p) ** d, 10);
      }
    }
    expect(logSmallestOf(0, 7)).toBe(0);
  });

  it('is d·p where p underflows, without a step', () => {
    expect(logSmallestOf(-5000, 100)).toBeCloseTo(-5000 + Math.log(100), 10);
    const edge = -40 - Math.log(100);
    expect(logSmallestOf(edge - 1e-9, 100)).toBeCloseTo(logSmallestOf(edge + 1e-9, 100), 8);
  });
});
