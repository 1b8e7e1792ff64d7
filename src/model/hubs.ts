import type { RelationNeighbours } from '../graph/relation-neighbours.js';
import { invert, type NodeOrder } from './node-order.js';

/** Share of the pairs that a step masks: a round of five a fifth, training on small windows more than half. */
const MASKED = 0.5;
/** Rows that are gathered in the time of one row's product with W_res, forward and backward alike. */
const GATHERS_A_PRODUCT = 10;
/** No number of readers has more bits. */
const BITS = 32;

/** How many (node, relation) pairs read each node. */
export function countReaders({ neighbours }: RelationNeighbours, nodeCount: number): Uint32Array {
  const readers = new Uint32Array(nodeCount);
  for (const u of neighbours) readers[u]++;
  return readers;
}

/**
 * From how many readers on a node's residual is worth a product of its own (see residual-means.ts): the power of two with
 * the fewest products, one for each hub and one for each masked pair that reads anyone else, and gathers for the latter.
 */
export function fewestReaders(pairs: RelationNeighbours, readers: Uint32Array): number {
  const bitsOf = (count: number) => BITS - 1 - Math.clz32(count);
  // Of nodes, and of pairs by the one that they read with the fewest readers, by bits of their readers.
  const nodes = new Float64Array(BITS + 1);
  const reads = new Float64Array(BITS + 1);
  const readBy = new Float64Array(BITS + 1);
  for (const count of readers) {
    if (count === 0) continue;
    nodes[bitsOf(count)]++;
    reads[bitsOf(count)] += count;
  }
  for (let pair = 0; pair < pairs.nodes.length; pair++) {
    let fewest = BITS;
    for (let e = pairs.offsets[pair]; e < pairs.offsets[pair + 1]; e++) {
      fewest = Math.min(fewest, bitsOf(readers[pairs.neighbours[e]]));
    }
    readBy[fewest]++;
  }
  let least = Infinity;
  let best = 0;
  let hubs = nodes.reduce((sum, count) => sum + count, 0);
  let overMeans = 0;
  for (let bits = 0; bits <= BITS; bits++) {
    if (hubs + MASKED * overMeans < least) {
      least = hubs + MASKED * overMeans;
      best = bits;
    }
    hubs -= nodes[bits];
    overMeans += readBy[bits] + reads[bits] / GATHERS_A_PRODUCT;
  }
  return 2 ** best;
}

/** The same order, but that nodes with at least so many readers come first. */
export function putHubsFirst(order: NodeOrder, readers: Uint32Array, fewest: number): NodeOrder {
  const nodes = new Uint32Array(order.nodes.length);
  let length = 0;
  for (const v of order.nodes) if (readers[v] >= fewest) nodes[length++] = v;
  const hubs = length;
  for (const v of order.nodes) if (readers[v] < fewest) nodes[length++] = v;
  return { nodes, places: invert(nodes), connected: order.connected, hubs };
}

/**
 * Puts, in every pair, neighbours that are no hubs before those that are; for each pair, where the hubs begin. Nodes go by
 * their places.
 */
export function putHubsLast({ offsets, neighbours }: RelationNeighbours, hubs: number): Uint32Array {
  const hubStarts = new Uint32Array(offsets.length - 1);
  const some = new Int32Array(neighbours.length);
  for (let pair = 0; pair < hubStarts.length; pair++) {
    let held = 0;
    let at = offsets[pair];
    for (let e = offsets[pair]; e < offsets[pair + 1]; e++) {
      if (neighbours[e] < hubs) some[held++] = neighbours[e];
      else neighbours[at++] = neighbours[e];
    }
    hubStarts[pair] = at;
    neighbours.set(some.subarray(0, held), at);
  }
  return hubStarts;
}
