import type { RelationNeighbours } from '../../graph/relation-neighbours.js';
import { invert, type NodeOrder, type UndirectedNeighbours } from './node-order.js';

/** The assumed share of pairs that a step masks: a fifth in scoring, more than half in training on small windows. */
const MASKED_SHARE = 0.5;
/** Rows that can be gathered in the time of one product of a row with W_res. */
const GATHERS_PER_PRODUCT = 6;
/** Entries of folded rows, and rows, that cost as much extra time as one product of a row with W. */
const FOLDED_ENTRIES_PER_PRODUCT = 9;
const FOLDED_ROWS_PER_PRODUCT = 12;
/** Attention heads of the device. */
const HEADS = 4;
/** Groups of nodes in an order: see `putHubsFirst`. */
const GROUPS = 5;
/** The number of readers of a node fits into this many bits. */
const BITS = 32;

/** The readers of each node: how many (node, relation) pairs read its embedding. */
export function countReaders({ neighbours }: RelationNeighbours, nodeCount: number): Uint32Array {
  const readers = new Uint32Array(nodeCount);
  for (const u of neighbours) readers[u]++;
  return readers;
}

/** The fewest readers of a hub, and of a node that folds its attention. Each is a power of two or infinity. */
export interface ReaderCutoffs {
  readonly hub: number;
  readonly folded: number;
}

export function chooseCutoffs(
  pairs: RelationNeighbours,
  readers: Uint32Array,
  undirected: UndirectedNeighbours,
  relations: number,
): ReaderCutoffs {
  const hub = chooseHubCutoff(pairs, readers);
  return { hub, folded: chooseFoldCutoff(readers, hub, undirected, relations) };
}

/** The position of the highest bit; −1 for 0. */
function highestBit(count: number): number {
  return BITS - 1 - Math.clz32(count);
}

/**
 * The residual of a hub has a product of its own (see residual-means.ts). Chooses the power of two with the least cost:
 * one product per hub, and one product plus gathers per masked pair that reads any other node.
 */
function chooseHubCutoff(pairs: RelationNeighbours, readers: Uint32Array): number {
  // By highest bit of the reader count: nodes, their readers, and pairs (by the node with the fewest readers they read).
  const nodes = new Float64Array(BITS + 1);
  const reads = new Float64Array(BITS + 1);
  const pairCounts = new Float64Array(BITS + 1);
  for (const count of readers) {
    if (count === 0) continue;
    nodes[highestBit(count)]++;
    reads[highestBit(count)] += count;
  }
  for (let pair = 0; pair < pairs.nodes.length; pair++) {
    let lowest = BITS;
    for (let e = pairs.offsets[pair]; e < pairs.offsets[pair + 1]; e++) {
      lowest = Math.min(lowest, highestBit(readers[pairs.neighbours[e]]));
    }
    pairCounts[lowest]++;
  }
  let leastCost = Infinity;
  let best = 0;
  let hubs = sum(nodes);
  let meanCost = 0;
  for (let bit = 0; bit <= BITS; bit++) {
    if (hubs + MASKED_SHARE * meanCost < leastCost) {
      leastCost = hubs + MASKED_SHARE * meanCost;
      best = bit;
    }
    hubs -= nodes[bit];
    meanCost += pairCounts[bit] + reads[bit] / GATHERS_PER_PRODUCT;
  }
  return 2 ** best;
}

/**
 * Rows fold when that saves products with W (see folded-layer.ts): a node whose neighbours all fold needs no projection.
 * Chooses the power of two that saves most. Hubs always keep their projection. Returns infinity if folding would save
 * nothing, or would take more memory than the projections that it makes unnecessary.
 */
