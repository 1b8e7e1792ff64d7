import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOutEntries, layOutGraph } from '../../src/model/graph-layout.js';
import { chooseHubs, countReaders, type HubChoice, putHubsFirst, putHubsLast } from '../../src/model/hubs.js';
import type { ModelGraph } from '../../src/model/model-input.js';
import { joinNodes, type NodeOrder, orderByNearness } from '../../src/model/node-order.js';
import { randomGraph } from './random-graph.js';

const shapes = fc.record({
  nodes: fc.integer({ min: 1, max: 60 }),
  edges: fc.integer({ min: 0, max: 200 }),
  seed: fc.integer({ min: 1, max: 1e6 }),
  hub: fc.constantFrom(0, 0.5, 1),
});

function make(shape: { nodes: number; edges: number; seed: number; hub: number }) {
  const graph = randomGraph({ ...shape, relations: 3, features: 4 });
  const readers = countReaders(graph.neighbours, graph.nodeCount);
  return { graph, pairs: graph.neighbours, readers, joined: joinNodes(graph.adjacency) };
}

/** As in hubs.ts: entries and rows that take as long as a row's products. */
const [ENTRIES, ROWS] = [12, 12];

/** Where hubs fold, entries from and to them come first in each row, and within either part entries go by relation. */
function checkEntries(graph: ModelGraph, order: NodeOrder): void {
  const { offsets, neighbours, relations, folded } = layOutEntries(graph, order);
  expect(folded === undefined).toBe(order.multiplied === order.connected);
  for (let v = 0; v < graph.nodeCount; v++) {
    const [start, end] = [offsets[v], offsets[v + 1]];
    const middle = folded?.hubEnds[v] ?? start;
    for (let e = start; e < end; e++) {
      if (folded !== undefined) expect(neighbours[e] < order.hubs).toBe(e < middle);
      if (e > start && e !== middle) expect(relations[e]).toBeGreaterThanOrEqual(relations[e - 1]);
    }
    if (folded === undefined || v >= order.connected) continue;
    // Who has no z is attended to by hubs only.
    if (v >= order.multiplied) expect(middle).toBe(end);
    const { segments } = v < order.hubs ? folded.workOfHubs : folded.workOfOthers;
    const at = 4 * (v < order.hubs ? v : v - order.hubs);
    expect([...segments.subarray(at, at + 3)]).toEqual([v, start, end]);
  }
}

describe('hubs', () => {
  it('are chosen, and fold, for the fewest products and what else takes time', () => {
    let folding = 0;
    fc.assert(
      fc.property(shapes, (shape) => {
        const { graph, pairs, readers, joined } = make(shape);
        const degreeOf = (v: number) => joined.offsets[v + 1] - joined.offsets[v];
        const nodes = [...Array(graph.nodeCount).keys()].filter((v) => degreeOf(v) > 0);
        const costOf = ({ fewest, folds }: HubChoice) => {
          const isHub = (v: number) => readers[v] >= fewest;
          const hubs = nodes.filter(isHub);
          let cost = hubs.length;
          pairs.nodes.forEach((_, pair) => {
            const read = pairs.neighbours.subarray(pairs.offsets[pair], pairs.offsets[pair + 1]);
            const others = read.filter((u) => !isHub(u)).length;
            cost += 0.5 * (Number(others > 0) + others / 10);
          });
          if (!folds) return cost + nodes.length;
          const neighboursOf = (v: number) =>
            joined.neighbours.subarray(joined.offsets[v], joined.offsets[v + 1]);
          const multiplied = nodes.filter((v) => isHub(v) || neighboursOf(v).some((u) => !isHub(u))).length;
          const entries = hubs.reduce((sum, v) => sum + degreeOf(v), 0);
          // Rows of memory: what hubs keep, and dz, in the place of z.
          const fits = hubs.length * (8 + (2 * 4) / 8) + multiplied <= nodes.length - multiplied;
          return fits ? cost + multiplied + hubs.length + entries / ENTRIES + nodes.length / ROWS : Infinity;
        };
        const all = Array.from({ length: 12 }, (_, bits) =>
          [true, false].map((folds) => costOf({ fewest: 2 ** bits, folds })),
        );
        const choice = chooseHubs(pairs, readers, joined, graph.relationCount);
        if (choice.folds) folding++;
        expect(costOf(choice)).toBeCloseTo(Math.min(...all.flat()), 9);
      }),
      { numRuns: 300 },
    );
    expect(folding).toBeGreaterThan(10);
  });

  it('stand before all other nodes, those that none but hubs attend to last, and behind all others in every pair', () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 1, max: 6 }), fc.boolean(), (shape, fewest, folds) => {
        const { graph, pairs, readers, joined } = make(shape);
        const near = orderByNearness(joined);
        const order = putHubsFirst(near, readers, { fewest, folds }, joined);
        const { hubs, multiplied, connected } = order;
        expect([...order.nodes].sort((a, b) => a - b)).toEqual([...Array(graph.nodeCount).keys()]);
        order.nodes.forEach((v, place) => {
          expect(order.places[v]).toBe(place);
          expect(readers[v] >= fewest).toBe(place < hubs);
          if (place < hubs || place >= connected || !folds) return;
          const others = joined.neighbours.subarray(joined.offsets[v], joined.offsets[v + 1]);
          expect(others.some((u) => readers[u] < fewest)).toBe(place < multiplied);
        });
        if (!folds) expect(multiplied).toBe(connected);
        expect(connected).toBe(near.connected);
        // Otherwise they stay in their order.
        for (const part of [
          order.nodes.slice(0, hubs),
          order.nodes.slice(hubs, multiplied),
          order.nodes.slice(multiplied, connected),
          order.nodes.slice(connected),
        ]) {
          const places = [...part].map((v) => near.places[v]);
          expect(places).toEqual([...places].sort((a, b) => a - b));
        }
        checkEntries(graph, order);
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
