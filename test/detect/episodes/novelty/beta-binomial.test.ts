import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { betaBinomialSurprise } from '../../../../src/detect/episodes/novelty/beta-binomial.js';
import { logGamma } from '../../../../src/detect/episodes/novelty/log-gamma.js';

describe('logGamma', () => {
  test('is ln (n − 1)! at whole numbers', () => {
    let factorial = 0;
    for (let n = 1; n < 60; n++) {
      expect(logGamma(n)).toBeCloseTo(factorial, 10);
      factorial += Math.log(n);
    }
  });

  test('is ln √π at one half', () => {
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 12);
  });
});

describe('betaBinomialSurprise', () => {
  test('is 0 if nothing is new', () => {
    expect(betaBinomialSurprise(0, 10, 1, 9)).toBe(0);
  });

  test('is the tail of the uniform distribution on 0..n for Beta(1, 1)', () => {
    expect(betaBinomialSurprise(3, 9, 1, 1)).toBeCloseTo(-Math.log(7 / 10), 10);
  });

  test('tells 3 of 3 from 300 of 300', () => {
    expect(betaBinomialSurprise(300, 300, 0.1, 10)).toBeGreaterThan(betaBinomialSurprise(3, 3, 0.1, 10) + 10);
  });

  test('grows with the number of new ones', () => {
    const share = fc.double({ min: 0.01, max: 50, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), share, share, (n, alpha, beta) => {
        for (let m = 1; m <= n; m++) {
          const [less, more] = [m - 1, m].map((k) => betaBinomialSurprise(k, n, alpha, beta));
          expect(more).toBeGreaterThanOrEqual(less - 1e-9);
        }
      }),
      { numRuns: 30 },
    );
  });
});
