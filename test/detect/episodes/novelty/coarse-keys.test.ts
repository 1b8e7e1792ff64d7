import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatBehaviour } from '../../../../src/detect/episodes/novelty/behaviour-key.js';
import { CoarseKeys } from '../../../../src/detect/episodes/novelty/coarse-keys.js';

const word = fc.constantFrom(-(2 ** 31), -1, 0, 1, 2 ** 31 - 1);
const added = fc.record({ high: word, low: word, level: fc.nat(7) });

it('are ordered by their coarsest level, then by their text', () => {
  fc.assert(
    fc.property(fc.array(added), fc.nat(20), (all, most) => {
      const keys = new CoarseKeys();
      const levels = new Map<string, number>();
      for (const { level, ...key } of all) {
        keys.add(key, level);
        const text = formatBehaviour(key);
        levels.set(text, Math.min(level, levels.get(text) ?? level));
      }
      const sorted = [...levels].sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1));
      expect(keys.size).toBe(sorted.length);
      expect(keys.first(most)).toEqual(sorted.slice(0, most).map(([text]) => text));
    }),
  );
});
