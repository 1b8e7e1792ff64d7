import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planWork, SEGMENT_ENTRIES } from '../../src/compute/work-list.js';

it('a work list covers every entry of every row once, in order, in segments of bounded size', () => {
  const lengths = fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 50_000 })), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(lengths, (rows) => {
      const ends = new Uint32Array(rows.length);
      let total = 0;
      rows.forEach((length, i) => {
        total += length;
        ends[i] = total;
      });
      const starts = ends.map((end, i) => end - rows[i]);
      const work = planWork(rows.length, starts, ends);
      const next = starts.slice();
      const seen = new Set<number>();
      const parts: number[] = [];
      for (let i = 0; i < work.segmentCount; i++) {
        const [row, start, end, part] = work.segments.subarray(4 * i, 4 * i + 4);
        expect(start).toBe(next[row]);
        expect(end - start).toBeLessThanOrEqual(SEGMENT_ENTRIES);
        next[row] = end;
        seen.add(row);
        if (part !== 0xffffffff) parts.push(part);
        else expect(end - start).toBe(rows[row]);
      }
      expect(seen.size).toBe(rows.length);
      expect(next).toEqual(ends);
      expect(parts).toEqual(Array.from({ length: work.partCount }, (_, i) => i));
      expect(work.bounds[0]).toBe(0);
      expect(work.bounds[work.chunkCount]).toBe(work.segmentCount);
      for (let i = 0; i < work.splitCount; i++) {
        const [row, first, count] = work.split.subarray(3 * i, 3 * i + 3);
        expect(count).toBe(Math.ceil(rows[row] / SEGMENT_ENTRIES));
        expect(parts.slice(first, first + count)).toHaveLength(count);
      }
    }),
    { numRuns: 50 },
  );
});
