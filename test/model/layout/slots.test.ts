import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_SLOT } from '../../../src/compute/device.js';
import { findSlots, nodesRead, slotsOfPairs } from '../../../src/model/layout/slots.js';

/** Neighbours of each node under each relation; no list means that the node has none. */
type Table = readonly (readonly (readonly number[])[])[];

const NODES = 12;

/** The (node, relation) pairs of a table, as they stand in a graph. */
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

describe('slots', () => {
  it('are the masked nodes of each relation, with their neighbours', () => {
    fc.assert(
      fc.property(tables, masks, (table, mask) => {
        const pairs = pairsOf(table);
        const slots = findSlots(pairs, Uint8Array.from(mask, Number));
        const expected = table.map((rows) =>
          rows.flatMap((neighbours, v) => (mask[v] && neighbours.length > 0 ? [{ v, neighbours }] : [])),
        );
        expect([...slots.counts]).toEqual(expected.map(({ length }) => length));
        const all = expected.flat();
        expect(slots.count).toBe(all.length);
        expect([...slots.nodes]).toEqual(all.map(({ v }) => v));
        expect(slots.entries).toBe(all.reduce((sum, { neighbours }) => sum + neighbours.length, 0));
        expect([...slots.inverseDegree]).toEqual(all.map(({ neighbours }) => 1 / neighbours.length));
        all.forEach(({ neighbours }, slot) => {
          const [at, start, end] = slots.work.segments.subarray(4 * slot);
          expect(at).toBe(slot);
          expect([...pairs.neighbours.subarray(start, end)]).toEqual(neighbours);
        });
        const ends = table.map((_, r) => expected.slice(0, r + 1).flat().length);
        expect([...slots.offsets]).toEqual([0, ...ends]);
      }),
    );
  });

  it('read the neighbours of masked nodes and nobody else', () => {
    fc.assert(
      fc.property(tables, masks, (table, mask) => {
        const pairs = pairsOf(table);
        const slots = findSlots(pairs, Uint8Array.from(mask, Number));
        const read = new Set(table.flatMap((rows) => rows.filter((_, v) => mask[v]).flat()));
        const expected = Array.from({ length: NODES }, (_, v) => Number(read.has(v)));
        expect([...nodesRead(slots, pairs, NODES)]).toEqual(expected);
      }),
    );
  });

  it('are found again by pair', () => {
    fc.assert(
      fc.property(tables, masks, (table, mask) => {
        const pairs = pairsOf(table);
        const slots = findSlots(pairs, Uint8Array.from(mask, Number));
        const found = slotsOfPairs(slots, pairs.nodes.length);
        let next = 0;
        const expected = Array.from(pairs.nodes, (v) => (mask[v] ? next++ : NO_SLOT));
        expect([...found]).toEqual(expected);
      }),
    );
  });
});
