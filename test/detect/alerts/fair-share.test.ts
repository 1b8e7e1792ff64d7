import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shareFairly } from '../../../src/detect/alerts/fair-share.js';
import { foldFloods } from '../../../src/detect/alerts/floods.js';

const kindOf = ({ group, kind }: { group: string; kind: string }) => ({ group, kind });
const letter = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const rows = fc
  .array(fc.record({ group: letter, kind: letter, score: fc.nat(1000) }), { maxLength: 80 })
  .map((given) => given.map((row, id) => ({ ...row, id })).sort((a, b) => b.score - a.score || a.id - b.id));

test('few rows all stay, and a flood displaces only itself', () => {
  const quiet = { group: 'q', kind: 'quiet', score: 1 };
  const loud = Array.from({ length: 100 }, (_, i) => ({ group: 'l', kind: 'loud', score: 500 - i }));
  expect(shareFairly([...loud, quiet], 101, kindOf)).toHaveLength(101);
  const kept = shareFairly([...loud, quiet], 10, kindOf);
  expect(kept).toEqual([...loud.slice(0, 9), quiet]);
});

test('kinds of one group share it, and the best of every kind stays while there is room', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 60 }), (all, most) => {
      const kept = shareFairly(all, most, kindOf);
      expect(kept).toHaveLength(Math.min(all.length, most));
      expect(kept).toEqual(all.filter((row) => kept.includes(row)));
      const groups = new Set(all.map(({ group }) => group));
      if (groups.size <= most) expect(new Set(kept.map(({ group }) => group))).toEqual(groups);
    }),
  );
});

test('the choice does not depend on earlier choices', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 40 }), fc.nat(80), (all, most, at) => {
      const early = all.filter((_, i) => i % 2 === 0 || i < at);
      const late = all.filter((row) => !early.includes(row));
      const first = shareFairly(early, most, kindOf);
      const merged = [...first, ...late].sort((a, b) => b.score - a.score || a.id - b.id);
      expect(shareFairly(merged, most, kindOf)).toEqual(shareFairly(all, most, kindOf));
    }),
    { numRuns: 1000 },
  );
});

test('a flood keeps its best few, and the others keep their order', () => {
  const items = ['x1', 'y1', 'x2', 'x3', 'z1', 'x4', 'x5', 'y2', 'x6'];
  const { ranked, floods } = foldFloods(items, ([kind]) => kind, {
    most: 5,
    fold: (folded) => `flood of ${folded.length}`,
  });
  expect(ranked).toEqual(['x1', 'y1', 'x2', 'x3', 'z1', 'flood of 3', 'y2']);
  expect(floods.get('flood of 3')).toEqual(['x4', 'x5', 'x6']);
  expect(foldFloods(items, ([kind]) => kind, { most: 6, fold: () => '' }).ranked).toBe(items);
});
