import fc from 'fast-check';
import { expect, test } from 'vitest';
import { binomialSurprise } from '../../../src/evaluate/reference/binomial-surprise.js';

/** The log-likelihood of `fresh` among `all` under a share, without the binomial coefficient. */
const likelihood = (fresh: number, all: number, share: number) =>
  (fresh > 0 ? fresh * Math.log(share) : 0) + (all > fresh ? (all - fresh) * Math.log(1 - share) : 0);

test('the surprise is the log-likelihood ratio of the observed share, and 0 for a usual share', () => {
  fc.assert(
    fc.property(fc.nat(500), fc.nat(500), fc.double({ min: 1e-6, max: 0.99, noNaN: true }), (a, b, rate) => {
      const [fresh, all] = [Math.min(a, b), Math.max(a, b)];
      const surprise = binomialSurprise(fresh, all, rate);
      if (all === 0 || fresh / all <= rate) expect(surprise).toBeCloseTo(0, 9);
      else
        expect(surprise).toBeCloseTo(likelihood(fresh, all, fresh / all) - likelihood(fresh, all, rate), 8);
    }),
  );
});

test('more of the same novelty surprises more', () => {
  expect(binomialSurprise(300, 300, 0.01)).toBeGreaterThan(binomialSurprise(3, 3, 0.01));
  expect(binomialSurprise(3, 3, 0.01)).toBeCloseTo(-3 * Math.log(0.01), 12);
});
