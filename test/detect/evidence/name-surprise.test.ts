import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LevelTable } from '../../../src/detect/evidence/level-table.js';
import { NameSurprise } from '../../../src/detect/evidence/name-surprise.js';
import { expectHarmlessTampering } from '../calibration/tampered-arrays.js';
import { corpora, type NamedNode, namesOf, pathsOf, type Triple, viewOf } from './named-views.js';

const RELATIONS = ['EVENT_READ', 'EVENT_EXECUTE'];

/** −ln P(o | s, r) of method §11, with counts taken from the list of training triples for every factor. */
function slowObjectSurprise(
  nodes: readonly NamedNode[],
  train: readonly Triple[],
  [s, r, o]: Triple,
): number {
  const program = (node: number) => pathsOf(nodes[node]).at(-1);
  const objects = (known: (subject: number, relation: number) => boolean) =>
    train
      .filter(([subject, relation]) => known(subject, relation))
      .map(([, , object]) => ['', ...pathsOf(nodes[object])]);
  const count = (lists: string[][], level: string) => lists.filter((list) => list.includes(level)).length;
  const children = (lists: string[][], level: string) =>
    new Set(lists.flatMap((list) => (list.includes(level) ? (list[list.indexOf(level) + 1] ?? []) : [])))
      .size;
  const interpolate = (lists: string[][], parent: string, level: string, lower: number) => {
    const [n, t] = [count(lists, parent), children(lists, parent)];
    return t === 0 ? lower : (count(lists, level) + t * lower) / (n + t);
  };
  const everything = objects(() => true);
  let [u, parent] = [0, ''];
  for (const level of pathsOf(nodes[o])) {
    const lowest = 1 / (children(everything, parent) + 1);
    const any = interpolate(
      objects((_, relation) => relation === r),
      parent,
      level,
      lowest,
    );
    const own = objects((subject, relation) => relation === r && program(subject) === program(s));
    u -= Math.log(interpolate(own, parent, level, any));
    if (count(everything, level) === 0) break;
    parent = level;
  }
  return u;
}

/** −ln P(r | s): Witten–Bell on the program's relations, on all relations, and 1 / (|R| + 1). */
function slowRelationSurprise(nodes: readonly NamedNode[], train: readonly Triple[], [s, r]: Triple): number {
  const program = (node: number) => pathsOf(nodes[node]).at(-1);
  const step = (triples: readonly Triple[], lower: number) => {
    const same = triples.filter(([, relation]) => relation === r).length;
    const kinds = new Set(triples.map(([, relation]) => relation)).size;
    return triples.length === 0 ? lower : (same + kinds * lower) / (triples.length + kinds);
  };
  const any = step(train, 1 / (RELATIONS.length + 1));
  return -Math.log(
    step(
      train.filter(([subject]) => program(subject) === program(s)),
      any,
    ),
  );
}

function fitted(nodes: readonly NamedNode[], train: readonly (readonly Triple[])[]): NameSurprise {
  const surprise = new NameSurprise(RELATIONS, new LevelTable());
  const names = namesOf(nodes);
  for (const triples of train) surprise.fit([viewOf(names, triples)]);
  return surprise;
}

const distinct = (triples: readonly Triple[]) => [...new Map(triples.map((t) => [t.join(), t])).values()];

