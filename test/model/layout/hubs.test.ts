import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOutEntries, layOutGraph } from '../../../src/model/layout/graph-layout.js';
import { chooseHubs, countReaders, putHubsFirst, putHubsLast } from '../../../src/model/layout/hubs.js';
import { joinNodes, type NodeOrder, orderByNearness } from '../../../src/model/layout/node-order.js';
import type { ModelGraph } from '../../../src/model/model-input.js';
import { randomGraph } from '../random-graph.js';

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

/** As in hubs.ts: gathers, entries of hubs that fold, and rows beside them that take as long as a row's products. */
const [GATHERS, ENTRIES, ROWS] = [6, 9, 12];

/** Where some fold, entries from and to them come first in each row, and within either part entries go by relation. */
function checkEntries(graph: ModelGraph, order: NodeOrder): void {
  const { offsets, neighbours, relations, folded } = layOutEntries(graph, order);
  expect(folded === undefined).toBe(order.folding === 0);
  for (let v = 0; v < graph.nodeCount; v++) {
    const [start, end] = [offsets[v], offsets[v + 1]];
    const middle = folded?.foldedEnds[v] ?? start;
    for (let e = start; e < end; e++) {
      if (folded !== undefined) expect(neighbours[e] < order.folding).toBe(e < middle);
      if (e > start && e !== middle) expect(relations[e]).toBeGreaterThanOrEqual(relations[e - 1]);
    }
    if (folded === undefined || v >= order.connected) continue;
    // Who has no z is attended to by hubs only.
    if (v >= order.multiplied) expect(middle).toBe(end);
    const { segments } = v < order.folding ? folded.workOfFolding : folded.workOfOthers;
    const at = 4 * (v < order.folding ? v : v - order.folding);
    expect([...segments.subarray(at, at + 3)]).toEqual([v, start, end]);
  }
}

describe('hubs', () => {
  it('are chosen for the fewest products and gathers', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const { graph, pairs, readers, joined } = make(shape);
        const costOf = (fewest: number) => {
          let cost = readers.filter((count) => count > 0 && count >= fewest).length;
          pairs.nodes.forEach((_, pair) => {
            const read = pairs.neighbours.subarray(pairs.offsets[pair], pairs.offsets[pair + 1]);
            const others = read.filter((u) => readers[u] < fewest).length;
            cost += 0.5 * (Number(others > 0) + others / GATHERS);
          });
          return cost;
        };
        const all = Array.from({ length: 12 }, (_, bits) => costOf(2 ** bits));
        const { hubsFrom } = chooseHubs(pairs, readers, joined, graph.relationCount);
        expect(costOf(hubsFrom)).toBeCloseTo(Math.min(...all), 9);
      }),
    );
  });

  it('fold where that saves products and no more memory is needed', () => {
    let folding = 0;
    fc.assert(
      fc.property(shapes, (shape) => {
        const { graph, pairs, readers, joined } = make(shape);
        const neighboursOf = (v: number) =>
          joined.neighbours.subarray(joined.offsets[v], joined.offsets[v + 1]);
        const nodes = [...Array(graph.nodeCount).keys()].filter((v) => neighboursOf(v).length > 0);
        const { hubsFrom, foldsFrom } = chooseHubs(pairs, readers, joined, graph.relationCount);
        const isNoHub = (v: number) => readers[v] < hubsFrom;
        const savedFrom = (fewest: number) => {
          const folds = (v: number) => readers[v] >= fewest;
          const those = nodes.filter(folds);
          const spared = nodes.filter((v) => isNoHub(v) && !folds(v) && neighboursOf(v).every(folds)).length;
          const entries = those.reduce((sum, v) => sum + neighboursOf(v).length, 0);
          // Rows: four sums, eight numbers of float64 a relation and direction, dz beside z.
          const more = those.length * (4 + (2 * 4 * 4 * 8) / 256) + nodes.length - spared;
          return more <= spared ? spared - those.length - entries / ENTRIES - nodes.length / ROWS : 0;
        };
        const all = Array.from({ length: 12 }, (_, bits) => savedFrom(2 ** bits));
        const most = Math.max(0, ...all);
        expect(foldsFrom === Infinity ? 0 : savedFrom(foldsFrom)).toBeCloseTo(most, 9);
        if (foldsFrom !== Infinity) folding++;
      }),
      { numRuns: 300 },
    );
    expect(folding).toBeGreaterThan(10);
  });

  it('stand before all other nodes, those whose neighbours all fold last, and behind all others in every pair', () => {
    const from = fc.constantFrom(1, 2, 3, 4, 5, 6, Infinity);
    fc.assert(
      fc.property(shapes, from, from, (shape, hubsFrom, foldsFrom) => {
        const { graph, pairs, readers, joined } = make(shape);
        const near = orderByNearness(joined);
        const order = putHubsFirst(near, readers, { hubsFrom, foldsFrom }, joined);
        const { hubs, folding, multiplied, connected } = order;
        expect([...order.nodes].sort((a, b) => a - b)).toEqual([...Array(graph.nodeCount).keys()]);
        order.nodes.forEach((v, place) => {
          expect(order.places[v]).toBe(place);
          expect(readers[v] >= hubsFrom).toBe(place < hubs);
          expect(readers[v] >= foldsFrom).toBe(place < folding);
          if (place < hubs || place < folding || place >= connected) return;
          const others = joined.neighbours.subarray(joined.offsets[v], joined.offsets[v + 1]);
          const isMultiplied = foldsFrom === Infinity || others.some((u) => readers[u] < foldsFrom);
          expect(isMultiplied).toBe(place < multiplied);
        });
        expect(connected).toBe(near.connected);
        // Otherwise they stay in their order.
        for (const part of [
          order.nodes.slice(0, Math.min(hubs, folding)),
          order.nodes.slice(Math.min(hubs, folding), Math.max(hubs, folding)),
          order.nodes.slice(Math.max(hubs, folding), multiplied),
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
