import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { CovarianceBuilder, PairCovariance } from '../../../src/detect/fusion/covariance.js';

interface Instance {
  node: number;
  slots: number[];
  logP: number[];
}

function gather(instances: readonly Instance[], slotCounts = [4]): CovarianceBuilder {
  const builder = new CovarianceBuilder(slotCounts);
  for (const { node, slots, logP } of instances) builder.add(node, { slots, logP }, 0, slots.length);
  return builder;
}

/** Instances with slots 0, 1 and 2: 0 and 1 are often equal, 2 is independent. */
function benign(seed: number, count: number): Instance[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, node) => {
    const shared = Math.log(1 - random.float());
    const own = () => Math.log(1 - random.float());
    const slots = random.shuffled([0, 1, 2]);
    const values = [shared, random.chance(0.5) ? shared : own(), own()];
    return { node, slots, logP: slots.map((slot) => values[slot]) };
  });
}

const between = (covariance: PairCovariance, a: number, b: number) =>
  covariance.between({ slots: [a, b], logP: [0, 0] }, 0, 1);

describe('covariances of −2 ln p', () => {
  it('are the sample covariances, computed directly', () => {
    const instances = benign(1, 500);
    const covariance = gather(instances).build();
    const column = (slot: number) => instances.map(({ slots, logP }) => -2 * logP[slots.indexOf(slot)]);
    const direct = (a: number[], b: number[]) => {
      const mean = (list: number[]) => list.reduce((sum, x) => sum + x, 0) / list.length;
      const [ma, mb] = [mean(a), mean(b)];
      return a.reduce((sum, x, i) => sum + (x - ma) * (b[i] - mb), 0) / (a.length - 1);
    };
    for (const [a, b] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      expect(between(covariance, a, b)).toBeCloseTo(Math.max(0, direct(column(a), column(b))), 3);
      expect(between(covariance, b, a)).toBe(between(covariance, a, b));
    }
    expect(between(covariance, 0, 1)).toBeGreaterThan(1.5);
    expect(between(covariance, 3, 3)).toBe(4);
  });

  it('need 100 distinct nodes; rarer pairs take the mean of the known ones', () => {
    const instances = benign(2, 100).map(({ node, slots, logP }) => ({ node, slots: slots.slice(0), logP }));
    const rare = Array.from({ length: 400 }, (_, i) => ({ node: i % 99, slots: [0, 3], logP: [-i, -i] }));
    const covariance = gather([...instances, ...rare]).build();
    expect(covariance.pairs).toEqual({ known: 3, total: 6 });
    const mean = (between(covariance, 0, 1) + between(covariance, 0, 2) + between(covariance, 1, 2)) / 3;
    expect(between(covariance, 0, 3)).toBeCloseTo(mean, 6);
    expect(gather(rare).build().pairs.known).toBe(0);
    expect(between(gather(rare).build(), 0, 3)).toBe(0);
    expect(gather([...rare, { node: 99, slots: [3, 0], logP: [0, 0] }]).build().pairs.known).toBe(1);
  });

  it('stay between those of independent and of equal evidence', () => {
    const opposed = Array.from({ length: 200 }, (_, i) => ({ node: i, slots: [0, 1], logP: [-i, i - 200] }));
    expect(between(gather(opposed).build(), 0, 1)).toBe(0);
    const wild = Array.from({ length: 200 }, (_, i) => ({ node: i, slots: [0, 1], logP: [-i, -i] }));
    expect(between(gather(wild).build(), 0, 1)).toBe(4);
  });

  it('do not depend on the order of nodes, to the last bit', () => {
    const instances = benign(3, 300);
    const whole = gather(instances).build().toArrays();
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const shuffled = new Random(seed).shuffled(instances);
        expect(gather(shuffled).build().toArrays()).toEqual(whole);
      }),
      { numRuns: 20 },
    );
  });

  it('treat slots of different kinds as different', () => {
    const builder = new CovarianceBuilder([2, 0, 2]);
    const random = new Random(4);
    for (let node = 0; node < 200; node++) {
      const logP = [Math.log(1 - random.float()), Math.log(1 - random.float())];
      builder.add(node, { slots: [1, 1, 0], kinds: [0, 2, 2], logP: [...logP, logP[0]] }, 0, 3);
    }
    const covariance = builder.build();
    const rows = { slots: [1, 1, 0], kinds: [0, 2, 2], logP: [0, 0, 0] };
    expect(covariance.between(rows, 0, 2)).toBeGreaterThan(2.5);
    expect(covariance.between(rows, 0, 1)).toBeLessThan(1);
    expect(() => covariance.between({ ...rows, kinds: [0, 1, 2] }, 0, 1)).toThrow(RangeError);
  });

  it('are read back from their arrays, and refused when damaged', () => {
    const arrays = gather(benign(5, 200)).build().toArrays();
    expect(PairCovariance.fromArrays(structuredClone(arrays)).toArrays()).toEqual(arrays);
    const refused = (change: object) =>
      expect(() => PairCovariance.fromArrays({ ...arrays, ...change })).toThrow(
        expect.objectContaining({ code: 'model-damaged' }),
      );
    refused({ slotCounts: [5] });
    refused({ slotCounts: [-1] });
    refused({ values: arrays.values.with(0, Number.NaN) });
    refused({ known: arrays.known.with(0, 2) });
  });

  it('refuse two rows of a node for one slot', () => {
    expect(() => gather([{ node: 0, slots: [1, 1], logP: [0, 0] }])).toThrow(RangeError);
  });
});
