import type { ModelGraph } from '../model-input.js';
import { mergeRelations } from './decoded-pairs.js';
import { arrangeGraph, type GraphLayout } from './graph-layout.js';
import { chooseCutoffs, countReaders, putHubsFirst } from './hubs.js';
import { collectUndirected, orderByNearness } from './node-order.js';

const layouts = new WeakMap<ModelGraph, { balanced?: GraphLayout; shared?: GraphLayout }>();

/**
 * The layout of a graph in the order that is fastest for the kernels. It is cached as long as the graph exists, because
 * every epoch uses it again. `targets` has one byte per node, 1 for the nodes of the shared decoder; default: all.
 */
export function layOutGraph(graph: ModelGraph, balanced: boolean, targets?: Uint8Array): GraphLayout {
  const known = layouts.get(graph) ?? {};
  layouts.set(graph, known);
  const key = balanced ? 'balanced' : 'shared';
  known[key] ??= arrangeForSpeed(graph, balanced, targets);
  return known[key];
}

function arrangeForSpeed(graph: ModelGraph, balanced: boolean, targets?: Uint8Array): GraphLayout {
  const decoded = balanced ? graph.neighbours : mergeRelations(graph, targets);
  const readers = countReaders(decoded, graph.nodeCount);
  const undirected = collectUndirected(graph.adjacency);
  const cutoffs = chooseCutoffs(decoded, readers, undirected, graph.relationCount);
  const order = putHubsFirst(orderByNearness(undirected), readers, cutoffs, undirected);
  return arrangeGraph(graph, order, decoded);
}
