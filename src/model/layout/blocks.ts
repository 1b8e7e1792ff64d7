import type { SparseMatrix } from '../../features/sparse.js';
import type { NeighbourRows } from '../../graph/adjacency.js';
import type { RelationNeighbours } from '../../graph/relation-neighbours.js';
import type { ModelGraph } from '../model-input.js';
import type { GraphSize } from './memory-need.js';
import { type JoinedNodes, joinNodes, orderByNearness } from './node-order.js';

/**
 * A way to take a graph in parts that fit into memory. Each part decodes some nodes, its targets, and holds all that
 * their reconstruction depends on: what is within layers + 1 hops (one of them from a target to the neighbours whose
 * embeddings it is made of). Everything inside is computed as in the whole graph, so errors are the same, and gradients
 * summed over the parts are the gradient of the whole.
 */
export interface BlockPlan {
  /** All nodes; near ones stand near each other. */
  readonly order: Uint32Array;
  /** The targets of part i are order[bounds[i]] to order[bounds[i + 1]]. */
  readonly bounds: readonly number[];
  readonly hops: number;
}

/** One part of a graph, with its own numbers for nodes. */
export interface Block {
  readonly graph: ModelGraph;
  /** The number in the whole graph of each node, ascending. */
  readonly nodes: Uint32Array;
  /** One byte per node, 1 for targets. `graph.neighbours` has no pairs of others. */
  readonly targets: Uint8Array;
}

/** Parts that are tried. A graph whose nodes reach everything through a hub is not made smaller by any. */
const PART_COUNTS = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

const entriesOf = new WeakMap<ModelGraph, JoinedNodes>();

function entriesOfGraph(graph: ModelGraph): JoinedNodes {
  const entries = entriesOf.get(graph) ?? joinNodes(graph.adjacency);
  entriesOf.set(graph, entries);
  return entries;
}

/** The fewest parts that all fit, or undefined if not even the smallest do. */
export function planBlocks(
  graph: ModelGraph,
  layers: number,
  slotsOf: (targets: Uint32Array) => Pick<GraphSize, 'pairs' | 'slots'>,
  fits: (size: GraphSize) => boolean,
): BlockPlan | undefined {
  const entries = entriesOfGraph(graph);
  const { nodes: order } = orderByNearness(entries);
  const hops = layers + 1;
  const plan = (parts: number): BlockPlan => ({ order, hops, bounds: divide(entries, order, parts) });
  const allFit = (candidate: BlockPlan) =>
    candidate.bounds.slice(1).every((_, part) => {
      const targets = targetsOf(candidate, part);
      const { nodes } = findField(entries, targets, hops);
      return fits({ ...measure(graph, entries, nodes), ...slotsOf(targets) });
    });
  // The smallest parts first: where they do not fit, nothing does.
  if (!allFit(plan(PART_COUNTS[PART_COUNTS.length - 1]))) return undefined;
  return PART_COUNTS.map(plan).find(allFit);
}

/** Any number of parts, whether they fit or not. */
export function divideGraph(graph: ModelGraph, layers: number, parts: number): BlockPlan {
  const entries = entriesOfGraph(graph);
  const { nodes: order } = orderByNearness(entries);
  return { order, hops: layers + 1, bounds: divide(entries, order, parts) };
}

function targetsOf({ order, bounds }: BlockPlan, part: number): Uint32Array {
  return order.subarray(bounds[part], bounds[part + 1]);
}

/** Cuts a part out. It is made anew whenever it is needed: keeping all would take as much memory as is being saved. */
export function cutBlock(graph: ModelGraph, plan: BlockPlan, part: number): Block {
  const entries = entriesOfGraph(graph);
  const chosen = targetsOf(plan, part);
  const { nodes, numbers } = findField(entries, chosen, plan.hops);
  const targets = new Uint8Array(nodes.length);
  for (const v of chosen) targets[numbers[v]] = 1;
  const features = pickRows(graph.features, nodes);
  return {
    nodes,
    targets,
    graph: {
      nodeCount: nodes.length,
      relationCount: graph.relationCount,
      frequencies: graph.frequencies,
      features,
      target: graph.target === graph.features ? features : pickRows(graph.target, nodes),
      adjacency: pickAdjacency(graph.adjacency, nodes, numbers),
      neighbours: pickPairs(graph.neighbours, targets, numbers),
    },
  };
}

/** By nodes and their entries. */
function divide({ offsets }: JoinedNodes, order: Uint32Array, parts: number): number[] {
  const total = order.length + offsets[order.length];
  const bounds = [0];
  let held = 0;
  order.forEach((v, i) => {
    held += 1 + offsets[v + 1] - offsets[v];
    if (held * parts >= total * bounds.length && bounds.length < parts) bounds.push(i + 1);
  });
  bounds.push(order.length);
  return bounds.filter((bound, i) => i === 0 || bound > bounds[i - 1]);
}

