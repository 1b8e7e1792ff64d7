import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Serials } from '../../../../src/ingest/formats/auditd/serials.js';

function see(serials: Serials, numbers: readonly number[]): void {
  for (const number of numbers) if (!serials.isNext(number | 0)) serials.jump(number | 0, () => 1_000n);
}

function lost(numbers: readonly number[]): number {
  const serials = new Serials();
  see(serials, numbers);
  return serials.losses('h', true).reduce((sum, { records }) => sum + records, 0);
}

describe('serials', () => {
  it('in order have no losses, and gaps are losses', () => {
    expect(lost([5, 6, 7, 8])).toBe(0);
    expect(lost([5, 6, 9, 20])).toBe(12);
  });

  it('may come late', () => {
    expect(lost([5, 8, 6, 7, 9])).toBe(0);
    expect(lost([5, 12, 8, 9])).toBe(4);
  });

  it('roll over after 32 bits', () => {
    expect(lost([0xfffffffe, 0xffffffff, 0, 1])).toBe(0);
    expect(lost([0xfffffffe, 1])).toBe(2);
  });

  it('start anew after a boot or in another log', () => {
    expect(lost([900_000, 900_001, 3, 4])).toBe(0);
    expect(lost([1, 2, 900_000_000])).toBe(0);
  });

  it('count exactly what is missing, whatever the order within a window', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(2000), { minLength: 2, maxLength: 300 }),
        fc.infiniteStream(fc.nat(20)),
        (numbers, jitter) => {
          const ordered = numbers
            .map((number) => ({ number, at: number + (jitter.next().value as number) }))
            .sort((a, b) => a.at - b.at)
            .map(({ number }) => number);
          const [first] = ordered;
          const seen = numbers.filter((number) => number >= first);
          expect(lost(ordered)).toBe(Math.max(...numbers) - first + 1 - seen.length);
        },
      ),
    );
  });

  it('go on after a restart', () => {
    const before = new Serials();
    see(before, [1, 2, 6]);
    const after = new Serials(JSON.parse(JSON.stringify(before.save())));
    see(after, [4, 7, 9]);
    expect(after.losses(undefined, true).reduce((sum, { records }) => sum + records, 0)).toBe(3);
  });
});
