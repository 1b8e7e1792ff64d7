import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prefixOf, Rarity } from '../../../src/evaluate/rivals/rarity.js';
import { ENTITY_TYPES } from '../../../src/ingest/event.js';
import { corpora, type NamedNode, namesOf, type Triple, viewOf } from '../../detect/evidence/named-views.js';

const tripleOf = (nodes: readonly NamedNode[], [s, r, o]: Triple) => {
  const { type, name } = nodes[o];
  const prefix = name === undefined ? undefined : prefixOf(ENTITY_TYPES.indexOf(type), name);
  return JSON.stringify([nodes[s].type, nodes[s].name ?? null, r, type, prefix ?? null]);
};

test('a score is the share of a node’s triples that benign graphs do not have, ties by their number', () => {
  fc.assert(
    fc.property(corpora(2), ({ nodes, train, test: triples }) => {
      const names = namesOf(nodes);
      const rarity = new Rarity();
      rarity.fit(train.map((benign) => viewOf(names, benign)));
      const known = new Set(train.flat().map((triple) => tripleOf(nodes, triple)));
      const view = viewOf(names, triples);
      const scores = rarity.scores(view);
      expect(rarity.scores(view)).toEqual(scores); // judging teaches nothing
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

test('of two nodes with the same share the one with more new triples is stranger', () => {
  const nodes: NamedNode[] = [
    { type: 'process', name: 'a' },
    { type: 'process', name: 'b' },
    { type: 'file', name: '/x' },
    { type: 'file', name: '/y' },
  ];
  const rarity = new Rarity();
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

test.each([
  ['file', '/var/db/postgres/16/base/1', 'var/db/postgres/#'],
  ['file', 'C:\\Windows\\System32\\a\\b', 'C:/Windows/System#/a'],
  ['flow', '10.0.4.1:22', '10.0.4.1'],
  ['flow', '/var/run/log', 'var/run/log'],
  ['process', 'python3', 'python#'],
] as const)('the prefix of the %s %s is %s', (type, name, prefix) => {
  expect(prefixOf(ENTITY_TYPES.indexOf(type), name)).toBe(prefix);
});
