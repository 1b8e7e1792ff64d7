import type { RelationNeighbours } from '../graph/relation-neighbours.js';
import { invert, type JoinedNodes, type NodeOrder } from './node-order.js';

/** Share of the pairs that a step masks: a round of five a fifth, training on small windows more than half. */
const MASKED = 0.5;
/** Rows that are gathered in the time of one row's product with W_res, forward and backward alike. */
const GATHERS_A_PRODUCT = 10;
/** Entries of hubs, and rows, for which folding takes as much time more as a row's products with W take, forward and backward. */
const FOLDED_ENTRIES_A_PRODUCT = 12;
const FOLDED_ROWS_A_PRODUCT = 12;
/** What the device works with. */
const HEADS = 4;
/** No number of readers has more bits. */
const BITS = 32;

/** How many (node, relation) pairs read each node. */
export function countReaders({ neighbours }: RelationNeighbours, nodeCount: number): Uint32Array {
  const readers = new Uint32Array(nodeCount);
  for (const u of neighbours) readers[u]++;
  return readers;
}

/** Who is a hub, and whether hubs fold their attention (see folded-layer.ts). */
export interface HubChoice {
  /** From so many readers on, a power of two. */
  readonly fewest: number;
  readonly folds: boolean;
}

/**
 * The choice with the fewest products and what else takes as long. A hub's residual is a product of its own; that of others
 * comes in over means (residual-means.ts), with a product for each masked pair that reads anyone but hubs, and gathers. And
 * where hubs fold, who has none but hubs for neighbours needs no product for attention.
 */
export function chooseHubs(
  pairs: RelationNeighbours,
  readers: Uint32Array,
  joined: JoinedNodes,
  relations: number,
): HubChoice {
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
  const saved = savedByFolding(readers, joined, relations, bitsOf);
  let least = Infinity;
  let best = 0;
  let hubs = nodes.reduce((sum, count) => sum + count, 0);
  let overMeans = 0;
  for (let bits = 0; bits <= BITS; bits++) {
    const cost = hubs + MASKED * overMeans - Math.max(0, saved[bits]);
    if (cost < least) {
      least = cost;
      best = bits;
    }
    hubs -= nodes[bits];
    overMeans += readBy[bits] + reads[bits] / GATHERS_A_PRODUCT;
  }
  return { fewest: 2 ** best, folds: saved[best] > 0 };
}

/** Products less what takes their place, for hubs from so many bits of readers on; 0 where folding would take more memory. */
function savedByFolding(
  readers: Uint32Array,
  { offsets, neighbours }: JoinedNodes,
  relations: number,
  bitsOf: (count: number) => number,
): Float64Array {
  const [entries, hubs, leaves] = [0, 0, 0].map(() => new Float64Array(BITS + 2));
  let connected = 0;
  for (let v = 0; v < readers.length; v++) {
    const degree = offsets[v + 1] - offsets[v];
    if (degree === 0) continue;
    connected++;
    const own = bitsOf(readers[v]) + 1; // 0 where nobody reads it
    hubs[own]++;
    entries[own] += degree;
    let fewest = BITS;
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      fewest = Math.min(fewest, bitsOf(readers[neighbours[e]]));
    }
    // It is no hub itself from `own` bits on, and all its neighbours are hubs up to `fewest`.
    if (own > fewest) continue;
    leaves[own]++;
    leaves[fewest + 1]--;
  }
  const saved = new Float64Array(BITS + 1);
  let [hubEntries, hubCount, spared] = [sum(entries) - entries[0], sum(hubs) - hubs[0], leaves[0]];
  for (let bits = 0; bits <= BITS; bits++) {
    if (bits > 0) {
      hubEntries -= entries[bits];
      hubCount -= hubs[bits];
      spared += leaves[bits];
    }
    // In rows: sums and their gradients by head, a number a head and relation, and dz beside z.
    const more = hubCount * (2 * HEADS + (2 * (relations + 1)) / 8) + connected - spared;
    const costs = hubEntries / FOLDED_ENTRIES_A_PRODUCT + connected / FOLDED_ROWS_A_PRODUCT + hubCount;
    saved[bits] = more <= spared ? spared - costs : 0;
  }
  return saved;
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * The same order, but that nodes with at least so many readers come first, and where they fold then those that have a
 * neighbour who is none.
 */
export function putHubsFirst(
  order: NodeOrder,
  readers: Uint32Array,
  { fewest, folds }: HubChoice,
  { offsets, neighbours }: JoinedNodes,
): NodeOrder {
  const isHub = (v: number) => readers[v] >= fewest;
  const isMultiplied = (v: number) =>
    !folds || neighbours.subarray(offsets[v], offsets[v + 1]).some((u) => !isHub(u));
  const nodes = new Uint32Array(order.nodes.length);
  let length = 0;
  for (const v of order.nodes) if (isHub(v)) nodes[length++] = v;
  const hubs = length;
  const [connected, alone] = [
    order.nodes.subarray(0, order.connected),
    order.nodes.subarray(order.connected),
  ];
  for (const v of connected) if (!isHub(v) && isMultiplied(v)) nodes[length++] = v;
  const multiplied = length;
  for (const v of connected) if (!isHub(v) && !isMultiplied(v)) nodes[length++] = v;
  nodes.set(alone, length);
  return { nodes, places: invert(nodes), connected: order.connected, hubs, multiplied };
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
