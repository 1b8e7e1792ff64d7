import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LevelTable } from '../../../src/detect/evidence/level-table.js';
import { RelationSurprise } from '../../../src/detect/evidence/relation-surprise.js';
import { expectHarmlessTampering } from '../calibration/tampered-arrays.js';
import { corpora, type NamedNode, namesOf, pathsOf, type Triple, viewOf } from './named-views.js';

const RELATIONS = ['EVENT_READ', 'EVENT_WRITE', 'EVENT_EXECUTE'];

/** P(r | name(s), name(o)), with counts taken from the list of training triples for every context. */
function slowProbability(nodes: readonly NamedNode[], train: readonly Triple[], [s, r, o]: Triple): number {
  const has = (node: number, path: string) => pathsOf(nodes[node]).includes(path);
  const is = (node: number, path: string) => pathsOf(nodes[node]).at(-1) === path;
  const [subjectPaths, objectPaths] = [pathsOf(nodes[s]), pathsOf(nodes[o])];
  const contexts: Triple[][] = [[...train]];
  contexts.push(
    train.filter(([subject, , object]) => has(subject, subjectPaths[0]) && has(object, objectPaths[0])),
  );
  if (subjectPaths.length > 1) {
    const program = subjectPaths[subjectPaths.length - 1];
    for (const level of objectPaths) {
      contexts.push(train.filter(([subject, , object]) => is(subject, program) && has(object, level)));
    }
  }
  let p = 1 / (RELATIONS.length + 1);
  for (const context of contexts) {
    const [n, t] = [context.length, new Set(context.map(([, relation]) => relation)).size];
    const same = context.filter(([, relation]) => relation === r).length;
    if (n > 0) p = (same + t * p) / (n + t);
  }
  return p;
}

function fitted(
  nodes: readonly NamedNode[],
  train: readonly (readonly Triple[])[],
  table = new LevelTable(),
) {
  const surprise = new RelationSurprise(RELATIONS, table);
  const names = namesOf(nodes);
  for (const triples of train) surprise.fit([viewOf(names, triples)]);
  return surprise;
}

const distinct = (triples: readonly Triple[]) => [...new Map(triples.map((t) => [t.join(), t])).values()];

test('u equals the back-off formula', () => {
  fc.assert(
    fc.property(corpora(RELATIONS.length), ({ nodes, train, test: triples }) => {
      const found = fitted(nodes, train).surprises(viewOf(namesOf(nodes), triples));
      const all = train.flatMap(distinct);
      distinct(triples).forEach((triple, i) => {
        expect(Math.exp(-found[i])).toBeCloseTo(slowProbability(nodes, all, triple), 10);
      });
    }),
    { numRuns: 150 },
  );
});

test('the probabilities of all relations between two entities, including `<new>`, sum to 1', () => {
  fc.assert(
    fc.property(corpora(RELATIONS.length), ({ nodes, train, test: triples }) => {
      const surprise = fitted(nodes, train);
      const [subject, , object] = triples[0];
      const every = Array.from({ length: RELATIONS.length + 1 }, (_, r): Triple => [subject, r, object]);
      const u = surprise.surprises(viewOf(namesOf(nodes), every));
      expect(u.reduce((sum, value) => sum + Math.exp(-value), 0)).toBeCloseTo(1, 10);
    }),
    { numRuns: 100 },
  );
});

describe('arrays', () => {
  test('give the same surprise when read', () => {
    fc.assert(
      fc.property(corpora(RELATIONS.length), ({ nodes, train, test: triples }) => {
        const table = new LevelTable();
        const surprise = fitted(nodes, train, table);
        const again = RelationSurprise.fromArrays(
          RELATIONS,
          LevelTable.fromArrays(table.toArrays()),
          surprise.toArrays(),
        );
        const view = viewOf(namesOf(nodes), triples);
        expect(again.surprises(view)).toEqual(surprise.surprises(view));
        expect(again.toArrays()).toEqual(surprise.toArrays());
      }),
      { numRuns: 40 },
    );
  });

  test('with a changed number are refused or harmless', () => {
    const nodes: NamedNode[] = [
      { type: 'process', name: 'sh' },
      { type: 'file', name: '/etc/passwd' },
    ];
    const table = new LevelTable();
    const sound = fitted(
      nodes,
      [
        [
          [0, 0, 1],
          [0, 1, 1],
          [0, 0, 0],
        ],
      ],
      table,
    ).toArrays();
    expectHarmlessTampering(
      sound,
      (arrays) => RelationSurprise.fromArrays(RELATIONS, table, arrays),
      viewOf(namesOf(nodes), [
        [0, 0, 1],
        [0, 2, 1],
        [0, 3, 0],
      ]),
    );
  });
});

test('the explanation says what is usual between the two entities', () => {
  const nodes: NamedNode[] = [
    { type: 'process', name: 'cat' },
    { type: 'file', name: '/etc/passwd' },
    { type: 'file', name: '/etc/group' },
    { type: 'process', name: 'dropper' },
  ];
  const surprise = fitted(nodes, [
    [
      [0, 0, 1],
      [0, 0, 2],
      [0, 2, 2],
    ],
  ]);
  const explain = (...triple: Triple) => surprise.explain(viewOf(namesOf(nodes), [triple]), 0);
  expect(explain(0, 1, 1)).toBe(
    'in training, `cat` interacted once with `/etc/passwd` and never wrote to it',
  );
  expect(explain(0, 0, 2)).toBe('in training, `cat` read `/etc/group` in 1 of 2 interactions with it');
  expect(explain(3, 0, 2)).toBe(
    'training never saw `dropper` with a file; 2 of 3 interactions of a process with a file had this relation',
  );
  expect(explain(0, 3, 2)).toBe('training never saw this relation');
});
