import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildAdjacency } from '../../src/graph/adjacency.js';
import { collectNeighbours, type RelationNeighbours } from '../../src/graph/relation-neighbours.js';

type Edge = [src: number, dst: number, relation: number];

function collect(edges: readonly Edge[], nodeCount: number, relationCount: number): RelationNeighbours {
  const src = Int32Array.from(edges, (e) => e[0]);
  const dst = Int32Array.from(edges, (e) => e[1]);
  const relation = Uint16Array.from(edges, (e) => e[2]);
  return collectNeighbours(
    buildAdjacency({ length: edges.length, src, dst, relation }, nodeCount, relationCount),
  );
}

/** The nodes of a relation with their neighbours, in stored order. */
function listsOf(all: RelationNeighbours, r: number): [number, number[]][] {
  const { nodeOffsets, nodes, offsets, neighbours } = all;
  expect(offsets.length).toBe(nodes.length + 1);
  const lists: [number, number[]][] = [];
  for (let i = nodeOffsets[r]; i < nodeOffsets[r + 1]; i++) {
    lists.push([nodes[i], [...neighbours.subarray(offsets[i], offsets[i + 1])]]);
  }
  return lists;
}

function naiveLists(edges: readonly Edge[], nodeCount: number, r: number): [number, number[]][] {
  const lists: [number, number[]][] = [];
  for (let v = 0; v < nodeCount; v++) {
    const found = new Set<number>();
    for (const [src, dst, relation] of edges) {
      if (relation !== r || src === dst) continue;
      if (src === v) found.add(dst);
      if (dst === v) found.add(src);
    }
    if (found.size > 0) lists.push([v, [...found].sort((a, b) => a - b)]);
  }
  return lists;
}

describe('collectNeighbours', () => {
  it('finds the distinct neighbours of each relation, over edges of both directions', () => {
    const edge = fc.tuple(fc.nat(6), fc.nat(6), fc.nat(3));
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 60 }), (edges) => {
        const all = collect(edges, 8, 5);
        for (let r = 0; r < 5; r++) expect(listsOf(all, r)).toEqual(naiveLists(edges, 8, r));
      }),
    );
  });

  it('lists a neighbour once if it is both source and destination', () => {
    const all = collect(
      [
        [0, 1, 0],
        [1, 0, 0],
        [1, 0, 1],
        [2, 2, 0],
      ],
      3,
      2,
    );
    expect(listsOf(all, 0)).toEqual([
      [0, [1]],
      [1, [0]],
    ]);
    expect(listsOf(all, 1)).toEqual([
      [0, [1]],
      [1, [0]],
    ]);
  });
});
