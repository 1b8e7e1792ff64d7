import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { CovarianceBuilder, PairCovariance } from '../../../src/detect/fusion/covariance.js';
import { createFusion, FUSIONS, type Fuse } from '../../../src/detect/fusion/fusion.js';

const slotCount = 8;
const constant = (value: number) =>
  PairCovariance.fromArrays({
    slotCounts: [slotCount],
    values: new Float32Array((slotCount * (slotCount - 1)) / 2).fill(value),
    known: new Uint8Array((slotCount * (slotCount - 1)) / 2),
  });
const independent = constant(0);

const evidence = (logP: readonly number[], n = 1e6) => ({
  logP,
  samples: logP.map(() => n),
  slots: logP.map((_, i) => i),
});
const score = (fuse: Fuse, logP: readonly number[], n?: number) => fuse(evidence(logP, n), 0, logP.length);
const fusions = FUSIONS.map((name) => [name, createFusion(name, constant(0.7))] as const);
const logs = fc.array(fc.double({ min: -2000, max: 0, noNaN: true }), { minLength: 1, maxLength: slotCount });

describe('every fusion', () => {
  it('gives 0 without evidence and no negative score', () => {
    for (const [name, fuse] of fusions) {
      expect(score(fuse, []), name).toBe(0);
      fc.assert(fc.property(logs, (list) => score(fuse, list) >= 0));
    }
  });

  it('does not lower the score for a smaller p', () => {
    for (const [name, fuse] of fusions) {
      fc.assert(
        fc.property(logs, fc.nat(), fc.double({ min: 1e-6, max: 100, noNaN: true }), (list, at, step) => {
          const i = at % list.length;
          const stranger = score(fuse, list.with(i, list[i] - step));
          expect(stranger, name).toBeGreaterThanOrEqual(score(fuse, list) * (1 - 1e-12));
        }),
      );
    }
  });

  it('does not depend on the order of the evidence', () => {
    for (const [name, fuse] of fusions) {
      fc.assert(
        fc.property(logs, fc.integer(), (list, seed) => {
          const turned = score(fuse, new Random(seed).shuffled(list));
          expect(Math.abs(turned - score(fuse, list)), name).toBeLessThanOrEqual(1e-9 * (1 + turned));
        }),
      );
    }
  });

  it('divides the score into shares, and reads only the rows of the node', () => {
    for (const [name, fuse] of fusions) {
      fc.assert(
        fc.property(logs, (list) => {
          const shares = new Float64Array(list.length + 2).fill(7);
          const rows = evidence([-900, ...list, -900]);
          // The slots of the node are numbered as in a list of its own.
          const own = { ...rows, slots: [0, ...list.map((_, i) => i), 0] };
          expect(fuse(own, 1, list.length + 1, shares), name).toBe(score(fuse, list));
          expect([shares[0], shares[list.length + 1]]).toEqual([7, 7]);
          const total = shares.subarray(1, -1).reduce((sum, share) => sum + share, 0);
          expect(Math.min(Math.abs(total - 1), Math.abs(total))).toBeLessThan(1e-9);
          const strangest = list.indexOf(Math.min(...list));
          expect(shares[strangest + 1]).toBe(Math.max(...shares.subarray(1, -1)));
        }),
      );
    }
  });
});

describe('fisher', () => {
  const fuse = createFusion('fisher');

  it('has the values of method §8', () => {
    for (const p of [0.9, 0.05, 1e-9])
      expect(1 - Math.exp(-score(fuse, [Math.log(p)]))).toBeCloseTo(1 - p, 12);
    expect(Math.exp(-score(fuse, [Math.log(0.05), Math.log(0.05)]))).toBeCloseTo(0.01748, 5);
    expect(score(fuse, [0, 0, 0])).toBe(0);
  });

  it('equals the χ² distribution function where that is not saturated', () => {
    const logP = [-0.2, -1.3, -3.1, -0.9];
    const s = 1 - Math.exp(-score(fuse, logP));
    expect(s).toBeCloseTo(chiSquareCdf(11, 8), 12);
  });

  it('still ranks nodes where s would be 1', () => {
    const p = Math.log(1e-5);
    expect(1 - Math.exp(-score(fuse, [p, p, p, p, p, p]))).toBe(1);
    expect(score(fuse, [p, p, p, p, p, p - 1])).toBeGreaterThan(score(fuse, [p, p, p, p, p, p]) + 0.9);
  });
});