function chooseFoldCutoff(
  readers: Uint32Array,
  hubCutoff: number,
  { offsets, neighbours }: UndirectedNeighbours,
  relations: number,
): number {
  // By highest bit of the reader count, plus one: nodes, their entries, and changes in the number of saved projections.
  const [nodes, entries, savedChange] = [0, 0, 0].map(() => new Float64Array(BITS + 2));
  for (let v = 0; v < readers.length; v++) {
    if (offsets[v] === offsets[v + 1]) continue;
    const own = highestBit(readers[v]) + 1; // 0 without readers
    nodes[own]++;
    entries[own] += offsets[v + 1] - offsets[v];
    let lowest = BITS;
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      lowest = Math.min(lowest, highestBit(readers[neighbours[e]]));
    }
    if (own > lowest || readers[v] >= hubCutoff) continue;
    // For cutoffs from `own` to `lowest`, all neighbours fold and the node itself does not.
    savedChange[own]++;
    savedChange[lowest + 1]--;
  }
  const connectedCount = sum(nodes);
  let [foldedCount, foldedEntries, saved] = [connectedCount, sum(entries), 0];
  let [mostSaved, best] = [0, Infinity];
  for (let bit = 0; bit <= BITS; bit++) {
    foldedCount -= nodes[bit];
    foldedEntries -= entries[bit];
    saved += savedChange[bit];
    // In rows: the sums per head or their gradients, a number per relation, and dz beside z.
    const extraRows = foldedCount * (HEADS + (relations + 1) / 4) + connectedCount - saved;
    const cost =
      foldedCount + foldedEntries / FOLDED_ENTRIES_PER_PRODUCT + connectedCount / FOLDED_ROWS_PER_PRODUCT;
    if (extraRows <= saved && saved - cost > mostSaved) {
      mostSaved = saved - cost;
      best = 2 ** bit;
    }
  }
  return best;
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Moves hubs and nodes that fold to the front, then nodes with a neighbour that does not fold. */
export function putHubsFirst(
  order: NodeOrder,
  readers: Uint32Array,
  { hub, folded }: ReaderCutoffs,
  { offsets, neighbours }: UndirectedNeighbours,
): NodeOrder {
  const [higher, lower] = [Math.max(hub, folded), Math.min(hub, folded)];
  const isProjected = (v: number) => {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) if (readers[neighbours[e]] < folded) return true;
    return false;
  };
  // Group 0: hubs that fold. 1: hubs or nodes that fold. 2: other projected nodes. 3: other connected nodes. 4: the rest.
  const groups = new Uint8Array(order.nodes.length);
  const starts = new Uint32Array(GROUPS + 1);
  for (let place = 0; place < groups.length; place++) {
    const v = order.nodes[place];
    let group = place < order.connectedCount ? 3 : 4;
    if (readers[v] >= higher) group = 0;
    else if (readers[v] >= lower) group = 1;
    else if (group === 3 && isProjected(v)) group = 2;
    groups[place] = group;
    starts[group + 1]++;
  }
  for (let group = 0; group < GROUPS; group++) starts[group + 1] += starts[group];
  const [, both, either, projectedCount] = starts;
  const nodes = new Uint32Array(groups.length);
  for (let place = 0; place < groups.length; place++) nodes[starts[groups[place]]++] = order.nodes[place];
  return {
    nodes,
    places: invert(nodes),
    connectedCount: order.connectedCount,
    hubCount: hub >= folded ? both : either,
    foldedCount: folded >= hub ? both : either,
    projectedCount,
  };
}

/** Sorts the neighbours of each pair in place: hubs last. Returns where the hubs of each pair begin. Nodes are places. */
export function putHubsLast({ offsets, neighbours }: RelationNeighbours, hubCount: number): Uint32Array {
  const hubStarts = new Uint32Array(offsets.length - 1);
  const hubs = new Int32Array(neighbours.length);
  for (let pair = 0; pair < hubStarts.length; pair++) {
    let held = 0;
    let at = offsets[pair];
    for (let e = offsets[pair]; e < offsets[pair + 1]; e++) {
      if (neighbours[e] < hubCount) hubs[held++] = neighbours[e];
      else neighbours[at++] = neighbours[e];
    }
    hubStarts[pair] = at;
    neighbours.set(hubs.subarray(0, held), at);
  }
  return hubStarts;
}
