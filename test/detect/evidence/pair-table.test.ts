import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PairTable } from '../../../src/detect/evidence/pair-table.js';

test('numbers pairs like a Map, while it grows', () => {
  const small = fc.integer({ min: -1, max: 40 });
  const pair = fc.tuple(small, fc.oneof(small, fc.integer()));
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 2000, size: 'max' }), (pairs) => {
      const table = new PairTable();
      const numbers = new Map<string, number>();
      for (const [a, b] of pairs) {
        const key = `${a},${b}`;
        expect(table.find(a, b)).toBe(numbers.get(key) ?? -1);
        if (!numbers.has(key)) numbers.set(key, numbers.size);
        expect(table.intern(a, b)).toBe(numbers.get(key));
      }
      const kept = Array.from(table.firsts, (first, i) => `${first},${table.seconds[i]}`);
      expect(kept).toEqual([...numbers.keys()]);
      expect(table.size).toBe(numbers.size);
    }),
    { numRuns: 8 },
  );
});
