import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type IncidentLinks, LinkCollector } from '../../../src/detect/alerts/incident-links.js';
import {
  countIncidentsAt,
  formIncidents,
  type IncidentOptions,
} from '../../../src/detect/alerts/incidents.js';
import { type SuspiciousNode, toColumns } from '../../../src/detect/alerts/suspicious-nodes.js';
import { collectInteractions } from '../../../src/graph/interactions.js';
import { ENTITY_TYPES } from '../../../src/ingest/event.js';
import { tableOf } from '../../store/event-rows.js';

const [PROCESS, FILE] = [0, 1];
const FLOW = ENTITY_TYPES.indexOf('flow');
const RELATIONS = ['EVENT_WRITE', 'EVENT_FORK', 'EVENT_READ', 'EVENT_CLOSE'];
const [READ, CLOSE] = [2, 3];
const MINUTE = 60_000_000_000n;
/** Neighbours that a node may have without being a hub. */
const MOST = 60;

interface World {
  types: number[];
  parents?: number[];
  /** The number of each node's name, or -1. */
  names?: number[];
  hosts?: number[];
  /** Subject, object, relation. */
  acts: [number, number, number?][];
}

function linksOf({ types, parents, names: numbers, hosts, acts }: World): IncidentLinks {
  const none = types.map(() => -1);
  const table = tableOf(
    acts.map(([subj, obj, rel = 0]) => ({ subj, obj, rel })),
    RELATIONS,
    types.length,
  );
  const names = {
    types: Uint8Array.from(types),
    parent: Int32Array.from(parents ?? none),
    name: Int32Array.from(numbers ?? none),
  };
  const collector = new LinkCollector(names, table, (node) => hosts?.[node] ?? 0);
  const nodes = Int32Array.from(types, (_, node) => node);
  collector.add(nodes, collectInteractions(table));
  return collector.finish();
}

function member(node: number, score: number, more: Partial<SuspiciousNode> = {}): SuspiciousNode {
  return { node, score, host: 0, first: 0n, last: MINUTE, ...more };
}

/** Incidents as sorted lists of nodes. */
function groupsOf(members: SuspiciousNode[], world: World, options?: IncidentOptions): number[][] {
  return formIncidents(toColumns(members), linksOf(world), options).map((group) =>
    Array.from(group.members, (i) => members[i].node).sort((a, b) => a - b),
  );
}

/** The types of `count` nodes. */
const many = (count: number, type: number): number[] => Array.from({ length: count }, () => type);

