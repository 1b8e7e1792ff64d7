import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeSampler } from '../../src/features/token-sampler.js';

test('the probability of a token is proportional to its count to the power 3/4', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 400 }), (tokens) => {
      const size = 31;
      const { thresholds, aliases } = makeSampler(Uint32Array.from(tokens), size);
      const shares = new Float64Array(size);
      thresholds.forEach((threshold, column) => {
        shares[column] += threshold / size;
        shares[aliases[column]] += (1 - threshold) / size;
      });
      const weights = shares.map((_, token) => tokens.filter((each) => each === token).length ** 0.75);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      shares.forEach((share, token) => {
        expect(share).toBeCloseTo(weights[token] / total, 12);
      });
    }),
  );
});