describe('u', () => {
  test('equals the formula', () => {
    fc.assert(
      fc.property(corpora(RELATIONS.length), ({ nodes, train, test: triples }) => {
        const found = fitted(nodes, train).surprises(viewOf(namesOf(nodes), triples));
        const all = train.flatMap(distinct);
        distinct(triples).forEach((triple, i) => {
          const expected = slowRelationSurprise(nodes, all, triple) + slowObjectSurprise(nodes, all, triple);
          expect(found[i]).toBeCloseTo(expected, 9);
        });
      }),
      { numRuns: 150 },
    );
  });

  test('of all actions of a program sums to a probability', () => {
    fc.assert(
      fc.property(corpora(RELATIONS.length), ({ nodes, train }) => {
        const surprise = fitted(nodes, train);
        const names = namesOf(nodes);
        // New names share the probability of a new name at the level where they differ.
        const seen = new Set(train.flat().flatMap(([, , object]) => pathsOf(nodes[object])));
        const outcome = (node: NamedNode) => {
          const known = pathsOf(node).filter((path) => seen.has(path));
          return known.length === pathsOf(node).length ? known.at(-1) : `new below ${known.at(-1)}`;
        };
        // A name that is a level of others, such as a whole subnet, has no probability besides theirs.
        const inner = new Set(nodes.flatMap((node) => pathsOf(node).slice(0, -1)));
        const leaves = new Map(
          nodes.flatMap((node, number) =>
            inner.has(pathsOf(node).at(-1) as string) ? [] : [[outcome(node), number] as const],
          ),
        );
        let sum = 0;
        for (let r = 0; r <= RELATIONS.length; r++) {
          const u = surprise.surprises(
            viewOf(
              names,
              [...leaves.values()].map((object): Triple => [0, r, object]),
            ),
          );
          for (const value of u) sum += Math.exp(-value);
          expect(u.every((value) => value >= 0 && Number.isFinite(value))).toBe(true);
        }
        expect(sum).toBeLessThanOrEqual(1 + 1e-9);
      }),
      { numRuns: 150 },
    );
  });

  test('falls as training sees more of the same name, and is higher for less known names', () => {
    const nodes: NamedNode[] = [
      { type: 'process', name: 'nginx' },
      { type: 'file', name: '/var/log/nginx.log' },
      { type: 'file', name: '/var/log/other.log' },
      { type: 'file', name: '/root/x' },
      ...Array.from(
        { length: 20 },
        (_, i): NamedNode => ({
          type: 'file',
          name: i % 2 === 0 ? '/var/log/nginx.log' : `/var/log/${'x'.repeat(i)}.log`,
        }),
      ),
      { type: 'flow', name: '10.0.0.1:80' },
    ];
    const names = namesOf(nodes);
    const seen = Array.from({ length: 20 }, (_, i): Triple => [0, 0, 4 + i]);
    const judge = (count: number) =>
      fitted(nodes, [[...seen.slice(0, count), [0, 0, 24]]]).surprises(
        viewOf(names, [
          [0, 0, 1],
          [0, 0, 2],
          [0, 0, 3],
        ]),
      );
    const few = judge(2);
    const many = judge(20);
    expect(many[0]).toBeLessThan(few[0]);
    expect(many[2]).toBeGreaterThan(few[2]);
    expect(many[0]).toBeLessThan(many[1]);
    expect(many[1]).toBeLessThan(many[2]);
  });

  test('of an unknown program is that of any program', () => {
    const nodes: NamedNode[] = [
      { type: 'process', name: 'sh' },
      { type: 'process', name: 'dropper' },
      { type: 'file', name: '/etc/passwd' },
      { type: 'file', name: '/etc/group' },
    ];
    const surprise = fitted(nodes, [
      [
        [0, 0, 2],
        [0, 1, 3],
      ],
    ]);
    const [u] = surprise.surprises(viewOf(namesOf(nodes), [[1, 0, 2]]));
    // One of two interactions has the relation, and one of one the type, folder, kind and name.
    const relation = (1 + 2 / 3) / 4;
    const factor = (children: number) => (1 + 1 / (children + 1)) / 2;
    expect(u).toBeCloseTo(-Math.log(relation * factor(1) ** 3 * factor(2)), 12);
  });
});

