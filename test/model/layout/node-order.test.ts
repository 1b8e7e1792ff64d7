import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOutEntries } from '../../../src/model/layout/entry-layout.js';
import { collectUndirected, orderByNearness } from '../../../src/model/layout/node-order.js';
import { randomGraph } from '../random-graph.js';
import { orderAsGiven } from './order-as-given.js';

describe('the order of nodes', () => {
  it('contains every node once, with isolated nodes last', () => {
    const shapes = fc.record({
      nodes: fc.integer({ min: 1, max: 60 }),
      edges: fc.integer({ min: 0, max: 60 }),
      seed: fc.integer({ min: 1, max: 1e6 }),
    });
    fc.assert(
      fc.property(shapes, (shape) => {
        const graph = randomGraph({ ...shape, relations: 2, features: 4 });
        const { offsets, neighbours } = collectUndirected(graph.adjacency);
        const entries = layOutEntries(graph, orderAsGiven(graph.nodeCount));
        expect(offsets).toEqual(entries.offsets);
        for (let v = 0; v < shape.nodes; v++) {
          const of = (list: Uint32Array) =>
            [...list.subarray(offsets[v], offsets[v + 1])].sort((a, b) => a - b);
          expect(of(neighbours)).toEqual(of(entries.neighbours));
        }
        const { nodes, places, connectedCount } = orderByNearness({ offsets, neighbours });
        expect([...nodes].sort((a, b) => a - b)).toEqual([...Array(shape.nodes).keys()]);
        nodes.forEach((v, place) => {
          expect(places[v]).toBe(place);
          expect(offsets[v + 1] > offsets[v]).toBe(place < connectedCount);
        });
        // Except for the first node of a component, each node has an earlier neighbour, and these ascend.
        const firstBefore = [...nodes.subarray(0, connectedCount)].map((v) =>
          Math.min(...[...neighbours.subarray(offsets[v], offsets[v + 1])].map((u) => places[u])),
        );
        let last = 0;
        firstBefore.forEach((before, place) => {
          if (before > place) return;
          expect(before).toBeGreaterThanOrEqual(last);
          last = before;
        });
      }),
    );
  });
});