describe('an incident joins', () => {
  test('flows to the same remote end, unless it has many', () => {
    const world: World = { types: [FLOW, FLOW, FLOW, FILE, FLOW], names: [7, 7, 8, 7, -1], acts: [] };
    const members = [0, 1, 2, 3, 4].map((node) => member(node, 9 - node));
    expect(groupsOf(members, world)).toEqual([[0, 1], [2], [3], [4]]);
    const later = [member(0, 9), member(1, 8, { first: 120n * MINUTE, last: 121n * MINUTE })];
    expect(groupsOf(later, world)).toEqual([[0], [1]]);
    const busy = (count: number): World => ({ types: many(count, FLOW), names: many(count, 3), acts: [] });
    expect(groupsOf([member(0, 2), member(1, 1)], busy(MOST))).toEqual([[0, 1]]);
    expect(groupsOf([member(0, 2), member(1, 1)], busy(MOST + 1))).toEqual([[0], [1]]);
    // Flows are counted per host.
    const other = { ...busy(MOST + 1), hosts: [...many(MOST, 0), 1] };
    expect(groupsOf([member(0, 2), member(1, 1)], other)).toEqual([[0, 1]]);
  });

  test('a parent and its child, stated by the log or shown by an event', () => {
    const stated: World = { types: [PROCESS, PROCESS, PROCESS], parents: [-1, 0, -1], acts: [] };
    expect(groupsOf([member(0, 3), member(1, 2), member(2, 1)], stated)).toEqual([[0, 1], [2]]);
    const seen: World = { types: [PROCESS, PROCESS], acts: [[0, 1, 1]] };
    expect(groupsOf([member(0, 3), member(1, 2)], seen)).toEqual([[0, 1]]);
  });

  test('siblings whose parent is no member, unless it has many children', () => {
    const siblings = (children: number): World => ({
      types: many(children + 1, PROCESS),
      parents: [-1, ...many(children, 0)],
      acts: [],
    });
    expect(groupsOf([member(1, 3), member(2, 2)], siblings(60))).toEqual([[1, 2]]);
    expect(groupsOf([member(1, 3), member(2, 2)], siblings(61))).toEqual([[1], [2]]);
  });

  test('siblings of a parent with many files', () => {
    const world: World = {
      types: [PROCESS, PROCESS, PROCESS, ...many(100, FILE)],
      parents: [-1, 0, 0, ...many(100, -1)],
      acts: many(100, 0).map((_, i) => [0, 3 + i]),
    };
    expect(groupsOf([member(1, 3), member(2, 2)], world)).toEqual([[1, 2]]);
    // But it does not join two of its files.
    expect(groupsOf([member(5, 3), member(6, 2)], world)).toEqual([[5], [6]]);
  });

  test('nodes that share an object with few neighbours, but not one with many', () => {
    const shared = (users: number): World => ({
      types: [FILE, ...many(users, PROCESS)],
      acts: many(users, 0).map((_, i) => [1 + i, 0]),
    });
    expect(groupsOf([member(1, 3), member(2, 2)], shared(60))).toEqual([[1, 2]]);
    expect(groupsOf([member(1, 3), member(2, 2)], shared(61))).toEqual([[1], [2]]);
    expect(
      groupsOf([member(1, 3), member(2, 2)], shared(61), {
        gap: 60n * MINUTE,
        mostNeighbours: 61,
        valley: 0.8,
      }),
    ).toEqual([[1, 2]]);
  });

  test('a writer and a reader of a file, but not two readers', () => {
    const world: World = {
      types: [FILE, ...many(3, PROCESS)],
      acts: [
        [1, 0],
        [2, 0, READ],
        [2, 0, CLOSE],
        [3, 0, READ],
      ],
    };
    expect(groupsOf([member(2, 3), member(3, 2)], world)).toEqual([[2], [3]]);
    expect(groupsOf([member(2, 3), member(1, 2)], world)).toEqual([[1, 2]]);
    expect(groupsOf([member(2, 3), member(3, 2.9), member(1, 2.8)], world)).toEqual([[1, 2, 3]]);
    // A file that is a member joins its readers.
    expect(groupsOf([member(2, 3), member(3, 2.9), member(0, 2.8)], world)).toEqual([[0, 2, 3]]);
  });

  test('two groups only if the member between them scores high enough', () => {
    // Five generations: only the middle one is near both ends.
    const world: World = { types: many(5, PROCESS), parents: [-1, 0, 1, 2, 3], acts: [] };
    const between = (score: number) => groupsOf([member(0, 20), member(4, 10), member(2, score)], world);
    expect(between(8)).toEqual([[0, 2, 4]]);
    expect(between(7.9)).toEqual([[0, 2], [4]]);
    const below = [member(0, -0.4), member(4, -0.4), member(2, -0.41)]; // ranks, not scores
    expect(groupsOf(below, world)).toEqual([[0, 2, 4]]);
  });

  test('a hub only with its highest neighbour', () => {
    const world: World = {
      types: [FILE, ...many(61, PROCESS)],
      acts: many(61, 0).map((_, i) => [1 + i, 0]),
    };
    for (const hubScore of [9, 2.5, 0.5]) {
      const members = [member(0, hubScore), member(7, 1), member(3, 3), member(5, 2)];
      const groups = groupsOf(members, world);
      expect(groups).toHaveLength(3);
      expect(groups).toContainEqual([0, 3]);
    }
  });

  test('a process with many children with its files, but not its children', () => {
    const world: World = {
      types: [PROCESS, ...many(61, PROCESS), FILE, FILE],
      acts: [...many(61, 0).map((_, i): [number, number, number] => [0, 1 + i, 1]), [0, 62], [0, 63]],
    };
    const members = [member(0, 5), member(1, 4), member(2, 3), member(62, 2), member(63, 1)];
    expect(groupsOf(members, world)).toEqual([[0, 1, 62, 63], [2]]);
  });

  test('members with at most the gap between their nearest activities', () => {
    const world: World = { types: [PROCESS, FILE], acts: [[0, 1]] };
    const at = (minute: bigint): Partial<SuspiciousNode> => ({
      first: minute * MINUTE,
      last: (minute + 10n) * MINUTE,
    });
    expect(groupsOf([member(0, 2, at(0n)), member(1, 1, at(70n))], world)).toEqual([[0, 1]]);
    const late = { first: 70n * MINUTE + 1n, last: 71n * MINUTE };
    expect(groupsOf([member(0, 2, at(0n)), member(1, 1, late)], world)).toEqual([[0], [1]]);
    // The same node is active in several windows.
    expect(
      groupsOf(
        [0n, 40n, 110n, 180n, 300n].map((minute) => member(0, 1, at(minute))),
        world,
      ),
    ).toEqual([[0, 0, 0, 0], [0]]);
  });

  test('no members of different hosts', () => {
    const world: World = { types: [PROCESS, FILE], acts: [[0, 1]] };
    expect(groupsOf([member(0, 2), member(1, 1, { host: 1 })], world)).toEqual([[0], [1]]);
  });

  test('nothing without members', () => {
    expect(groupsOf([], { types: [], acts: [] })).toEqual([]);
    expect([...countIncidentsAt([1, 0], toColumns([]), linksOf({ types: [], acts: [] }))]).toEqual([0, 0]);
  });
});