/** The targets and what is within some hops of them, ascending; and the place of each, or −1. */
function findField({ offsets, neighbours }: JoinedNodes, targets: Uint32Array, hops: number) {
  const numbers = new Int32Array(offsets.length - 1).fill(-1);
  const found = new Uint32Array(numbers.length);
  let length = 0;
  for (const v of targets) {
    numbers[v] = 0;
    found[length++] = v;
  }
  let next = 0;
  for (let hop = 0; hop < hops; hop++) {
    for (const end = length; next < end; next++) {
      for (let e = offsets[found[next]]; e < offsets[found[next] + 1]; e++) {
        if (numbers[neighbours[e]] >= 0) continue;
        numbers[neighbours[e]] = 0;
        found[length++] = neighbours[e];
      }
    }
  }
  const nodes = found.slice(0, length).sort();
  nodes.forEach((v, i) => {
    numbers[v] = i;
  });
  return { nodes, numbers };
}

/** Entries that lead out of the field are counted too. */
function measure(graph: ModelGraph, { offsets }: JoinedNodes, nodes: Uint32Array) {
  const { features, target } = graph;
  let entries = 0;
  let values = 0;
  for (const v of nodes) {
    entries += offsets[v + 1] - offsets[v];
    values += features.offsets[v + 1] - features.offsets[v];
    if (target !== features) values += target.offsets[v + 1] - target.offsets[v];
  }
  return { nodes: nodes.length, entries, values };
}

function pickRows(x: SparseMatrix, rows: Uint32Array): SparseMatrix {
  const offsets = new Uint32Array(rows.length + 1);
  rows.forEach((row, i) => {
    offsets[i + 1] = offsets[i] + x.offsets[row + 1] - x.offsets[row];
  });
  const indices = new Uint32Array(offsets[rows.length]);
  const values = new Float32Array(offsets[rows.length]);
  rows.forEach((row, i) => {
    indices.set(x.indices.subarray(x.offsets[row], x.offsets[row + 1]), offsets[i]);
    values.set(x.values.subarray(x.offsets[row], x.offsets[row + 1]), offsets[i]);
  });
  return { rows: rows.length, cols: x.cols, offsets, indices, values };
}

function pickAdjacency(all: NeighbourRows, nodes: Uint32Array, numbers: Int32Array): NeighbourRows {
  let most = 0;
  for (const v of nodes) most += all.offsets[v + 1] - all.offsets[v];
  const offsets = new Uint32Array(nodes.length + 1);
  const neighbours = new Int32Array(most);
  const relations = new Uint16Array(most);
  let length = 0;
  nodes.forEach((v, i) => {
    for (let e = all.offsets[v]; e < all.offsets[v + 1]; e++) {
      if (numbers[all.neighbours[e]] < 0) continue;
      neighbours[length] = numbers[all.neighbours[e]];
      relations[length++] = all.relations[e];
    }
    offsets[i + 1] = length;
  });
  return { offsets, neighbours: neighbours.subarray(0, length), relations: relations.subarray(0, length) };
}

/** The pairs of targets: their neighbours are in the field, one hop away. */
function pickPairs(all: RelationNeighbours, targets: Uint8Array, numbers: Int32Array): RelationNeighbours {
  const isTarget = (v: number) => numbers[v] >= 0 && targets[numbers[v]] === 1;
  const nodeOffsets = new Uint32Array(all.relationCount + 1);
  let pairs = 0;
  let entries = 0;
  for (let r = 0; r < all.relationCount; r++) {
    for (let pair = all.nodeOffsets[r]; pair < all.nodeOffsets[r + 1]; pair++) {
      if (!isTarget(all.nodes[pair])) continue;
      pairs++;
      entries += all.offsets[pair + 1] - all.offsets[pair];
    }
    nodeOffsets[r + 1] = pairs;
  }
  const nodes = new Int32Array(pairs);
  const offsets = new Uint32Array(pairs + 1);
  const neighbours = new Int32Array(entries);
  let at = 0;
  let length = 0;
  for (let pair = 0; pair < all.nodes.length; pair++) {
    if (!isTarget(all.nodes[pair])) continue;
    nodes[at] = numbers[all.nodes[pair]];
    for (let e = all.offsets[pair]; e < all.offsets[pair + 1]; e++) {
      neighbours[length++] = numbers[all.neighbours[e]];
    }
    offsets[++at] = length;
  }
  return { relationCount: all.relationCount, nodeOffsets, nodes, offsets, neighbours };
}
