import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Arena } from '../../src/compute/wasm/arena.js';

it('pieces never overlap, and freed memory can be allocated again in one piece', () => {
  const actions = fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 500_000 }), free: fc.nat(7) }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(actions, (list) => {
      const arena = new Arena(1000);
      const held: { start: number; end: number }[] = [];
      for (const { bytes, free } of list) {
        const start = arena.allocate(bytes);
        expect(start % 8).toBe(0);
        for (const other of held) expect(start >= other.end || start + bytes <= other.start).toBe(true);
        expect(start + bytes).toBeLessThanOrEqual(arena.memory.buffer.byteLength);
        held.push({ start, end: start + bytes });
        if (free < held.length) arena.free(held.splice(free, 1)[0].start);
      }
      const before = arena.memory.buffer.byteLength;
      for (const { start } of held) arena.free(start);
      expect(arena.used).toBe(0);
      arena.allocate(before - 1000 - 64);
      expect(arena.memory.buffer.byteLength).toBe(before);
    }),
    { numRuns: 40 },
  );
});

it('refuses an allocation beyond the limit and an unknown address', () => {
  const arena = new Arena(64);
  expect(() => arena.allocate(5 * 2 ** 30)).toThrow(expect.objectContaining({ code: 'device-memory' }));
  expect(() => arena.free(12_345)).toThrow(RangeError);
});
