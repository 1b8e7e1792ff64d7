import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_ROW } from '../../../src/compute/device.js';
import { findMaskedPairs, indexMaskedPairs, markReadNodes } from '../../../src/model/layout/masked-pairs.js';

/** For each relation, the neighbours of each node. */
type Table = readonly (readonly (readonly number[])[])[];

const NODES = 12;

/** The (node, relation) pairs of a table in the layout of a graph. */
function pairsOf(table: Table) {
  const nodes: number[] = [];
  const nodeOffsets = [0];
  const offsets = [0];
  const neighbours: number[] = [];
  for (const rows of table) {
    rows.forEach((row, v) => {
      if (row.length === 0) return;
      nodes.push(v);
      neighbours.push(...row);
      offsets.push(neighbours.length);
    });
    nodeOffsets.push(nodes.length);
  }
  return {
    relationCount: table.length,
    nodeOffsets: Uint32Array.from(nodeOffsets),
    nodes: Int32Array.from(nodes),
    offsets: Uint32Array.from(offsets),
    neighbours: Int32Array.from(neighbours),
  };
}

const node = fc.nat(NODES - 1);
const row = fc.uniqueArray(node, { maxLength: 4 });
const tables = fc.array(fc.array(row, { minLength: NODES, maxLength: NODES }), {
  minLength: 1,
  maxLength: 4,
});
const masks = fc.array(fc.boolean(), { minLength: NODES, maxLength: NODES });

describe('masked pairs', () => {
  it('are the masked nodes of each relation, with their neighbours', () => {
    fc.assert(
      fc.property(tables, masks, (table, mask) => {
        const pairs = pairsOf(table);
        const found = findMaskedPairs(pairs, Uint8Array.from(mask, Number));
        const expected = table.map((rows) =>
          rows.flatMap((neighbours, v) => (mask[v] && neighbours.length > 0 ? [{ v, neighbours }] : [])),
        );
        expect([...found.counts]).toEqual(expected.map(({ length }) => length));
        const all = expected.flat();
        expect(found.count).toBe(all.length);
        expect([...found.nodes]).toEqual(all.map(({ v }) => v));
        expect([...found.inverseDegree]).toEqual(all.map(({ neighbours }) => 1 / neighbours.length));
        all.forEach(({ neighbours }, i) => {
          const [row, start, end] = found.work.segments.subarray(4 * i);
          expect(row).toBe(i);
          expect([...pairs.neighbours.subarray(start, end)]).toEqual(neighbours);
        });
        const ends = table.map((_, r) => expected.slice(0, r + 1).flat().length);
        expect([...found.offsets]).toEqual([0, ...ends]);
      }),
    );
  });

  it('read exactly the neighbours of masked nodes', () => {
    fc.assert(
      fc.property(tables, masks, (table, mask) => {
        const pairs = pairsOf(table);
        const found = findMaskedPairs(pairs, Uint8Array.from(mask, Number));
        const read = new Set(table.flatMap((rows) => rows.filter((_, v) => mask[v]).flat()));
        const expected = Array.from({ length: NODES }, (_, v) => Number(read.has(v)));
        expect([...markReadNodes(found, pairs, NODES)]).toEqual(expected);
      }),
    );
  });

  it('are indexed by pair', () => {
    fc.assert(
      fc.property(tables, masks, (table, mask) => {
        const pairs = pairsOf(table);
        const found = findMaskedPairs(pairs, Uint8Array.from(mask, Number));
        const positions = indexMaskedPairs(found, pairs.nodes.length);
        let next = 0;
        const expected = Array.from(pairs.nodes, (v) => (mask[v] ? next++ : NO_ROW));
        expect([...positions]).toEqual(expected);
      }),
    );
  });
});
