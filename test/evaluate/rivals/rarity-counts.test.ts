import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namePrefix } from '../../../src/evaluate/rivals/name-prefix.js';
import { RarityCounts } from '../../../src/evaluate/rivals/rarity-counts.js';
import { ENTITY_TYPES } from '../../../src/ingest/event.js';
import { corpora, type NamedNode, namesOf, type Triple, viewOf } from '../../detect/evidence/named-views.js';

const tripleOf = (nodes: readonly NamedNode[], [s, r, o]: Triple) => {
  const { type, name } = nodes[o];
  const prefix = name === undefined ? undefined : namePrefix(ENTITY_TYPES.indexOf(type), name);
  return JSON.stringify([nodes[s].type, nodes[s].name ?? null, r, type, prefix ?? null]);
};

test('a score is the share of triples that benign graphs do not have; the count breaks ties', () => {
  fc.assert(
    fc.property(corpora(2), ({ nodes, train, test: triples }) => {
      const names = namesOf(nodes);
      const rarity = new RarityCounts();
      rarity.fit(train.map((benign) => viewOf(names, benign)));
      const known = new Set(train.flat().map((triple) => tripleOf(nodes, triple)));
      const view = viewOf(names, triples);
      const scores = rarity.scores(view);
      expect(rarity.scores(view)).toEqual(scores); // scoring does not add triples
      view.planned.nodes.forEach((node, local) => {
        const own = triples.filter(([s, , o]) => s === node || o === node);
        const all = new Set(own.map((triple) => tripleOf(nodes, triple)));
        const fresh = [...all].filter((triple) => !known.has(triple)).length;
        expect(scores[local]).toBeCloseTo(fresh / all.size, 9);
        if (fresh > 0) expect(scores[local]).toBeGreaterThan(fresh / all.size);
      });
    }),
    { numRuns: 80 },
  );
});

test('of two nodes with equal shares, the one with more new triples scores higher', () => {
  const nodes: NamedNode[] = [
    { type: 'process', name: 'a' },
    { type: 'process', name: 'b' },
    { type: 'file', name: '/x' },
    { type: 'file', name: '/y' },
  ];
  const rarity = new RarityCounts();
  const scores = rarity.scores(
    viewOf(namesOf(nodes), [
      [0, 0, 2],
      [1, 0, 2],
      [1, 0, 3],
    ]),
  );
  expect(scores[1]).toBeGreaterThan(scores[0]);
  expect(scores[1] - scores[0]).toBeLessThan(1e-9);
});
