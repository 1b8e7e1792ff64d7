import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildAdjacency, type NeighbourRows } from '../../src/graph/adjacency.js';

type Edge = [src: number, dst: number, relation: number];

const columns = (edges: readonly Edge[]) => ({
  length: edges.length,
  src: Int32Array.from(edges, (e) => e[0]),
  dst: Int32Array.from(edges, (e) => e[1]),
  relation: Uint16Array.from(edges, (e) => e[2]),
});

/** [row, neighbour, relation] of every entry, in stored order. */
function entriesOf(rows: NeighbourRows): Edge[] {
  const entries: Edge[] = [];
  for (let v = 0; v + 1 < rows.offsets.length; v++) {
    for (let i = rows.offsets[v]; i < rows.offsets[v + 1]; i++) {
      entries.push([v, rows.neighbours[i], rows.relations[i]]);
    }
  }
  return entries;
}

function distinctSorted(edges: readonly Edge[]): Edge[] {
  const names = new Set(edges.filter(([a, b]) => a !== b).map((e) => e.join()));
  const distinct = [...names].map((name) => name.split(',').map(Number) as Edge);
  return distinct.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
}

const edge = fc.tuple(fc.nat(6), fc.nat(6), fc.nat(2));

describe('buildAdjacency', () => {
  it('has one sorted entry per distinct edge, from both ends, without self-loops', () => {
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 80 }), (edges) => {
        const adjacency = buildAdjacency(columns(edges), 8, 3);
        const bySource = distinctSorted(edges);
        const byDestination = distinctSorted(edges.map(([src, dst, r]) => [dst, src, r]));
        expect(adjacency.length).toBe(bySource.length);
        expect(entriesOf(adjacency.bySource)).toEqual(bySource);
        expect(entriesOf(adjacency.byDestination)).toEqual(byDestination);
        expect(adjacency.bySource.neighbours.length).toBe(bySource.length);
      }),
    );
  });

  it('does not depend on the order of the edges', () => {
    const edges: Edge[] = Array.from({ length: 40 }, (_, i) => [i % 7, (i * 3) % 5, i % 3]);
    const shuffled = edges.map((_, i) => edges[(i * 27) % 40]);
    expect(buildAdjacency(columns(shuffled), 7, 3)).toEqual(buildAdjacency(columns(edges), 7, 3));
  });

  it('is empty without edges', () => {
    const adjacency = buildAdjacency(columns([]), 0, 0);
    expect(adjacency.length).toBe(0);
    expect([...adjacency.bySource.offsets]).toEqual([0]);
  });
});
