import type { BlockPlan } from '../../../src/model/layout/blocks.js';
import { collectUndirected, orderByNearness } from '../../../src/model/layout/node-order.js';
import type { ModelGraph } from '../../../src/model/model-input.js';

/** Divides the nodes of a graph evenly among blocks, whether they fit into memory or not. */
export function divideEvenly(graph: ModelGraph, layers: number, blocks: number): BlockPlan {
  const { nodes: order } = orderByNearness(collectUndirected(graph.adjacency));
  const bounds = Array.from({ length: blocks + 1 }, (_, i) => Math.round((i * order.length) / blocks));
  return { order, bounds, hops: layers + 1 };
}
