import type { SparseMatrix } from '../../features/sparse.js';
import type { NeighbourRows } from '../../graph/adjacency.js';
import type { RelationNeighbours } from '../../graph/relation-neighbours.js';
import type { ModelGraph } from '../model-input.js';
import type { GraphSize } from './memory-need.js';
import { collectUndirected, orderByNearness, type UndirectedNeighbours } from './node-order.js';

/**
 * Divides a graph into blocks that fit into memory. Each block decodes some nodes, its targets. It contains all nodes
 * that their reconstruction depends on: those within layers + 1 hops. So the errors equal those of the whole graph, and
 * the gradients of the blocks add up to the gradient of the whole graph.
 */
export interface BlockPlan {
  /** All nodes. Neighbours are near each other. */
  readonly order: Uint32Array;
  /** The targets of block i are order[bounds[i]] to order[bounds[i + 1]]. */
  readonly bounds: readonly number[];
  readonly hops: number;
}

/** A part of a graph, with its own node numbers. */
export interface Block {
  readonly graph: ModelGraph;
  /** The number of each node in the whole graph, ascending. */
  readonly nodes: Uint32Array;
  /** One byte per node, 1 for targets. `graph.neighbours` has only the pairs of targets. */
  readonly targets: Uint8Array;
}

/** The numbers of blocks to try. If nodes reach the whole graph through a hub, no division makes the blocks smaller. */
const BLOCK_COUNTS = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

const known = new WeakMap<ModelGraph, UndirectedNeighbours>();

/** The result is cached as long as the graph exists. */
function undirectedOf(graph: ModelGraph): UndirectedNeighbours {
  const undirected = known.get(graph) ?? collectUndirected(graph.adjacency);
  known.set(graph, undirected);
  return undirected;
}

/** The division with the fewest blocks that all fit, or undefined if even the smallest blocks do not fit. */
export function planBlocks(
  graph: ModelGraph,
  layers: number,
  pairsOf: (targets: Uint32Array) => Pick<GraphSize, 'pairs' | 'maskedPairs'>,
  fits: (size: GraphSize) => boolean,
): BlockPlan | undefined {
  const undirected = undirectedOf(graph);
  const { nodes: order } = orderByNearness(undirected);
  const hops = layers + 1;
  const plan = (blocks: number): BlockPlan => ({ order, hops, bounds: divide(undirected, order, blocks) });
  const allFit = (candidate: BlockPlan) =>
    candidate.bounds.slice(1).every((_, block) => {
      const targets = targetsOf(candidate, block);
      const { nodes } = findWithinHops(undirected, targets, hops);
      return fits({ ...measure(graph, undirected, nodes), ...pairsOf(targets) });
    });
  // Try the smallest blocks first: if they do not fit, larger ones do not fit either.
  if (!allFit(plan(BLOCK_COUNTS[BLOCK_COUNTS.length - 1]))) return undefined;
  return BLOCK_COUNTS.map(plan).find(allFit);
}

function targetsOf({ order, bounds }: BlockPlan, block: number): Uint32Array {
  return order.subarray(bounds[block], bounds[block + 1]);
}

/** Builds one block. Blocks are not cached: together they would take more memory than the division saves. */
export function cutBlock(graph: ModelGraph, plan: BlockPlan, block: number): Block {
  const chosen = targetsOf(plan, block);
  const { nodes, numbers } = findWithinHops(undirectedOf(graph), chosen, plan.hops);
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

/** Divides the nodes into runs with about equal numbers of nodes and entries. */
function divide({ offsets }: UndirectedNeighbours, order: Uint32Array, blocks: number): number[] {
  const total = order.length + offsets[order.length];
  const bounds = [0];
  let held = 0;
  order.forEach((v, i) => {
    held += 1 + offsets[v + 1] - offsets[v];
    if (held * blocks >= total * bounds.length && bounds.length < blocks) bounds.push(i + 1);
  });
  bounds.push(order.length);
  return bounds.filter((bound, i) => i === 0 || bound > bounds[i - 1]);
}

/** The nodes within some hops of the targets, ascending, and the position of each node among them, or −1. */
function findWithinHops({ offsets, neighbours }: UndirectedNeighbours, targets: Uint32Array, hops: number) {
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

/** The size of a block. It includes entries that lead out of the block. */
function measure(graph: ModelGraph, { offsets }: UndirectedNeighbours, nodes: Uint32Array) {
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
  let limit = 0;
  for (const v of nodes) limit += all.offsets[v + 1] - all.offsets[v];
  const offsets = new Uint32Array(nodes.length + 1);
  const neighbours = new Int32Array(limit);
  const relations = new Uint16Array(limit);
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

/** The pairs of targets. Their neighbours are one hop away, so they are in the block. */
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