describe('an incident has', () => {
  const world: World = {
    types: [PROCESS, PROCESS, PROCESS, FILE],
    parents: [-1, 0, 1, -1],
    acts: [[2, 3]],
  };

  test('members by score, a time span, and the earliest ancestor as root', () => {
    const members = [
      member(3, 9, { first: 5n, last: 6n }),
      member(2, 4, { first: 7n, last: 30n }),
      member(1, 1, { first: 3n, last: 4n }),
    ];
    const [group] = formIncidents(toColumns(members), linksOf(world));
    expect(group).toEqual({
      members: Int32Array.of(0, 1, 2),
      root: 2,
      host: 0,
      first: 3n,
      last: 30n,
      score: 9,
      prominence: 9,
    });
  });

  test('a rank by its highest prominence, then by score', () => {
    const alone: World = { types: many(4, FILE), acts: [] };
    const members = [
      member(0, 9, { prominence: 3 }),
      member(1, 8, { prominence: 5 }),
      member(2, 7, { prominence: 5 }),
      member(3, 2, { prominence: 6 }),
    ];
    expect(groupsOf(members, alone)).toEqual([[3], [1], [2], [0]]);
    const joined: World = { types: [PROCESS, FILE, FILE, FILE], acts: [[0, 2]] };
    const [first] = formIncidents(
      toColumns([member(0, 9, { prominence: 1 }), member(2, 8, { prominence: 7 }), member(3, 4)]),
      linksOf(joined),
    );
    expect(first).toMatchObject({ score: 9, prominence: 7 });
  });

  test('the highest member as root if no member is an ancestor of another', () => {
    const members = [member(2, 4, { first: 1n }), member(3, 9, { first: 5n })];
    expect(formIncidents(toColumns(members), linksOf(world))[0].root).toBe(1);
  });

  test('members even if parents form a cycle', () => {
    const circle: World = { types: many(3, PROCESS), parents: [2, 0, 1], acts: [] };
    expect(groupsOf([member(0, 1), member(1, 2), member(2, 3)], circle)).toEqual([[0, 1, 2]]);
    const self: World = { types: many(1, PROCESS), parents: [0], acts: [] };
    expect(groupsOf([member(0, 1)], self)).toEqual([[0]]);
  });
});

