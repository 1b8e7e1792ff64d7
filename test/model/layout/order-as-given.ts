import type { NodeOrder } from '../../../src/model/layout/node-order.js';

/** As they are, each of them counted as connected. */
export function orderAsGiven(count: number): NodeOrder {
  const nodes = Uint32Array.from({ length: count }, (_, v) => v);
  return { nodes, places: nodes, connected: count, hubs: 0, folding: 0, multiplied: count };
}
