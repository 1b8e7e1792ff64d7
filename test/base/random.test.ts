import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/base/random.js';

const draws = (random: Random, count: number) => Array.from({ length: count }, () => random.u32());

describe('Random', () => {
  it('gives the same numbers for the same seed and others for another', () => {
    expect(draws(new Random(7), 100)).toEqual(draws(new Random(7), 100));
    expect(draws(new Random(7), 4)).not.toEqual(draws(new Random(8), 4));
    expect(draws(new Random('seven'), 4)).not.toEqual(draws(new Random('eight'), 4));
    expect(draws(new Random(2 ** 40), 4)).not.toEqual(draws(new Random(0), 4));
  });

  it('gives the same numbers in every release', () => {
    expect(draws(new Random(0), 3)).toMatchInlineSnapshot(`
      [
        128257810,
        1052807476,
        3287968162,
      ]
    `);
    expect(draws(new Random(1).stream('a').stream('b'), 3)).toMatchInlineSnapshot(`
      [
        3998591670,
        1181790983,
        4028446281,
      ]
    `);
  });

  it('gives streams that do not depend on the draws of others', () => {
    const root = new Random(3);
    const before = draws(root.stream('files'), 10);
    draws(root, 1000);
    draws(root.stream('sockets'), 10);
    expect(draws(root.stream('files'), 10)).toEqual(before);
    expect(draws(root.stream('file'), 10)).not.toEqual(before);
    expect(draws(root.stream('a').stream('b'), 4)).not.toEqual(draws(root.stream('ab'), 4));
  });

  it('stays inside its bounds', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 1_000_000 }), (seed, limit) => {
        const random = new Random(seed);
        for (let i = 0; i < 20; i++) {
          const value = random.below(limit);
          expect(Number.isInteger(value) && value >= 0 && value < limit).toBe(true);
          expect(random.burst(4, 9)).toBeLessThanOrEqual(9);
          expect(random.between(-3, 3)).toBeGreaterThanOrEqual(-3);
        }
      }),
    );
  });

  it('is uniform: χ² over 64 cells', () => {
    const random = new Random(11);
    const cells = new Array<number>(64).fill(0);
    const count = 640_000;
    for (let i = 0; i < count; i++) cells[random.below(64)]!++;
    const expected = count / 64;
    const chi2 = cells.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    expect(chi2).toBeLessThan(103); // 63 degrees of freedom: p = 0.001
  });

  it('has the documented means', () => {
    const random = new Random(5);
    let exponential = 0;
    let second = 0;
    for (let i = 0; i < 100_000; i++) {
      exponential += random.exponential(3);
      if (random.weighted([1, 3]) === 1) second++;
    }
    expect(exponential / 100_000).toBeCloseTo(3, 1);
    expect(second / 100_000).toBeCloseTo(0.75, 2);
  });

  it('keeps all elements in a shuffle and throws on a pick from an empty list', () => {
    const list = [1, 2, 3, 4, 5, 6, 7, 8];
    const shuffled = new Random(2).shuffled(list);
    expect(shuffled).not.toEqual(list);
    expect([...shuffled].sort()).toEqual(list);
    expect(() => new Random(0).pick([])).toThrow(RangeError);
  });
});
