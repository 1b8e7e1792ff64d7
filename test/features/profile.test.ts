import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { elapsedTimes, PROFILE_DEFAULTS, TransitionProfile } from '../../src/features/profile.js';
import { arbitraryRows, type EventRow, RELATIONS, tableOf } from '../store/event-rows.js';

const NODES = 5;

/** Method §2, directly: B_v is the L most recent events of v, and p_v sums over consecutive pairs. */
function direct(rows: readonly EventRow[], v: number, L: number, lambda: number): Map<number, number> {
  const R1 = RELATIONS.length + 1;
  const involved = rows.filter(({ subj = -1, obj = -1, obj2 = -1 }) => {
    if (subj < 0 && (obj < 0 || obj2 < 0)) return false; // noSubject: skipped (method §1)
    return subj === v || obj === v || obj2 === v;
  });
  const B = involved.slice(-L);
  const theta = B.at(-1)?.ts ?? 0;
  const p = new Map<number, number>();
  for (let i = 1; i < B.length; i++) {
    const at = (B[i - 1].rel as number) * R1 + (B[i].rel as number);
    const weight = Math.exp(-lambda * ((theta - (B[i].ts as number)) / 1e9));
    p.set(at, (p.get(at) ?? 0) + weight);
  }
  return p;
}

function feed(profile: TransitionProfile, rows: readonly EventRow[]): void {
  for (const { rel = 0, ts = 0, subj = -1, obj = -1, obj2 = -1 } of rows) {
    profile.push(rel, ts, subj, obj, obj2);
  }
}

const newProfile = (history: number, decay: number) =>
  new TransitionProfile({ history, decay, relationCount: RELATIONS.length + 1 });

describe('the profile equals the formula', () => {
  test('on random events with ties, self-loops, second objects and missing entities, for any L and λ', () => {
    const history = fc.oneof(fc.integer({ min: 2, max: 6 }), fc.constantFrom(20, 100));
    const decay = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 2, noNaN: true }));
    fc.assert(
      fc.property(arbitraryRows(NODES, 80), history, decay, fc.nat(80), (drawn, L, lambda, cut) => {
        // Keeps ties; other times are multiples of half a minute apart.
        const rows = drawn.map((row) => ({ ...row, ts: (row.ts ?? 0) * 30_000_000_000 }));
        const profile = newProfile(L, lambda);
        // Reads in the middle too, because reading must not change the profile.
        for (const [from, to] of [
          [0, cut],
          [cut, rows.length],
        ]) {
          feed(profile, rows.slice(from, to));
          for (let v = 0; v < NODES; v++) {
            const { columns, values } = profile.read(v);
            const expected = [...direct(rows.slice(0, to), v, L, lambda)].sort(([a], [b]) => a - b);
            expect([...columns]).toEqual(expected.map(([column]) => column));
            for (const [i, [, value]] of expected.entries()) expect(values[i]).toBeCloseTo(value, 12);
            expect(columns.length).toBeLessThan(L);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('on two transitions: the older one has half the weight after one half-life', () => {
    const profile = newProfile(20, PROFILE_DEFAULTS.decay);
    const half = 900e9;
    feed(profile, [
      { rel: 0, ts: 0, subj: 0 },
      { rel: 1, ts: half, subj: 0 },
      { rel: 2, ts: 2 * half, subj: 0 },
    ]);
    const { columns, values } = profile.read(0);
    expect([...columns]).toEqual([0 * 4 + 1, 1 * 4 + 2]);
    expect(values[0]).toBeCloseTo(0.5, 12);
    expect(values[1]).toBe(1);
  });
});

test('a node with a high number has its own profile', () => {
  const profile = newProfile(3, 0);
  const far = 1_000_003;
  feed(profile, [
    { rel: 0, subj: far },
    { rel: 1, subj: far },
  ]);
  expect([...profile.read(far).columns]).toEqual([1]);
  expect(profile.read(far + 1).columns).toHaveLength(0);
  expect(profile.read(7).columns).toHaveLength(0);
});

test('the ring buffer wraps around many times', () => {
  const profile = newProfile(4, 0);
  for (let i = 0; i < 10_001; i++) profile.push(i % 3, i, 0, -1, -1);

  const last = [9997, 9998, 9999, 10_000].map((i) => i % 3);
  const pairs = last.slice(1).map((r, i) => last[i] * 4 + r);
  expect([...profile.read(0).columns]).toEqual([...new Set(pairs)].sort((a, b) => a - b));
});

test('a history of one event is refused', () => {
  expect(() => newProfile(1, 0)).toThrow(RangeError);
});

test('elapsed times are exact to the nanosecond', () => {
  const rows = [1_522_972_800_000_000_001n, 1_522_972_800_000_000_002n, 1_522_972_804_294_967_297n];
  const table = { ...tableOf([], [], 0), length: 3, ts: BigInt64Array.from(rows) };
  expect([...elapsedTimes(table, rows[0])]).toEqual([0, 1, 4_294_967_296]);
  expect([...elapsedTimes({ ...table, ts: BigInt64Array.of(-5n, 0n, 3n) }, -5n)]).toEqual([0, 5, 8]);
});
