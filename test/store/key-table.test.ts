import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyTable } from '../../src/store/key-table.js';

type Key = [host: number, w0: number, w1: number, w2: number, w3: number];

/** Words that collide in most of their bits, as counters and attackers make them. */
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
  it('numbers keys in order of first sight, as a Map would', () => {
    fc.assert(fc.property(fc.array(key, { maxLength: 60 }), (keys) => void checkAgainstMap(keys)));
  });

  it('keeps its numbers through growth, and over pages', () => {
    function* keys(): Generator<Key> {
      for (let i = 0; i < 60_000; i++) {
        // Every third key has been seen before.
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
    ['words that cancel in a sum or exclusive or', (i: number): Key => [0, i, -i >>> 0, i, i]],
  ])('stays fast and right with %s', (_name, make) => {
    const started = performance.now();
    checkAgainstMap(Array.from({ length: 60_000 }, (_, i) => make(i)));
    // A hash that loses these bits is quadratic; the rest of the margin is for slow machines.
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('takes words signed or unsigned', () => {
    const table = new KeyTable();
    expect(table.intern(1, -1, -2, -3, -4)).toBe(0);
    expect(table.intern(1, 0xffffffff, 0xfffffffe, 0xfffffffd, 0xfffffffc)).toBe(0);
    expect(table.find(2, -1, -2, -3, -4)).toBe(-1);
  });

  it('gives the same numbers whatever the seed', () => {
    const [a, b] = [new KeyTable(1), new KeyTable(2)];
    for (let i = 0; i < 5_000; i++) expect(a.intern(0, i % 977, i, 0, 0)).toBe(b.intern(0, i % 977, i, 0, 0));
  });

  it('interns a column, with the all-zero key as absent', () => {
    const table = new KeyTable();
    const words = Uint32Array.of(0, 0, 0, 1, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 1, 5, 5, 5, 5);
    const out = new Int32Array(5).fill(99);
    table.internColumn(words, 3, 4, out);
    expect([...out]).toEqual([0, -1, 1, 0, 99]);
    expect(table.size).toBe(2);
    expect(table.hostAt(1)).toBe(3);
    expect(() => table.internColumn(words, 3, 6, out)).toThrow(/6 rows needs 24 words/);
  });

  it('refuses to name an entity that it never saw', () => {
    const table = new KeyTable();
    table.intern(0, 1, 2, 3, 4);
    for (const index of [-1, 1, 0.5]) expect(() => table.hostAt(index)).toThrow(RangeError);
  });

  it('stays below 40 bytes an entity once it is large', () => {
    const table = new KeyTable();
    let worst = 0;
    for (let i = 0; i < 400_000; i++) {
      table.intern(0, i, 0, 0, 0);
      if (i > 150_000) worst = Math.max(worst, table.byteLength / table.size);
    }
    expect(worst).toBeLessThan(40);
  });
});
