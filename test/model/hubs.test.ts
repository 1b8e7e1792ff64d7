import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOutGraph } from '../../src/model/graph-layout.js';
import { countReaders, fewestReaders, putHubsFirst, putHubsLast } from '../../src/model/hubs.js';
import { joinNodes, orderByNearness } from '../../src/model/node-order.js';
import { randomGraph } from './random-graph.js';

const shapes = fc.record({
  nodes: fc.integer({ min: 1, max: 60 }),
  edges: fc.integer({ min: 0, max: 200 }),
  seed: fc.integer({ min: 1, max: 1e6 }),
  hub: fc.constantFrom(0, 0.5),
});

function make(shape: { nodes: number; edges: number; seed: number; hub: number }) {
  const graph = randomGraph({ ...shape, relations: 3, features: 4 });
  const readers = countReaders(graph.neighbours, graph.nodeCount);
  return { graph, pairs: graph.neighbours, readers };
}

describe('hubs', () => {
  it('are chosen for the fewest products and gathers', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const { pairs, readers } = make(shape);
        const costOf = (fewest: number) => {
          let cost = readers.filter((count) => count > 0 && count >= fewest).length;
          pairs.nodes.forEach((_, pair) => {
            const read = pairs.neighbours.subarray(pairs.offsets[pair], pairs.offsets[pair + 1]);
            const others = read.filter((u) => readers[u] < fewest).length;
            cost += 0.5 * (Number(others > 0) + others / 10);
          });
          return cost;
        };
        const all = Array.from({ length: 12 }, (_, bits) => costOf(2 ** bits));
        expect(costOf(fewestReaders(pairs, readers))).toBeCloseTo(Math.min(...all), 9);
      }),
    );
  });

  it('stand before all other nodes, and behind all others in every pair', () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 1, max: 6 }), (shape, fewest) => {
        const { graph, pairs, readers } = make(shape);
        const near = orderByNearness(joinNodes(graph.adjacency));
        const order = putHubsFirst(near, readers, fewest);
        expect([...order.nodes].sort((a, b) => a - b)).toEqual([...Array(graph.nodeCount).keys()]);
        order.nodes.forEach((v, place) => {
          expect(order.places[v]).toBe(place);
          expect(readers[v] >= fewest).toBe(place < order.hubs);
        });
        // Otherwise they stay in their order.
        for (const part of [order.nodes.slice(0, order.hubs), order.nodes.slice(order.hubs)]) {
          const places = [...part].map((v) => near.places[v]);
          expect(places).toEqual([...places].sort((a, b) => a - b));
        }
        const renamed = { ...pairs, neighbours: pairs.neighbours.map((u) => order.places[u]) };
        const before = renamed.neighbours.slice();
        const hubStarts = putHubsLast(renamed, order.hubs);
        hubStarts.forEach((hubs, pair) => {
          const [start, end] = [pairs.offsets[pair], pairs.offsets[pair + 1]];
          const isHub = (u: number) => u < order.hubs;
          const those = [...before.subarray(start, end)];
          expect([...renamed.neighbours.subarray(start, hubs)]).toEqual(those.filter((u) => !isHub(u)));
          expect([...renamed.neighbours.subarray(hubs, end)]).toEqual(those.filter(isHub));
        });
      }),
    );
  });

  it('are the centre of a star, and nobody where all are much alike', () => {
    const hubsOf = (hub: number) => {
      const graph = randomGraph({ nodes: 300, edges: 400, relations: 1, features: 4, hub });
      return layOutGraph(graph, true).order.hubs;
    };
    expect(hubsOf(1)).toBe(1);
    expect(hubsOf(0)).toBe(0);
  });
});
