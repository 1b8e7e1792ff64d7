import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LinkCollector } from '../../../src/detect/alerts/incident-links.js';
import { collectInteractions } from '../../../src/graph/interactions.js';
import { tableOf } from '../../store/event-rows.js';

const PROCESS = 0;

test('links equal those of a plain list, over any number of graphs', () => {
  const size = 12;
  const node = fc.nat(size - 1);
  const acts = fc.array(fc.tuple(node, node, fc.nat(1)), { maxLength: 60 });
  const types = fc.array(fc.nat(1), { minLength: size, maxLength: size });
  const parents = fc.array(fc.oneof(fc.constant(-1), node), { minLength: size, maxLength: size });
  fc.assert(
    fc.property(fc.array(acts, { maxLength: 3 }), types, parents, (graphs, types, parents) => {
      const all = graphs.flat();
      const table = tableOf(
        all.map(([subj, obj, rel]) => ({ subj, obj, rel })),
        ['EVENT_READ', 'EVENT_FORK'],
        size,
      );
      const collector = new LinkCollector(
        {
          types: Uint8Array.from(types),
          parent: Int32Array.from(parents),
          name: new Int32Array(size).fill(-1),
        },
        table,
        () => 0,
      );
      const nodes = Int32Array.from({ length: size }, (_, i) => i);
      let start = 0;
      for (const graph of graphs) {
        const rows = graph.map(([subj, obj, rel]) => ({ subj, obj, rel }));
        const found = collectInteractions(tableOf(rows, table.relations, size));
        const shift = start;
        collector.add(nodes, { ...found, first: found.first.map((row) => row + shift) });
        start += graph.length;
      }
      const { offsets, neighbours, kin, spread, tree } = collector.finish();
      for (let v = 0; v < size; v++) {
        const isKin = (w: number) => tree.parent[v] === w || tree.parent[w] === v;
        const expected = [...nodes].filter(
          (w) => w !== v && (isKin(w) || all.some(([s, o]) => (s === v && o === w) || (s === w && o === v))),
        );
        expect([...neighbours.subarray(offsets[v], offsets[v + 1])]).toEqual(expected);
        expect([...kin.subarray(offsets[v], offsets[v + 1])]).toEqual(
          expected.map((w) => (isKin(w) ? 1 : 0)),
        );
        const counted = expected.filter((w) => types[v] !== PROCESS || types[w] === PROCESS);
        expect(spread[v]).toBe(counted.length);
      }
    }),
  );
});

test('many links are collected', () => {
  const size = 5000;
  const rows = Array.from({ length: 20_000 }, (_, i) => ({ subj: i % size, obj: (i * 7 + (i >> 3)) % size }));
  const table = tableOf(rows, ['EVENT_READ'], size);
  const types = new Uint8Array(size).fill(1);
  const none = new Int32Array(size).fill(-1);
  const collector = new LinkCollector({ types, parent: none, name: none }, table, () => 0);
  const nodes = Int32Array.from({ length: size }, (_, i) => i);
  const interactions = collectInteractions(table);
  for (let again = 0; again < 3; again++) collector.add(nodes, interactions);
  const pairs = new Set(
    rows
      .filter(({ subj, obj }) => subj !== obj)
      .map(({ subj, obj }) => `${Math.min(subj, obj)} ${Math.max(subj, obj)}`),
  );
  expect(collector.finish().neighbours.length).toBe(pairs.size * 2);
});