describe('evidence', () => {
  test('is the largest u of each node, role and relation, with its interaction and the number of interactions', () => {
    fc.assert(
      fc.property(corpora(RELATIONS.length), ({ nodes, train, test: triples }) => {
        const surprise = fitted(nodes, train);
        const view = viewOf(namesOf(nodes), triples);
        const u = surprise.surprises(view);
        const samples = surprise.samples(view);
        const expected = new Map<string, number[]>();
        const { subject, object, relation, length } = view.interactions;
        for (let i = 0; i < length; i++) {
          for (const [node, slot] of [
            [subject[i], relation[i]],
            [object[i], relation[i] + RELATIONS.length + 1],
          ]) {
            const key = `${node},${slot}`;
            expected.set(key, [...(expected.get(key) ?? []), u[i]]);
          }
        }
        const all = Array.from(
          samples.nodes,
          (node, i) => `${node},${samples.slots[i]},${samples.values[i]}`,
        ).sort();
        expect(all).toEqual(
          [...expected].flatMap(([key, values]) => values.map((value) => `${key},${value}`)).sort(),
        );
        const rows = surprise.rows(view);
        const found = Array.from(rows.nodes, (node, i) => {
          const key = `${node},${rows.slots[i]}`;
          expect(rows.values[i]).toBe(Math.max(...(expected.get(key) as number[])));
          expect(rows.draws[i]).toBe(expected.get(key)?.length);
          expect(u[rows.sources[i]]).toBe(rows.values[i]);
          const { interactions } = view;
          const role = surprise.groupOf[rows.slots[i]] === 0 ? interactions.subject : interactions.object;
          expect(role[rows.sources[i]]).toBe(node);
          expect(interactions.relation[rows.sources[i]]).toBe(rows.slots[i] % (RELATIONS.length + 1));
          return key;
        });
        expect(found.sort()).toEqual([...expected.keys()].sort());
        expect(rows.slots.every((slot) => slot < surprise.slotCount)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('arrays', () => {
  const nodes: NamedNode[] = [
    { type: 'process', name: 'sh' },
    { type: 'file', name: '/etc/passwd' },
    { type: 'file', name: '/etc/ssh/a/b/key' },
  ];

  test('give the same surprise when read', () => {
    fc.assert(
      fc.property(corpora(RELATIONS.length), (corpus) => {
        const table = new LevelTable();
        const names = namesOf(corpus.nodes);
        const surprise = new NameSurprise(RELATIONS, table);
        surprise.fit(corpus.train.map((triples) => viewOf(names, triples)));
        const again = NameSurprise.fromArrays(
          RELATIONS,
          LevelTable.fromArrays(table.toArrays()),
          surprise.toArrays(),
        );
        const view = viewOf(names, corpus.test);
        expect(again.surprises(view)).toEqual(surprise.surprises(view));
        expect(again.toArrays()).toEqual(surprise.toArrays());
        again.fit([view]); // and can be fitted further
        surprise.fit([view]);
        expect(again.surprises(view)).toEqual(surprise.surprises(view));
      }),
      { numRuns: 40 },
    );
  });

  test('with a changed number are refused or harmless', () => {
    const table = new LevelTable();
    const surprise = new NameSurprise(RELATIONS, table);
    const names = namesOf(nodes);
    surprise.fit([
      viewOf(names, [
        [0, 0, 1],
        [0, 0, 2],
        [0, 1, 2],
      ]),
    ]);
    const sound = surprise.toArrays();
    expectHarmlessTampering(
      sound,
      (arrays) => NameSurprise.fromArrays(RELATIONS, table, arrays),
      viewOf(names, [
        [0, 0, 1],
        [0, 1, 2],
        [0, 2, 1],
      ]),
    );
    const short = { ...sound, counts: sound.counts.slice(1) };
    expect(() => NameSurprise.fromArrays(RELATIONS, table, short)).toThrow(
      expect.objectContaining({ code: 'model-damaged' }),
    );
  });
});

describe('explanation', () => {
  const nodes: NamedNode[] = [
    { type: 'process', name: 'nginx' },
    { type: 'process', name: 'sh' },
    { type: 'file', name: '/var/tmp/nginx/dropper' },
    { type: 'file', name: '/bin/ls' },
    { type: 'process', name: '`\u001b[31mred\n' },
    { type: 'file', name: `/bin/${'x'.repeat(500)}` },
    { type: 'file', name: '/bin/cat' },
  ];
  const surprise = fitted(nodes, [
    [
      [0, 0, 2],
      [0, 1, 6],
      [1, 1, 3],
      [1, 1, 6],
    ],
  ]);
  const explain = (...triple: Triple) => surprise.explain(viewOf(namesOf(nodes), [triple]), 0);

  test('names the first level that training never saw, and for which subject', () => {
    expect(explain(0, 1, 2)).toBe('no process in training ever executed anything under `/var`');
    expect(explain(0, 1, 3)).toBe('`nginx` never executed `/bin/ls` in training');
    expect(explain(1, 0, 2)).toBe('`sh` never read any file in training');
    expect(explain(1, 1, 3)).toBe('in training, `sh` executed `/bin/ls` 1 of 2 times');
    expect(explain(1, 2, 3)).toBe('training never saw this relation');
  });

  test('shows hostile names printable and cut', () => {
    expect(explain(4, 1, 3)).toBe("training never saw `'\\e[#mred\\n`, which executed `/bin/ls`");
    const long = explain(0, 1, 5);
    expect(long).toMatch(/^no process in training ever executed `\/bin\/x{74}…`$/);
  });
});
