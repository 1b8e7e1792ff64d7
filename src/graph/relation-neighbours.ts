import type { Adjacency } from './adjacency.js';

/** The nodes with an r-neighbour, and those neighbours, for one relation. */
export interface NeighbourLists {
  /** Ascending. */
  readonly nodes: Int32Array;
  /** The neighbours of `nodes[i]` are `offsets[i]` to `offsets[i + 1]` of `neighbours`, ascending and distinct. */
  readonly offsets: Uint32Array;
  /** Shared by all relations: offsets point into the whole. */
  readonly neighbours: Int32Array;
}

/**
 * The distinct r-neighbours of each node, in and out together, whose mean the decoder of r reads (method §4).
 * All relations lie in the same arrays, one after another.
 */
export interface RelationNeighbours {
  readonly relationCount: number;
  /** The nodes of relation r are `nodeOffsets[r]` to `nodeOffsets[r + 1]` of `nodes`. */
  readonly nodeOffsets: Uint32Array;
  readonly nodes: Int32Array;
  readonly offsets: Uint32Array;
  readonly neighbours: Int32Array;
}

/** A view on one relation; nothing is copied. */
export function listNeighbours(all: RelationNeighbours, relation: number): NeighbourLists {
  const start = all.nodeOffsets[relation];
  const end = all.nodeOffsets[relation + 1];
  return {
    nodes: all.nodes.subarray(start, end),
    offsets: all.offsets.subarray(start, end + 1),
    neighbours: all.neighbours,
  };
}

/** Two linear walks, one to count and one to place: nodes come in order, so each relation's part is sorted by itself. */
export function collectNeighbours(adjacency: Adjacency): RelationNeighbours {
  const { relationCount } = adjacency;
  const nodeOffsets = new Uint32Array(relationCount + 1);
  const pairOffsets = new Uint32Array(relationCount + 1);
  const latest = new Int32Array(relationCount).fill(-1);
  walkNeighbours(adjacency, (node, _neighbour, r) => {
    pairOffsets[r + 1]++;
    if (latest[r] !== node) nodeOffsets[r + 1]++;
    latest[r] = node;
  });
  for (let r = 0; r < relationCount; r++) {
    nodeOffsets[r + 1] += nodeOffsets[r];
    pairOffsets[r + 1] += pairOffsets[r];
  }

  const nodes = new Int32Array(nodeOffsets[relationCount]);
  const offsets = new Uint32Array(nodes.length + 1);
  const neighbours = new Int32Array(pairOffsets[relationCount]);
  const nextNode = nodeOffsets.slice();
  const nextPair = pairOffsets.slice();
  latest.fill(-1);
  walkNeighbours(adjacency, (node, neighbour, r) => {
    if (latest[r] !== node) {
      offsets[nextNode[r]] = nextPair[r];
      nodes[nextNode[r]++] = node;
    }
    latest[r] = node;
    neighbours[nextPair[r]++] = neighbour;
  });
  offsets[nodes.length] = neighbours.length;
  return { relationCount, nodeOffsets, nodes, offsets, neighbours };
}

/**
 * Calls for each distinct (node, neighbour, r), whichever way the edge runs, in that order. Both rows of a node are
 * sorted by (neighbour, r), so merging them puts equal pairs side by side.
 */
function walkNeighbours(
  adjacency: Adjacency,
  visit: (node: number, neighbour: number, relation: number) => void,
): void {
  const { byDestination: ins, bySource: outs } = adjacency;
  for (let node = 0; node < adjacency.nodeCount; node++) {
    let i = ins.offsets[node];
    let j = outs.offsets[node];
    const iEnd = ins.offsets[node + 1];
    const jEnd = outs.offsets[node + 1];
    while (i < iEnd || j < jEnd) {
      // One past the end compares as later than anything.
      const a = i < iEnd ? ins.neighbours[i] : Infinity;
      const b = j < jEnd ? outs.neighbours[j] : Infinity;
      const order = a !== b ? a - b : ins.relations[i] - outs.relations[j];
      if (order <= 0) visit(node, ins.neighbours[i], ins.relations[i]);
      else visit(node, outs.neighbours[j], outs.relations[j]);
      if (order <= 0) i++;
      if (order >= 0) j++;
    }
  }
}
