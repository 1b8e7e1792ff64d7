import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { discoverByDay } from '../../../src/detect/threshold/fdr.js';

const oneDay = (p: number[], level: number, floor = 0) =>
  discoverByDay({ hosts: p.map(() => 0), days: p.map(() => 0), p }, { level, floor });

describe('discoveries', () => {
  it('are those of the published example', () => {
    // Benjamini and Hochberg 1995, section 3.2: at q = 0.05 the four smallest of fifteen.
    const p = [
      0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528,
      0.759, 1,
    ];
    const { days, alarms } = oneDay(p, 0.05);
    expect(days[0]).toMatchObject({ nodes: 15, alarms: 4, level: 0.0095 });
    expect([...alarms]).toEqual(p.map((_, i) => (i < 4 ? 1 : 0)));
  });

  it('equal those of trying every cut, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 25 }), (list) => {
        const p = list.map((i) => i / 60);
        const { alarms } = oneDay(p, 0.2);
        const passing = p.filter((cut) => cut <= (0.2 * p.filter((one) => one <= cut).length) / p.length);
        const cut = Math.max(0, ...passing);
        expect([...alarms]).toEqual(p.map((one) => (one <= cut ? 1 : 0)));
      }),
    );
  });

  it('are found for each host and day separately', () => {
    const rows = {
      hosts: [1, 0, 0, 1, 0, 1],
      days: [3, 3, 3, 3, 4, 5],
      p: [0.04, 0.01, 0.9, 0.04, 0.01, 0.01],
    };
    const { alarms, days } = discoverByDay(rows, { level: 0.05, floor: 0.001 });
    expect(days.map(({ host, day, nodes, alarms }) => [host, day, nodes, alarms])).toEqual([
      [0, 3, 2, 1],
      [0, 4, 1, 1],
      [1, 3, 2, 2],
      [1, 5, 1, 1],
    ]);
    expect([...alarms]).toEqual([1, 1, 0, 1, 1, 1]);
  });

  it('are false at most at the nominal rate if p-values are independent', () => {
    let share = 0;
    const rounds = 400;
    for (let seed = 0; seed < rounds; seed++) {
      const random = new Random(seed);
      const p = Array.from({ length: 200 }, (_, i) => (i < 20 ? 1e-4 * random.float() : random.float()));
      const { alarms } = oneDay(p, 0.1);
      const all = alarms.reduce((sum, one) => sum + one, 0);
      share += all === 0 ? 0 : alarms.subarray(20).reduce((sum, one) => sum + one, 0) / all / rounds;
    }
    expect(share).toBeLessThan(0.1);
    expect(share).toBeGreaterThan(0.07);
  });
});

describe('the number of nodes that must reach the floor', () => {
  it('is the smallest number that gives an alarm', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.constantFrom(0.01, 0.05, 0.1, 0.3),
        (nodes, benign, level) => {
          const floor = 1 / (benign + 1);
          const alarmsWith = (count: number) =>
            oneDay(
              Array.from({ length: nodes }, (_, i) => (i < count ? floor : 1)),
              level,
              floor,
            ).days[0];
          const { needed } = alarmsWith(0);
          if (needed <= nodes) expect(alarmsWith(needed)).toMatchObject({ alarms: needed, needed });
          if (needed > 1) expect(alarmsWith(Math.min(nodes, needed - 1)).alarms).toBe(0);
        },
      ),
    );
  });

  it('is more than all nodes if none can ever alarm', () => {
    const p = Array.from({ length: 100 }, () => 1);
    expect(oneDay(p, 0.1, 0.2).days[0].needed).toBe(200);
  });
});