/** Counts incidents by the definition, over all pairs. Members must be distinct and ordered by score. */
function countByDefinition(
  members: readonly SuspiciousNode[],
  world: World,
  { gap, mostNeighbours, valley }: IncidentOptions,
) {
  const parents = world.parents ?? world.types.map(() => -1);
  const starters = parents.map((parent, node) => (parent === node ? -1 : parent));
  for (const [s, o, r = 0] of world.acts) {
    if (r !== 1 || s === o || starters[o] >= 0 || starters[s] === o) continue;
    if (world.types[s] === PROCESS && world.types[o] === PROCESS) starters[o] = s;
  }
  const size = world.types.length;
  const kin = (a: number, b: number) => a !== b && (starters[a] === b || starters[b] === a);
  const linked = (a: number, b: number) =>
    a !== b && (kin(a, b) || world.acts.some(([s, o]) => (s === a && o === b) || (s === b && o === a)));
  const nodes = Array.from({ length: size }, (_, node) => node);
  const degree = (a: number) => nodes.filter((b) => linked(a, b)).length;
  const isProcess = (a: number) => world.types[a] === PROCESS;
  const isHub = (a: number) =>
    nodes.filter((b) => linked(a, b) && (!isProcess(a) || isProcess(b))).length > mostNeighbours;
  const separates = (a: number, b: number) => isHub(a) && (!isProcess(a) || isProcess(b));
  const near = (a: SuspiciousNode, b: SuspiciousNode) =>
    a.host === b.host && a.first <= b.last + gap && b.first <= a.last + gap;
  const readsOnly = (a: number, file: number) =>
    !isProcess(file) &&
    !kin(a, file) &&
    world.acts.every(
      ([s, o, rel = 0]) =>
        !((s === a && o === file) || (s === file && o === a)) || (rel >= READ && !isProcess(o)),
    );
  const via = (a: number, b: number) =>
    !isHub(a) &&
    !isHub(b) &&
    nodes.some(
      (c) =>
        linked(a, c) &&
        linked(b, c) &&
        !(readsOnly(a, c) && readsOnly(b, c)) &&
        (degree(c) <= mostNeighbours || (kin(a, c) && kin(b, c) && !isHub(c))),
    );
  const highest = (a: SuspiciousNode) =>
    members.find((b) => b !== a && near(a, b) && linked(a.node, b.node) && separates(a.node, b.node));
  const joined = (a: SuspiciousNode, b: SuspiciousNode) =>
    near(a, b) &&
    (a.node === b.node ||
      via(a.node, b.node) ||
      (linked(a.node, b.node) && !separates(a.node, b.node) && !separates(b.node, a.node)) ||
      highest(a) === b ||
      highest(b) === a);
  // By score, highest first: each member joins its highest group, and other groups to that unless it scores too low.
  const set: number[] = [];
  members.forEach((a, i) => {
    const groups = [...new Set(set.filter((_, j) => joined(a, members[j])))].sort((g, h) => g - h);
    const own = groups[0] ?? i;
    set.push(own);
    for (const group of groups.slice(1)) {
      if (members[group].score > 0 && a.score < valley * members[group].score) continue;
      set.forEach((each, k) => {
        if (each === group) set[k] = own;
      });
    }
  });
  return new Set(set).size;
}

test('equals the definition over all pairs, at every threshold', () => {
  const size = 9;
  const node = fc.nat(size - 1);
  const worlds = fc.record({
    types: fc.array(fc.constantFrom(PROCESS, PROCESS, FILE), { minLength: size, maxLength: size }),
    parents: fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(-1) }, node), {
      minLength: size,
      maxLength: size,
    }),
    acts: fc.array(fc.tuple(node, node, fc.nat(3)), { maxLength: 14 }),
  });
  const drawn = fc.array(
    fc.record({
      node,
      score: fc.integer({ min: -2, max: 5 }),
      first: fc.nat(30),
      span: fc.nat(6),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(worlds, drawn, fc.integer({ min: 1, max: 4 }), (world, draws, mostNeighbours) => {
      const options = { gap: 4n, mostNeighbours, valley: 0.7 };
      const members = draws
        .map(({ first, span, ...rest }) => ({
          ...rest,
          host: rest.node === 0 ? 1 : 0,
          first: BigInt(first),
          last: BigInt(first + span),
        }))
        .sort(
          (a, b) =>
            b.score - a.score || a.node - b.node || Number(a.first - b.first) || Number(a.last - b.last),
        );
      const thresholds = [9, 5, 4, 3, 2, 1, 0, -1, -2];
      const counts = countIncidentsAt(thresholds, toColumns([...members].reverse()), linksOf(world), options);
      const expected = thresholds.map((least) =>
        countByDefinition(
          members.filter(({ score }) => score >= least),
          world,
          options,
        ),
      );
      expect([...counts]).toEqual(expected);
      expect(formIncidents(toColumns(members), linksOf(world), options)).toHaveLength(expected[8]);
    }),
    { numRuns: 600 },
  );
});

test('thresholds that do not descend are refused', () => {
  expect(() => countIncidentsAt([1, 2], toColumns([]), linksOf({ types: [], acts: [] }))).toThrow(RangeError);
});
