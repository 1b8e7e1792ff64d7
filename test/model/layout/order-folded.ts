import { countReaders, putHubsFirst } from '../../../src/model/layout/hubs.js';
import { joinNodes, type NodeOrder, orderByNearness } from '../../../src/model/layout/node-order.js';
import type { ModelGraph } from '../../../src/model/model-input.js';

/** Of all choices of hubs the one that leaves the fewest nodes with a z, whether or not that pays. */
export function orderFolded(graph: ModelGraph): NodeOrder {
  const joined = joinNodes(graph.adjacency);
  const readers = countReaders(graph.neighbours, graph.nodeCount);
  const near = orderByNearness(joined);
  const orders = Array.from({ length: 18 }, (_, bits) =>
    putHubsFirst(near, readers, { hubsFrom: Infinity, foldsFrom: 2 ** bits }, joined),
  );
  return orders.reduce((best, order) => (order.multiplied < best.multiplied ? order : best));
}
