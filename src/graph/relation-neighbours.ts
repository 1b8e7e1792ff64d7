import type { Adjacency } from './adjacency.js';

/**
 * The distinct neighbours of each node per relation, over edges of both directions. The decoder of r reads the mean of
 * the r-neighbours (method §4). The arrays contain all relations, one after another.
 */
export interface RelationNeighbours {
  readonly relationCount: number;
  /** The nodes with r-neighbours are `nodeOffsets[r]` to `nodeOffsets[r + 1]` of `nodes`. */
  readonly nodeOffsets: Uint32Array;
  /** Ascending within a relation. */
  readonly nodes: Int32Array;
  /** The neighbours of `nodes[i]` are `offsets[i]` to `offsets[i + 1]` of `neighbours`, ascending and distinct. */
  readonly offsets: Uint32Array;
  readonly neighbours: Int32Array;
}

/** Collects the neighbours in two passes, one to count and one to fill. Nodes come in order, so no sort is needed. */
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
 * Calls `visit` for each distinct (node, neighbour, r) in that order, for edges of both directions. Both rows of a node
 * are sorted by (neighbour, r), so a merge finds duplicates.
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
      // An exhausted row compares as larger than any neighbour.
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
