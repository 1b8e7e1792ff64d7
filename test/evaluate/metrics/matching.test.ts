import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countConfusion } from '../../../src/evaluate/metrics/confusion.js';
import {
  MATCHING_PROTOCOLS,
  type MatchingProtocol,
  matchFlagged,
} from '../../../src/evaluate/metrics/matching.js';
import { buildAdjacency } from '../../../src/graph/adjacency.js';

type Edge = readonly [number, number];

const adjacencyOf = (nodes: number, edges: readonly Edge[]) =>
  buildAdjacency(
    {
      length: edges.length,
      src: Int32Array.from(edges, ([from]) => from),
      dst: Int32Array.from(edges, ([, to]) => to),
      relation: new Uint16Array(edges.length),
    },
    nodes,
    1,
  );
const mask = (nodes: number, set: readonly number[]) =>
  Uint8Array.from({ length: nodes }, (_, v) => (set.includes(v) ? 1 : 0));

const match = (
  protocol: MatchingProtocol,
  nodes: number,
  edges: readonly Edge[],
  flagged: readonly number[],
  labels: readonly number[],
  ignored: readonly number[] = [],
) =>
  matchFlagged(
    protocol,
    mask(nodes, flagged),
    mask(nodes, labels),
    adjacencyOf(nodes, edges),
    mask(nodes, ignored),
  );

// A chain 0 → 1 → 2 → 3 → 4, and 5 → 2 beside it.
const CHAIN: Edge[] = [
  [0, 1],
  [1, 2],
  [2, 3],
  [3, 4],
  [5, 2],
];

describe('node', () => {
  it('compares each flagged node with its own label', () => {
    const found = match('node', 6, CHAIN, [1, 2], [2, 3], [0]);
    expect(found).toEqual({ tp: 1, fp: 1, fn: 1, tn: 2, forgiven: 0, rescued: 0 });
    expect(found).toMatchObject(countConfusion(mask(6, [1, 2]), mask(6, [2, 3]), mask(6, [0])));
  });
});

describe('threatrace-2hop', () => {
  const run = (flagged: number[], labels: number[]) => match('threatrace-2hop', 6, CHAIN, flagged, labels);

  it('finds labels within two hops up and down, and counts the flagged node as a true negative', () => {
    expect(run([2], [0, 4])).toEqual({ tp: 2, fp: 0, fn: 0, tn: 4, forgiven: 1, rescued: 2 });
  });

  it('does not find labels beyond two hops', () => {
    expect(run([3], [0])).toEqual({ tp: 0, fp: 1, fn: 1, tn: 4, forgiven: 0, rescued: 0 });
  });

  it('does not change direction: nodes with a common child are not near', () => {
    expect(run([1], [5])).toEqual({ tp: 0, fp: 1, fn: 1, tn: 4, forgiven: 0, rescued: 0 });
  });

  it('lets a true positive find other labels', () => {
    expect(run([1], [1, 3, 5])).toEqual({ tp: 2, fp: 0, fn: 1, tn: 3, forgiven: 0, rescued: 1 });
  });
});

describe('flash-2hop', () => {
  const run = (flagged: number[], labels: number[]) => match('flash-2hop', 6, CHAIN, flagged, labels);

  it('ignores directions, and does not count a forgiven node', () => {
    expect(run([1], [5])).toEqual({ tp: 0, fp: 0, fn: 1, tn: 4, forgiven: 1, rescued: 0 });
  });

  it('finds labels near a true positive only', () => {
    expect(run([1], [1, 5, 4])).toEqual({ tp: 2, fp: 0, fn: 1, tn: 3, forgiven: 0, rescued: 1 });
    // A label found this way does not find others: 4 is two hops from 2, which is not flagged.
    expect(run([0], [0, 2, 4])).toEqual({ tp: 2, fp: 0, fn: 1, tn: 3, forgiven: 0, rescued: 1 });
  });
});

describe('ignored nodes', () => {
  it('do not count as flagged or labelled, but hops lead through them', () => {
    for (const protocol of ['threatrace-2hop', 'flash-2hop'] as const) {
      expect(match(protocol, 6, CHAIN, [0], [2], [1]), protocol).toMatchObject({ fp: 0, forgiven: 1 });
      expect(match(protocol, 6, CHAIN, [1], [2], [1]), protocol).toEqual({
        tp: 0,
        fp: 0,
        fn: 1,
        tn: 4,
        forgiven: 0,
        rescued: 0,
      });
      expect(match(protocol, 6, CHAIN, [1], [2], [2]), protocol).toMatchObject({ tp: 0, fp: 1, fn: 0 });
    }
  });
});

/** The definitions of the protocols, node by node, with sets. */
function bruteForce(
  protocol: MatchingProtocol,
  nodes: number,
  edges: readonly Edge[],
  flaggedSet: ReadonlySet<number>,
  labelled: ReadonlySet<number>,
  ignored: ReadonlySet<number>,
) {
  const flagged = [...flaggedSet].filter((v) => !ignored.has(v));
  const labels = new Set([...labelled].filter((v) => !ignored.has(v)));
  const step = (from: Iterable<number>, ways: ('in' | 'out')[]) =>
    new Set(
      [...from].flatMap((v) =>
        edges.flatMap(([a, b]) => [
          ...(ways.includes('out') && a === v ? [b] : []),
          ...(ways.includes('in') && b === v ? [a] : []),
        ]),
      ),
    );
  const twoHops = (v: number, ways: ('in' | 'out')[]) => {
    const one = step([v], ways);
    return new Set([...one, ...step(one, ways)]);
  };
  const around = (v: number) =>
    protocol === 'threatrace-2hop'
      ? new Set([...twoHops(v, ['in']), ...twoHops(v, ['out'])])
      : twoHops(v, ['in', 'out']);
  const cell = new Map<number, string>();
  for (let v = 0; v < nodes; v++) if (!ignored.has(v)) cell.set(v, labels.has(v) ? 'fn' : 'tn');
  for (const flaggedNode of flagged) {
    const near = protocol === 'node' ? [] : [...around(flaggedNode)].filter((v) => labels.has(v));
    if (labels.has(flaggedNode)) cell.set(flaggedNode, 'tp');
    else if (near.length === 0) cell.set(flaggedNode, 'fp');
    else if (protocol === 'flash-2hop') cell.delete(flaggedNode);
    if (protocol === 'threatrace-2hop' || labels.has(flaggedNode)) for (const v of near) cell.set(v, 'tp');
  }
  const of = (name: string) => [...cell.values()].filter((value) => value === name).length;
  return { tp: of('tp'), fp: of('fp'), fn: of('fn'), tn: of('tn') };
}

describe('all protocols', () => {
  const nodes = 14;
  const node = fc.nat(nodes - 1);
  const some = (maxLength: number) => fc.uniqueArray(node, { maxLength });

  it.each(MATCHING_PROTOCOLS)('%s agrees with a walk from each flagged node', (protocol) => {
    const edges = fc.array(fc.tuple(node, node), { maxLength: 20 });
    fc.assert(
      fc.property(edges, some(5), some(5), some(3), (graph, flagged, labels, ignored) => {
        const proper = graph.filter(([a, b]) => a !== b);
        const found = match(protocol, nodes, graph, flagged, labels, ignored);
        expect(found).toMatchObject(
          bruteForce(protocol, nodes, proper, new Set(flagged), new Set(labels), new Set(ignored)),
        );
        const outside = protocol === 'flash-2hop' ? found.forgiven : 0;
        expect(found.tp + found.fp + found.fn + found.tn + outside).toBe(nodes - ignored.length);
      }),
      { numRuns: 400 },
    );
  });
});
