import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyTable } from '../../src/store/key-table.js';

type Key = [host: number, w0: number, w1: number, w2: number, w3: number];

/** Words that share most of their bits, as with counters and chosen identifiers. */
const word = fc.oneof(
  fc.constantFrom(0, 1, 0x10000, 0x80000000, 0xffffffff),
  fc.integer({ min: 0, max: 0xffffffff }),
);
const key = fc.tuple(fc.nat(3), word, word, word, word);

function checkAgainstMap(keys: Iterable<Key>): KeyTable {
  const table = new KeyTable();
  const oracle = new Map<string, number>();
  for (const k of keys) {
    const name = k.join();
    const expected = oracle.get(name);
    if (table.find(...k) !== (expected ?? -1)) throw new Error(`find before intern of ${name}`);
    if (expected === undefined) oracle.set(name, oracle.size);
    if (table.intern(...k) !== oracle.get(name)) throw new Error(`intern of ${name}`);
  }
  expect(table.size).toBe(oracle.size);
  const out = new Uint32Array(4);
  for (const [name, index] of oracle) {
    table.keyAt(index, out);
    if ([table.hostAt(index), ...out].join() !== name) throw new Error(`key ${index} is not ${name}`);
    if (table.find(...(name.split(',').map(Number) as Key)) !== index) throw new Error(`find of ${name}`);
  }
  return table;
}

describe('KeyTable', () => {
  it('numbers keys in the order of their first call, like a Map', () => {
    fc.assert(fc.property(fc.array(key, { maxLength: 60 }), (keys) => void checkAgainstMap(keys)));
  });

  it('keeps its numbers when it grows over several pages', () => {
    function* keys(): Generator<Key> {
      for (let i = 0; i < 60_000; i++) {
        // Every third key is a repeat.
        const n = i % 3 === 2 ? (i * 7919) % i : i;
        yield [n % 5, Math.imul(n, 0x9e3779b1) >>> 0, n, 0, n >>> 3];
      }
    }
    checkAgainstMap(keys());
  });

  it.each([
    ['equal low bits in every word', (i: number): Key => [0, (i << 16) >>> 0, 0, 0, 0]],
    ['only the last word differs', (i: number): Key => [0, 7, 7, 7, i]],
    ['only the host differs', (i: number): Key => [i, 7, 7, 7, 7]],
    ['words that cancel in a sum or XOR', (i: number): Key => [0, i, -i >>> 0, i, i]],
  ])('stays fast and correct with %s', (_name, make) => {
    const started = performance.now();
    checkAgainstMap(Array.from({ length: 60_000 }, (_, i) => make(i)));
    // A hash that loses these bits would take quadratic time.
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('accepts signed and unsigned words', () => {
    const table = new KeyTable();
    expect(table.intern(1, -1, -2, -3, -4)).toBe(0);
    expect(table.intern(1, 0xffffffff, 0xfffffffe, 0xfffffffd, 0xfffffffc)).toBe(0);
    expect(table.find(2, -1, -2, -3, -4)).toBe(-1);
  });

  it('throws for a number that it has not given out', () => {
    const table = new KeyTable();
    table.intern(0, 1, 2, 3, 4);
    for (const index of [-1, 1, 0.5]) expect(() => table.hostAt(index)).toThrow(RangeError);
  });
});
