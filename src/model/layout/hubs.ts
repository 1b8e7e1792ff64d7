import type { RelationNeighbours } from '../../graph/relation-neighbours.js';
import { invert, type JoinedNodes, type NodeOrder } from './node-order.js';

/** Share of the pairs that a step masks: a round of five a fifth, training on small windows more than half. */
const MASKED = 0.5;
/** Rows that are gathered in the time of one row's product with W_res, forward and backward alike. */
const GATHERS_A_PRODUCT = 6;
/** Entries of hubs, and rows, for which folding takes as much time more as a row's products with W take, forward and backward. */
const FOLDED_ENTRIES_A_PRODUCT = 9;
const FOLDED_ROWS_A_PRODUCT = 12;
/** What the device works with. */
const HEADS = 4;
/** Kinds of nodes in an order. */
const GROUPS = 5;
/** No number of readers has more bits. */
const BITS = 32;

/** How many (node, relation) pairs read each node. */
export function countReaders({ neighbours }: RelationNeighbours, nodeCount: number): Uint32Array {
  const readers = new Uint32Array(nodeCount);
  for (const u of neighbours) readers[u]++;
  return readers;
}

/** From how many readers on, a power of two or infinity, a node is a hub, and from how many it folds its attention. */
export interface HubChoice {
  readonly hubsFrom: number;
  readonly foldsFrom: number;
}

export function chooseHubs(
  pairs: RelationNeighbours,
  readers: Uint32Array,
  joined: JoinedNodes,
  relations: number,
): HubChoice {
  const hubsFrom = fewestOfHub(pairs, readers);
  return { hubsFrom, foldsFrom: fewestOfFolding(readers, hubsFrom, joined, relations) };
}

function bitsOf(count: number): number {
  return BITS - 1 - Math.clz32(count);
}

/**
 * From how many readers on a node's residual is worth a product of its own (see residual-means.ts): the power of two with
 * the fewest products, one for each hub and one for each masked pair that reads anyone else, and gathers for the latter.
 */
function fewestOfHub(pairs: RelationNeighbours, readers: Uint32Array): number {
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
  let hubs = sum(nodes);
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

/**
 * From how many readers on a node folds its attention (see folded-layer.ts): the power of two that saves the most products,
 * one for each node all of whose neighbours fold, less what takes their place. Hubs are not spared: they stand among those
 * that have a z. Infinity where nothing would be saved, or more memory be taken than the rows of z that nobody needs.
 */
function fewestOfFolding(
  readers: Uint32Array,
  hubsFrom: number,
  { offsets, neighbours }: JoinedNodes,
  relations: number,
): number {
  // By bits of readers, and one more: of nodes, their entries, and where nodes begin and cease to be spared.
  const [nodes, entries, spares] = [0, 0, 0].map(() => new Float64Array(BITS + 2));
  for (let v = 0; v < readers.length; v++) {
    if (offsets[v] === offsets[v + 1]) continue;
    const own = bitsOf(readers[v]) + 1; // 0 where nobody reads it
    nodes[own]++;
    entries[own] += offsets[v + 1] - offsets[v];
    let fewest = BITS;
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      fewest = Math.min(fewest, bitsOf(readers[neighbours[e]]));
    }
    if (own > fewest || readers[v] >= hubsFrom) continue;
    // It does not fold itself from so many bits on, and all its neighbours do up to there.
    spares[own]++;
    spares[fewest + 1]--;
  }
  const connected = sum(nodes);
  let [folding, itsEntries, spared] = [connected, sum(entries), 0];
  let [most, best] = [0, Infinity];
  for (let bits = 0; bits <= BITS; bits++) {
    folding -= nodes[bits];
    itsEntries -= entries[bits];
    spared += spares[bits];
    // In rows: sums by head, or their gradients, numbers of each relation, and dz beside z.
    const more = folding * (HEADS + (relations + 1) / 4) + connected - spared;
    const takes = folding + itsEntries / FOLDED_ENTRIES_A_PRODUCT + connected / FOLDED_ROWS_A_PRODUCT;
    if (more <= spared && spared - takes > most) {
      most = spared - takes;
      best = 2 ** bits;
    }
  }
  return best;
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The same order, but that those who fold or are hubs come first, then those with a neighbour who does not fold. */
export function putHubsFirst(
  order: NodeOrder,
  readers: Uint32Array,
  { hubsFrom, foldsFrom }: HubChoice,
  { offsets, neighbours }: JoinedNodes,
): NodeOrder {
  const [more, fewer] = [Math.max(hubsFrom, foldsFrom), Math.min(hubsFrom, foldsFrom)];
  const isMultiplied = (v: number) => {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) if (readers[neighbours[e]] < foldsFrom) return true;
    return false;
  };
  // Both, either of the two, others with a z, those without, and nodes without a neighbour.
  const groups = new Uint8Array(order.nodes.length);
  const starts = new Uint32Array(GROUPS + 1);
  for (let place = 0; place < groups.length; place++) {
    const v = order.nodes[place];
    let group = place < order.connected ? 3 : 4;
    if (readers[v] >= more) group = 0;
    else if (readers[v] >= fewer) group = 1;
    else if (group === 3 && isMultiplied(v)) group = 2;
    groups[place] = group;
    starts[group + 1]++;
  }
  for (let group = 0; group < GROUPS; group++) starts[group + 1] += starts[group];
  const [, both, either, multiplied] = starts;
  const nodes = new Uint32Array(groups.length);
  for (let place = 0; place < groups.length; place++) nodes[starts[groups[place]]++] = order.nodes[place];
  return {
    nodes,
    places: invert(nodes),
    connected: order.connected,
    hubs: hubsFrom >= foldsFrom ? both : either,
    folding: foldsFrom >= hubsFrom ? both : either,
    multiplied,
  };
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