describe('max and mean', () => {
  it('are −ln of the smallest p and the mean of 1 − p', () => {
    const logP = [Math.log(0.5), Math.log(0.01), 0];
    expect(score(createFusion('max'), logP)).toBeCloseTo(-Math.log(0.01), 12);
    expect(score(createFusion('mean'), logP)).toBeCloseTo((0.5 + 0.99 + 0) / 3, 12);
  });
});

describe('brown', () => {
  it('equals fisher for independent evidence', () => {
    fc.assert(
      fc.property(logs, (list) => {
        const [brown, fisher] = [createFusion('brown', independent), createFusion('fisher')].map((f) =>
          score(f, list),
        );
        expect(Math.abs(brown - fisher)).toBeLessThanOrEqual(1e-9 * (1 + fisher));
      }),
    );
  });

  it('counts equal evidence only once', () => {
    expect(score(createFusion('brown', constant(4)), [-3, -3, -3])).toBeCloseTo(3, 9);
  });

  it('needs covariances', () => {
    expect(() => createFusion('brown')).toThrow(expect.objectContaining({ code: 'fusion-covariance' }));
  });

  it('keeps its level on dependent evidence, where fisher does not', () => {
    // Half of the time, all four rows are equal.
    const draw = (random: Random) => {
      const shared = random.chance(0.5) ? Math.log(1 - random.float()) : undefined;
      return [0, 1, 2, 3].map(() => shared ?? Math.log(1 - random.float()));
    };
    const builder = new CovarianceBuilder([slotCount]);
    const learning = new Random(1);
    for (let node = 0; node < 4000; node++) builder.add(node, evidence(draw(learning)), 0, 4);
    const [brown, fisher] = [createFusion('brown', builder.build()), createFusion('fisher')];
    const random = new Random(2);
    const met = { brown: 0, fisher: 0 };
    for (let i = 0; i < 40_000; i++) {
      const logP = draw(random);
      if (score(brown, logP) >= -Math.log(0.01)) met.brown++;
      if (score(fisher, logP) >= -Math.log(0.01)) met.fisher++;
    }
    expect(met.brown / 40_000).toBeLessThan(0.02);
    expect(met.fisher / 40_000).toBeGreaterThan(0.03);
  });
});

describe('cauchy', () => {
  const fuse = createFusion('cauchy');

  it('equals the published formula', () => {
    const p = [0.02, 0.3, 0.8];
    const t = p.reduce((sum, one) => sum + Math.tan((0.5 - one) * Math.PI), 0) / 3;
    const wanted = 0.5 - Math.atan(t) / Math.PI;
    expect(Math.exp(-score(fuse, p.map(Math.log)))).toBeCloseTo(wanted, 12);
    expect(score(fuse, [Math.log(0.03)])).toBeCloseTo(-Math.log(0.03), 12);
  });

  it('keeps p in [1/(n+1), n/(n+1)]', () => {
    expect(score(fuse, [-500], 99)).toBeCloseTo(Math.log(100), 12);
    expect(Math.exp(-score(fuse, [0], 99))).toBeCloseTo(0.99, 12);
    expect(Math.exp(-score(fuse, [-500], 0))).toBeCloseTo(0.5, 12); // without a benign value, p is ½
  });

  it('is exact where ½ − atan(t)/π is 0', () => {
    const n = 1e15;
    expect(score(fuse, [-500, -0.7, -0.7], n)).toBeCloseTo(Math.log(n) - Math.log(3), 6);
    const huge = 1e290;
    expect(score(fuse, [-700], huge)).toBeCloseTo(Math.log(huge), 6);
  });
});
