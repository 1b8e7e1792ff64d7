import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeSet } from '../../src/graph/node-set.js';

describe('NodeSet', () => {
  it('numbers its members in ascending order, like a sorted Set', () => {
    const column = fc.array(fc.integer({ min: -1, max: 199 }), { maxLength: 120 });
    fc.assert(
      fc.property(column, column, (a, b) => {
        const set = new NodeSet(200, [Int32Array.from(a), Int32Array.from(b)]);
        const expected = [...new Set([...a, ...b])].filter((v) => v >= 0).sort((x, y) => x - y);
        expect([...set.members]).toEqual(expected);
        for (let v = -1; v < 300; v++) expect(set.localOf(v)).toBe(expected.indexOf(v));
      }),
    );
  });

  it('contains all nodes if all bits are set', () => {
    const all = Int32Array.from({ length: 96 }, (_, v) => v);
    const set = new NodeSet(96, [all]);
    expect(set.members).toEqual(all);
    expect(Array.from(all, (v) => set.localOf(v))).toEqual([...all]);
  });
});
