import type { NeighbourRows } from '../../graph/adjacency.js';

/** An order of a graph's nodes. */
export interface NodeOrder {
  /** The node at each place. */
  readonly nodes: Uint32Array;
  /** The place of each node. */
  readonly places: Uint32Array;
  /** Nodes with a neighbour stand before all others, which neither read an embedding nor have theirs read. */
  readonly connected: number;
  /** The first of them: those that many read, whose residual is computed for themselves (see hubs.ts). */
  readonly hubs: number;
  /** The first of them that fold their attention (see folded-layer.ts). */
  readonly folding: number;
  /** The first of them that need a z: all but some whose neighbours all fold. */
  readonly multiplied: number;
}

/** The neighbours of node v, both ways, are `offsets[v]` to `offsets[v + 1]` of `neighbours`. */
export interface JoinedNodes {
  readonly offsets: Uint32Array;
  readonly neighbours: Uint32Array;
}

/** Each edge of the adjacency from both of its ends. */
export function joinNodes(adjacency: NeighbourRows): JoinedNodes {
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

/** Breadth first from each node not yet met: near ones stand near each other, where a cache finds them together. */
export function orderByNearness({ offsets, neighbours }: JoinedNodes): NodeOrder {
  const count = offsets.length - 1;
  const nodes = new Uint32Array(count);
  const met = new Uint8Array(count);
  let length = 0;
  for (let first = 0; first < count; first++) {
    if (met[first] === 1 || offsets[first] === offsets[first + 1]) continue;
    met[first] = 1;
    let next = length;
    nodes[length++] = first;
    for (; next < length; next++) {
      for (let e = offsets[nodes[next]]; e < offsets[nodes[next] + 1]; e++) {
        if (met[neighbours[e]] === 1) continue;
        met[neighbours[e]] = 1;
        nodes[length++] = neighbours[e];
      }
    }
  }
  const connected = length;
  for (let v = 0; v < count; v++) if (met[v] === 0) nodes[length++] = v;
  return { nodes, places: invert(nodes), connected, hubs: 0, folding: 0, multiplied: connected };
}

/** The place of each node. */
export function invert(nodes: Uint32Array): Uint32Array {
  const places = new Uint32Array(nodes.length);
  nodes.forEach((v, place) => {
    places[v] = place;
  });
  return places;
}
