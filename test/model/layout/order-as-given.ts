import type { NodeOrder } from '../../../src/model/layout/node-order.js';

/** The nodes in their own order, all counted as connected. */
export function orderAsGiven(count: number): NodeOrder {
  const nodes = Uint32Array.from({ length: count }, (_, v) => v);
  return { nodes, places: nodes, connectedCount: count, hubCount: 0, foldedCount: 0, projectedCount: count };
}
