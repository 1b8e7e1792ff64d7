import fc from 'fast-check';
import { splitName } from '../../../src/detect/evidence/name-levels.js';
import type { GraphView } from '../../../src/detect/graph-view.js';
import type { NodeNames } from '../../../src/graph/node-names.js';
import { ENTITY_TYPES, type EntityType } from '../../../src/ingest/event.js';

/** A node of an artificial log. */
export interface NamedNode {
  readonly type: EntityType;
  readonly name?: string | undefined;
}

/** (subject, relation, object): numbers of nodes and of a relation. */
export type Triple = readonly [number, number, number];

/** The levels of a name, each with its parents, so that equal texts below different parents differ. */
export function pathsOf({ type, name }: NamedNode): string[] {
  const texts = splitName(type, name).map(({ text }) => text);
  return texts.map((_, i) => texts.slice(0, i + 1).join('\u0001'));
}

export function namesOf(nodes: readonly NamedNode[]): NodeNames {
  const texts = [...new Set(nodes.flatMap(({ name }) => (name === undefined ? [] : [name])))];
  const none = new Int32Array(nodes.length).fill(-1);
  return {
    types: Uint8Array.from(nodes, ({ type }) => ENTITY_TYPES.indexOf(type)),
    texts,
    name: Int32Array.from(nodes, ({ name }) => (name === undefined ? -1 : texts.indexOf(name))),
    cmd: none,
    session: none,
    pid: none,
    parent: none,
  };
}

/** A graph with these interactions, each once, and without features. */
export function viewOf(names: NodeNames, triples: readonly Triple[]): GraphView {
  const distinct = [...new Map(triples.map((triple) => [triple.join(), triple])).values()];
  const nodes = [...new Set(distinct.flatMap(([subject, , object]) => [subject, object]))].sort(
    (a, b) => a - b,
  );
  const local = (node: number) => nodes.indexOf(node);
  const ones = new Uint32Array(distinct.length).fill(1);
  const rows = Int32Array.from(distinct, (_, i) => i);
  return {
    planned: { nodes: Int32Array.from(nodes) } as GraphView['planned'],
    names,
    newRelation: new Uint8Array(nodes.length),
    interactions: {
      length: distinct.length,
      subject: Int32Array.from(distinct, ([subject]) => local(subject)),
      relation: Uint16Array.from(distinct, ([, relation]) => relation),
      object: Int32Array.from(distinct, ([, , object]) => local(object)),
      count: ones,
      first: rows,
      last: rows,
    },
  };
}

const PROGRAMS = ['sh', 'nginx', 'cron', '/usr/bin/vi', undefined];
const PATHS = [
  '/etc/passwd',
  '/etc/rc.conf',
  '/etc/rc.d/a/b/x.sh',
  '/tmp/a#1',
  '/tmp/a2',
  'notes.txt',
  undefined,
];
const ADDRESSES = [
  '10.0.4.1:22',
  '10.0.4.1:80',
  '10.0.9.9:443',
  '129.55.12.167:51374',
  '[2001:db8::1]:53',
  undefined,
];

const NODE: fc.Arbitrary<NamedNode> = fc.oneof(
  fc.record({ type: fc.constant<EntityType>('process'), name: fc.constantFrom(...PROGRAMS) }),
  fc.record({ type: fc.constant<EntityType>('file'), name: fc.constantFrom(...PATHS) }),
  fc.record({ type: fc.constant<EntityType>('flow'), name: fc.constantFrom(...ADDRESSES) }),
  fc.record({ type: fc.constant<EntityType>('pipe'), name: fc.constant(undefined) }),
);

/** Nodes, training graphs and a graph to score. The number `relations` is that of `<new>`. */
export function corpora(relations: number) {
  return fc.array(NODE, { minLength: 2, maxLength: 14 }).chain((nodes) => {
    const end = fc.nat(nodes.length - 1);
    const triples = (known: number) =>
      fc.array(fc.tuple(end, fc.nat(known - 1), end) as fc.Arbitrary<Triple>, {
        minLength: 1,
        maxLength: 25,
      });
    return fc.record({
      nodes: fc.constant(nodes),
      train: fc.array(triples(relations), { maxLength: 3 }),
      test: triples(relations + 1),
    });
  });
}
