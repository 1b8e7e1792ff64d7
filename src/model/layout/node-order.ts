import type { NeighbourRows } from '../../graph/adjacency.js';

/** An order of the nodes of a graph. */
export interface NodeOrder {
  /** The node at each place. */
  readonly nodes: Uint32Array;
  /** The place of each node. */
  readonly places: Uint32Array;
  /** The first `connectedCount` nodes have a neighbour. The others neither read embeddings nor are read. */
  readonly connectedCount: number;
  /** The first `hubCount` nodes are hubs: many pairs read them (see hubs.ts). */
  readonly hubCount: number;
  /** The first `foldedCount` nodes fold their attention (see folded-layer.ts). */
  readonly foldedCount: number;
  /** The first `projectedCount` nodes need a projection z = W h. Nodes whose neighbours all fold need none. */
  readonly projectedCount: number;
}

/** Neighbours in both directions: those of node v are `neighbours[offsets[v]]` to `neighbours[offsets[v + 1]]`. */
export interface UndirectedNeighbours {
  readonly offsets: Uint32Array;
  readonly neighbours: Uint32Array;
}

/** Lists each edge at both of its ends. */
export function collectUndirected(adjacency: NeighbourRows): UndirectedNeighbours {
  const count = adjacency.offsets.length - 1;
  const offsets = new Uint32Array(count + 1);
  for (let v = 0; v < count; v++) offsets[v + 1] = adjacency.offsets[v + 1] - adjacency.offsets[v];
  for (const u of adjacency.neighbours) offsets[u + 1]++;
  for (let v = 0; v < count; v++) offsets[v + 1] += offsets[v];
  const next = offsets.slice();
  const neighbours = new Uint32Array(offsets[count]);
  for (let v = 0; v < count; v++) {
    for (let e = adjacency.offsets[v]; e < adjacency.offsets[v + 1]; e++) {
      const u = adjacency.neighbours[e];
      neighbours[next[v]++] = u;
      neighbours[next[u]++] = v;
    }
  }
  return { offsets, neighbours };
}

/** Breadth first, so that neighbours get near places and caches hold them together. */
export function orderByNearness({ offsets, neighbours }: UndirectedNeighbours): NodeOrder {
  const count = offsets.length - 1;
  const nodes = new Uint32Array(count);
  const visited = new Uint8Array(count);
  let length = 0;
  for (let first = 0; first < count; first++) {
    if (visited[first] === 1 || offsets[first] === offsets[first + 1]) continue;
    visited[first] = 1;
    let next = length;
    nodes[length++] = first;
    for (; next < length; next++) {
      for (let e = offsets[nodes[next]]; e < offsets[nodes[next] + 1]; e++) {
        if (visited[neighbours[e]] === 1) continue;
        visited[neighbours[e]] = 1;
        nodes[length++] = neighbours[e];
      }
    }
  }
  const connectedCount = length;
  for (let v = 0; v < count; v++) if (visited[v] === 0) nodes[length++] = v;
  return {
    nodes,
    places: invert(nodes),
    connectedCount,
    hubCount: 0,
    foldedCount: 0,
    projectedCount: connectedCount,
  };
}

/** The place of each node. */
export function invert(nodes: Uint32Array): Uint32Array {
  const places = new Uint32Array(nodes.length);
  nodes.forEach((v, place) => {
    places[v] = place;
  });
  return places;
}
