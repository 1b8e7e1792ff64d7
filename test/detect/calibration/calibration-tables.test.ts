import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.js';
import {
  CalibrationBuilder,
  type CalibrationOptions,
  CalibrationTables,
  emptyCalibratedValue,
  LEVELS,
} from '../../../src/detect/calibration/calibration-tables.js';
import { logNormalTail } from '../../../src/detect/calibration/log-survival.js';
import { fitTail, type TailModel } from '../../../src/detect/calibration/tail-model.js';

type Sample = [type: number, slot: number, value: number, node: number];
const space = { typeCount: 3, slotCount: 4, groupOf: Uint8Array.of(0, 0, 1, 1) };
const plain: CalibrationOptions = {
  kind: 'quantile',
  tail: 'floor',
  byType: true,
  minNodes: 3,
  comparable: true,
};

function build(samples: readonly Sample[], options: Partial<CalibrationOptions> = {}): CalibrationTables {
  const builder = new CalibrationBuilder(space);
  for (const sample of samples) builder.add(...sample);
  return builder.build({ ...plain, ...options });
}

function ask(tables: CalibrationTables, type: number, slot: number, value: number) {
  const result = emptyCalibratedValue();
  tables.lookup(type, slot, value, result);
  return result;
}

const row = (type: number, slot: number, values: readonly number[], nodes = values.length): Sample[] =>
  values.map((value, i) => [type, slot, value, i % nodes]);

const samples = fc.array(
  fc.tuple(
    fc.integer({ min: 0, max: 2 }),
    fc.integer({ min: 0, max: 3 }),
    fc.oneof(fc.integer({ min: 0, max: 6 }), fc.double({ min: -1e3, max: 1e3, noNaN: true })),
    fc.integer({ min: 0, max: 12 }),
  ),
  { maxLength: 80 },
) as fc.Arbitrary<Sample[]>;

