import { countReaders, putHubsFirst } from '../../../src/model/layout/hubs.js';
import { collectUndirected, type NodeOrder, orderByNearness } from '../../../src/model/layout/node-order.js';
import type { ModelGraph } from '../../../src/model/model-input.js';

/** The order with the fewest projected nodes, whether folding saves time or not. */
export function orderFolded(graph: ModelGraph): NodeOrder {
  const undirected = collectUndirected(graph.adjacency);
  const readers = countReaders(graph.neighbours, graph.nodeCount);
  const near = orderByNearness(undirected);
  const orders = Array.from({ length: 18 }, (_, bits) =>
    putHubsFirst(near, readers, { hub: Infinity, folded: 2 ** bits }, undirected),
  );
  return orders.reduce((best, order) => (order.projectedCount < best.projectedCount ? order : best));
}
