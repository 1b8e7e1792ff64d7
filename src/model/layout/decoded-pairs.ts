import type { RelationNeighbours } from '../../graph/relation-neighbours.js';
import type { ModelGraph } from '../model-input.js';
import { collectUndirected } from './node-order.js';

/** The nodes of each decoder, ascending: those of decoder r are nodeOffsets[r] to nodeOffsets[r + 1]. */
export type DecodedPairs = Pick<RelationNeighbours, 'nodeOffsets' | 'nodes'>;

/** The nodes that each decoder reconstructs: those with a neighbour under its relation, or with any for `w/o BL`. */
export function decodedPairs(
  { adjacency, neighbours, nodeCount }: ModelGraph,
  balanced: boolean,
): DecodedPairs {
  if (balanced) return neighbours;
  const hasNeighbour = new Uint8Array(nodeCount);
  for (let v = 0; v < nodeCount; v++) {
    if (adjacency.offsets[v + 1] > adjacency.offsets[v]) hasNeighbour[v] = 1;
  }
  for (const u of adjacency.neighbours) hasNeighbour[u] = 1;
  const nodes = Int32Array.from(hasNeighbour.keys()).filter((v) => hasNeighbour[v] === 1);
  return { nodeOffsets: Uint32Array.of(0, nodes.length), nodes };
}

/**
 * All distinct neighbours of a node as one relation, for the shared decoder of `w/o BL` (method §10). `targets` has one
 * byte per node, 1 for the nodes to decode.
 */
export function mergeRelations(graph: ModelGraph, targets: Uint8Array | undefined): RelationNeighbours {
  const undirected = collectUndirected(graph.adjacency);
  const nodes: number[] = [];
  const starts: number[] = [];
  const neighbours = new Int32Array(undirected.neighbours.length);
  let length = 0;
  for (let v = 0; v < graph.nodeCount; v++) {
    if (targets !== undefined && targets[v] === 0) continue;
    const row = undirected.neighbours.slice(undirected.offsets[v], undirected.offsets[v + 1]).sort();
    if (row.length === 0) continue;
    nodes.push(v);
    starts.push(length);
    row.forEach((u, i) => {
      if (i === 0 || row[i - 1] !== u) neighbours[length++] = u;
    });
  }
  return {
    relationCount: 1,
    nodeOffsets: Uint32Array.of(0, nodes.length),
    nodes: Int32Array.from(nodes),
    offsets: Uint32Array.from([...starts, length]),
    neighbours: neighbours.subarray(0, length),
  };
}