describe('the tail probability', () => {
  it('is (1 + #{benign ≥ e}) / (n + 1)', () => {
    const tables = build(row(0, 0, [1, 2, 2, 3]));
    for (const [e, p] of [
      [0, 1],
      [1, 1],
      [1.5, 4 / 5],
      [2, 4 / 5],
      [3, 2 / 5],
      [3.1, 1 / 5],
    ]) {
      expect(ask(tables, 0, 0, e).logP).toBeCloseTo(Math.log(p), 14);
    }
    expect(ask(tables, 0, 0, 3)).toMatchObject({ n: 4, floor: false, quantile: 3 / 4 });
    expect(ask(tables, 0, 0, 9)).toMatchObject({ n: 4, floor: true, quantile: 1 });
  });

  it('equals a direct count over the table that is used, for any samples', () => {
    fc.assert(
      fc.property(
        samples,
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 0, max: 3 }),
        fc.double({ min: -1e3, max: 1e3, noNaN: true }),
        (list, type, slot, e) => {
          const answer = ask(build(list), type, slot, e);
          const pools = [
            list.filter(([t, s]) => t === type && s === slot),
            list.filter(([, s]) => s === slot),
            list.filter(([, s]) => space.groupOf[s] === space.groupOf[slot]),
            list,
          ];
          const wide = (pool: Sample[]) => new Set(pool.map(([, , , node]) => node)).size >= 3;
          const level = [...pools.slice(0, 3).map(wide), true].indexOf(true);
          const pool = pools[level];
          const above = pool.filter(([, , value]) => Math.fround(value) >= Math.fround(e)).length;
          expect(LEVELS[answer.level]).toBe(LEVELS[level]);
          expect(answer.n).toBe(pool.length);
          expect(answer.logP).toBeCloseTo(Math.log((1 + above) / (pool.length + 1)), 12);
          expect(answer.floor).toBe(pool.length > 0 && above === 0);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is in (0, 1] and falls with the value, under every kind and tail', () => {
    const random = new Random(5);
    const list: Sample[] = Array.from({ length: 3000 }, (_, i) => [
      i % 3,
      random.below(4),
      random.exponential(1) ** 1.5,
      i % 700,
    ]);
    for (const kind of ['quantile', 'zscore', 'none'] as const) {
      for (const tail of ['floor', 'tail'] as const) {
        const tables = build(list, { kind, tail });
        let before = 0;
        for (let e = 0; e < 60; e += 0.01) {
          const { logP } = ask(tables, 1, 2, e);
          if (!(logP <= before)) expect(logP, `at ${e}`).toBeLessThanOrEqual(before);
          before = logP;
        }
        expect(Number.isFinite(before)).toBe(true);
      }
    }
  });

  it('rounds looked-up values like stored ones', () => {
    const value = 0.1; // float32 0.1 is larger than this
    const tables = build(row(0, 0, [value, 0.05, 0.02]));
    expect(ask(tables, 0, 0, value).logP).toBeCloseTo(Math.log(2 / 4), 14);
    expect(ask(tables, 0, 0, 1e300)).toMatchObject({ floor: true });
  });
});

describe('back-off', () => {
  it('counts distinct nodes, not values', () => {
    const many = row(
      0,
      0,
      Array.from({ length: 50 }, (_, i) => i),
      2,
    );
    expect(LEVELS[ask(build(many), 0, 0, 1).level]).toBe('all');
    expect(build(many).describe(0, 0)).toMatchObject({ n: 50, nodes: 2 });
    expect(LEVELS[ask(build([...many, [0, 0, 7, 99]]), 0, 0, 1).level]).toBe('type');
  });

  it('goes from (type, slot) to slot, to the group, to all', () => {
    const list = [...row(0, 0, [1, 2, 3]), ...row(1, 1, [4]), ...row(2, 3, [5, 6]), ...row(1, 3, [7], 1)];
    const tables = build(list);
    const level = (type: number, slot: number) => LEVELS[ask(tables, type, slot, 0).level];
    expect(level(0, 0)).toBe('type');
    expect(level(1, 0)).toBe('slot');
    expect(level(99, 0)).toBe('slot'); // an unknown type
    expect(level(1, 1)).toBe('group');
    expect(level(0, 3)).toBe('all');
    expect(LEVELS[ask(build(list, { byType: false }), 0, 0, 0).level]).toBe('slot');
  });

  it('needs as many distinct nodes as the options say', () => {
    const values = Array.from({ length: 30 }, (_, i) => i);
    const level = (n: number) =>
      LEVELS[ask(build(row(0, 0, values.slice(0, n)), { minNodes: 30 }), 0, 0, 1).level];
    expect(level(30)).toBe('type');
    expect(level(29)).toBe('all');
  });

  it('gives p = 1 without any benign value', () => {
    for (const kind of ['quantile', 'zscore'] as const) {
      expect(ask(build([], { kind }), 0, 0, 5)).toEqual({
        logP: 0,
        n: 0,
        level: 3,
        floor: false,
        quantile: 0,
        modelled: false,
      });
    }
  });

  it('marks values whose p comes from the tail model: those above its threshold, even within the sample', () => {
    const values = Array.from({ length: 600 }, (_, i) => -Math.log(1 - i / 600));
    const rows = row(0, 0, values);
    const largest = values.at(-1) as number;
    const asked = (options: Parameters<typeof build>[1], value: number) =>
      ask(build(rows, options), 0, 0, value);
    expect(asked({ tail: 'tail' }, largest - 0.01)).toMatchObject({ modelled: true, floor: false });
    expect(asked({ tail: 'tail' }, 0.5)).toMatchObject({ modelled: false });
    expect(asked({ tail: 'floor' }, largest + 1)).toMatchObject({ modelled: false, floor: true });
    expect(asked({ kind: 'zscore' }, largest + 1)).toMatchObject({ modelled: false });
  });
});

describe('a slot with few nodes, if slots are not comparable', () => {
  const own = { comparable: false, minNodes: 30 };
  const frequent = row(
    0,
    0,
    Array.from({ length: 200 }, (_, i) => i / 200),
  );

  it('is compared with its own values only', () => {
    const tables = build([...frequent, ...row(0, 1, [5, 6, 7, 8, 9])], own);
    expect(ask(tables, 0, 1, 7)).toMatchObject({ n: 5, quantile: 2 / 5, floor: false });
    expect(ask(tables, 0, 1, 7).logP).toBeCloseTo(Math.log(4 / 6), 14);
    expect(ask(tables, 0, 1, 10).logP).toBeCloseTo(Math.log(1 / 6), 14);
    expect(LEVELS[ask(tables, 0, 1, 10).level]).toBe('slot');
  });

  it('counts each node once, because values of one node are alike', () => {
    const values = Array.from({ length: 400 }, (_, i) => i);
    const tables = build([...frequent, ...row(0, 1, values, 4)], { ...own, tail: 'tail' });
    expect(ask(tables, 0, 1, 300)).toMatchObject({ n: 4, quantile: 3 / 4, modelled: false });
    expect(ask(tables, 0, 1, 300).logP).toBeCloseTo(Math.log(2 / 5), 14);
    expect(ask(tables, 0, 1, 1e6)).toMatchObject({ floor: true, modelled: false });
    expect(ask(tables, 0, 1, 1e6).logP).toBeCloseTo(Math.log(1 / 5), 14);
  });

  it('gives p = 1 if it has no benign value', () => {
    expect(ask(build(frequent, own), 0, 1, 1e6)).toMatchObject({ logP: 0, n: 0, floor: false });
  });

  it('uses a table per type, and the slot, as soon as they have enough nodes', () => {
    const tables = build([...frequent, ...row(1, 0, [5, 6])], own);
    const level = (type: number) => LEVELS[ask(tables, type, 0, 0).level];
    expect([level(0), level(1)]).toEqual(['type', 'slot']);
    expect(ask(tables, 1, 0, 0).n).toBe(202);
  });

  it('has p ≤ t with a probability of at most t, although its values differ from those of other slots', () => {
    const random = new Random(3);
    const levels = [0.05, 0.1, 0.25, 0.5];
    const trials = 2000;
    const below = levels.map(() => 0);
    for (let trial = 0; trial < trials; trial++) {
      const values = Array.from({ length: 19 }, () => 2 + random.float());
      const { logP } = ask(build([...frequent, ...row(0, 1, values)], own), 0, 1, 2 + random.float());
      levels.forEach((level, i) => {
        if (logP <= Math.log(level) + 1e-9) below[i]++;
      });
    }
    levels.forEach((level, i) => {
      const noise = 4 * Math.sqrt((level * (1 - level)) / trials);
      expect(Math.abs(below[i] / trials - level), `p ≤ ${level}`).toBeLessThan(noise);
    });
  });

  it('does not exist for zscore, whose σ needs more values', () => {
    const tables = build([...frequent, ...row(0, 1, [5, 6])], { ...own, kind: 'zscore' });
    expect(LEVELS[ask(tables, 0, 1, 7).level]).toBe('group');
  });
});

describe('other kinds of calibration', () => {
  it('zscore is ln Φ(−(e − μ)/σ)', () => {
    const values = [1, 2, 4, 7];
    const tables = build(row(0, 0, values), { kind: 'zscore' });
    const sigma = Math.sqrt(values.reduce((sum, v) => sum + (v - 3.5) ** 2, 0) / 3);
    expect(ask(tables, 0, 0, 9).logP).toBeCloseTo(logNormalTail((9 - 3.5) / sigma), 12);
  });

  it('zscore keeps σ above a thousandth of the deviation of all values', () => {
    const list = [...row(0, 0, [1, 1, 1, 1]), ...row(0, 1, [0, 5, 10])];
    const all = [1, 1, 1, 1, 0, 5, 10];
    const mean = all.reduce((sum, v) => sum + v, 0) / 7;
    const sigma = Math.sqrt(all.reduce((sum, v) => sum + (v - mean) ** 2, 0) / 6);
    const { logP } = ask(build(list, { kind: 'zscore' }), 0, 0, 1.5);
    expect(logP).toBeCloseTo(logNormalTail(0.5 / (sigma / 1000)), 5);
  });

  it('none is the negated value', () => {
    expect(ask(build(row(0, 0, [1, 2, 3]), { kind: 'none' }), 0, 0, 2.5).logP).toBe(-2.5);
  });
});

describe('the tail', () => {
  const random = new Random(8);
  const list: Sample[] = Array.from({ length: 1000 }, (_, i) => [0, 0, random.exponential(1), i]);
  const [floor, tail] = (['floor', 'tail'] as const).map((option) => build(list, { tail: option }));
  const { threshold } = fitTail(tail.toArrays().values) as TailModel;

  it('changes nothing below its threshold and is continuous there', () => {
    for (let e = 0; e < threshold; e += 0.01) expect(ask(tail, 0, 0, e).logP).toBe(ask(floor, 0, 0, e).logP);
    const [below, above] = [threshold - 1e-6, threshold + 1e-6].map((e) => ask(tail, 0, 0, e).logP);
    expect(Math.abs(above - below)).toBeLessThan(1e-5);
  });

  it('ranks values that tie at the floor', () => {
    const [near, far] = [20, 40].map((e) => [ask(floor, 0, 0, e), ask(tail, 0, 0, e)]);
    expect(near[0].logP).toBe(far[0].logP);
    expect(near[0].logP).toBeCloseTo(-Math.log(1001), 12);
    expect(far[1].logP).toBeLessThan(near[1].logP - 2);
    expect(near[1]).toMatchObject({ floor: true, n: 1000 });
  });
});

describe('calibration', () => {
  it('holds: the share of new benign values with p ≤ α is at most α, over many tables', () => {
    const alphas = [0.01, 0.05, 0.2, 0.5];
    const met = alphas.map(() => 0);
    const [tablesMade, asked] = [400, 50];
    for (let seed = 0; seed < tablesMade; seed++) {
      const random = new Random(seed);
      const draw = () => Math.round(random.exponential(20)); // with ties
      const tables = build(Array.from({ length: 150 }, (_, i): Sample => [0, 0, draw(), i]));
      for (let i = 0; i < asked; i++) {
        const { logP } = ask(tables, 0, 0, draw());
        alphas.forEach((alpha, a) => {
          if (logP <= Math.log(alpha) + 1e-12) met[a]++;
        });
      }
    }
    alphas.forEach((alpha, a) => {
      // Values looked up in one table share its error, so the variance is that of tables and of values.
      const error =
        4 *
        Math.sqrt((alpha * (1 - alpha)) / (tablesMade * asked) + (alpha * (1 - alpha)) / 150 / tablesMade);
      expect(met[a] / (tablesMade * asked)).toBeLessThan(alpha + error);
      expect(met[a]).toBeGreaterThan(0);
    });
  });
});

describe('tables', () => {
  it('do not depend on the order of the samples', () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 0, max: 1000 }), (list, seed) => {
        const shuffled = new Random(seed).shuffled(list);
        expect(build(shuffled).toArrays()).toEqual(build(list).toArrays());
      }),
    );
  });

  it('are the same when read from their arrays', () => {
    fc.assert(
      fc.property(samples, fc.double({ min: -1e3, max: 1e3, noNaN: true }), (list, e) => {
        const tables = build(list, { tail: 'tail' });
        const arrays = structuredClone(tables.toArrays());
        const meta = JSON.parse(JSON.stringify(arrays.meta));
        const back = CalibrationTables.fromArrays({ ...arrays, meta });
        for (let slot = 0; slot < 4; slot++) expect(ask(back, 1, slot, e)).toEqual(ask(tables, 1, slot, e));
      }),
    );
  });

  it('refuse NaN and unknown types and slots', () => {
    const builder = new CalibrationBuilder(space);
    expect(() => builder.add(0, 0, Number.NaN, 1)).toThrow(RangeError);
    expect(() => builder.add(0, 4, 1, 1)).toThrow(RangeError);
    expect(() => builder.add(3, 0, 1, 1)).toThrow(RangeError);
    expect(() => ask(builder.build(plain), 0, 0, Number.NaN)).toThrow(RangeError);
    expect(() => ask(builder.build(plain), 0, 4, 1)).toThrow(RangeError);
  });
});
