import { expect, test } from 'vitest';
import { NoveltyCollector } from '../../../src/detect/drift/novelty.js';
import { LevelTable } from '../../../src/detect/evidence/level-table.js';
import { NameSurprise } from '../../../src/detect/evidence/name-surprise.js';
import { type NamedNode, namesOf, viewOf } from '../evidence/named-views.js';

const RELATIONS = ['READ', 'WRITE'];
const process = (name?: string): NamedNode => ({ type: 'process', name });
const file = (name?: string): NamedNode => ({ type: 'file', name });

/** The relations of a table with one event per interaction, in order. */
const tableOf = (relations: readonly string[], used: readonly number[]) => ({
  relations,
  relation: Uint16Array.from(used),
});

function trained(): LevelTable {
  const levels = new LevelTable();
  const names = namesOf([process('sh'), file('/tmp/a1'), file('/etc/passwd')]);
  new NameSurprise(RELATIONS, levels).fit([
    viewOf(names, [
      [0, 0, 1],
      [0, 1, 2],
    ]),
  ]);
  return levels;
}

test('counts nodes with new names once, with digits folded, and new relations by name', () => {
  const names = namesOf([
    process('sh'),
    process('dropper'),
    process(),
    process('sh'),
    file('/tmp/a77'),
    file('/etc/shadow'),
    file('/etc/passwd'),
  ]);
  const triples = [
    [0, 0, 4],
    [1, 2, 5],
    [3, 0, 6],
    [2, 2, 6],
  ] as const;
  const view = viewOf(names, triples);
  const table = tableOf(['READ', 'WRITE', 'MPROTECT', 'PTRACE'], [0, 2, 0, 3]);
  const novelty = new NoveltyCollector(names, trained(), table as never, RELATIONS.length);
  novelty.add(view, () => true);
  novelty.add(view, () => true);
  expect(novelty.finish()).toEqual({
    interactions: 8,
    newRelation: 4,
    more: 0,
    relations: [
      { name: 'MPROTECT', interactions: 2 },
      { name: 'PTRACE', interactions: 2 },
    ],
    names: [
      { type: 'process', nodes: 3, unknown: 1, examples: ['dropper'] },
      { type: 'file', nodes: 3, unknown: 1, examples: ['/etc/shadow'] },
    ],
  });
});

test('kept-out nodes do not count', () => {
  const names = namesOf([process('sh'), process('dropper'), file('/etc/shadow')]);
  const view = viewOf(names, [
    [0, 0, 2],
    [1, 2, 2],
  ]);
  const novelty = new NoveltyCollector(names, trained(), tableOf(['READ', 'X'], [0, 1]) as never, 2);
  novelty.add(view, (node) => node !== 1);
  expect(novelty.finish()).toMatchObject({
    interactions: 1,
    newRelation: 0,
    relations: [],
    names: [
      { type: 'process', nodes: 1, unknown: 0 },
      { type: 'file', nodes: 1, unknown: 1 },
    ],
  });
});
