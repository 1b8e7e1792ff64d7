import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOutGraph } from '../../../src/model/layout/cached-layout.js';
import { layOutEntries } from '../../../src/model/layout/entry-layout.js';
import { chooseCutoffs, countReaders, putHubsFirst, putHubsLast } from '../../../src/model/layout/hubs.js';
import { collectUndirected, type NodeOrder, orderByNearness } from '../../../src/model/layout/node-order.js';
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
  return { graph, pairs: graph.neighbours, readers, undirected: collectUndirected(graph.adjacency) };
}

/** The costs of hubs.ts: gathers, entries of folded rows, and rows, each per product of a row. */
const [GATHERS, ENTRIES, ROWS] = [6, 9, 12];

/** In each row, entries from folded nodes come first, and each of the two parts is sorted by relation. */
function checkEntries(graph: ModelGraph, order: NodeOrder): void {
  const { offsets, neighbours, relations, folded } = layOutEntries(graph, order);
  expect(folded === undefined).toBe(order.foldedCount === 0);
  for (let v = 0; v < graph.nodeCount; v++) {
    const [start, end] = [offsets[v], offsets[v + 1]];
    const middle = folded?.foldedEnds[v] ?? start;
    for (let e = start; e < end; e++) {
      if (folded !== undefined) expect(neighbours[e] < order.foldedCount).toBe(e < middle);
      if (e > start && e !== middle) expect(relations[e]).toBeGreaterThanOrEqual(relations[e - 1]);
    }
    if (folded === undefined || v >= order.connectedCount) continue;
    // Only folded rows attend to a node without a projection.
    if (v >= order.projectedCount) expect(middle).toBe(end);
    const { segments } = v < order.foldedCount ? folded.foldedWork : folded.unfoldedWork;
    const at = 4 * (v < order.foldedCount ? v : v - order.foldedCount);
    expect([...segments.subarray(at, at + 3)]).toEqual([v, start, end]);
  }
}

describe('hubs', () => {
  it('are chosen so that the products and gathers cost least', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const { graph, pairs, readers, undirected } = make(shape);
        const costOf = (cutoff: number) => {
          let cost = readers.filter((count) => count > 0 && count >= cutoff).length;
          pairs.nodes.forEach((_, pair) => {
            const read = pairs.neighbours.subarray(pairs.offsets[pair], pairs.offsets[pair + 1]);
            const others = read.filter((u) => readers[u] < cutoff).length;
            cost += 0.5 * (Number(others > 0) + others / GATHERS);
          });
          return cost;
        };
        const all = Array.from({ length: 12 }, (_, bits) => costOf(2 ** bits));
        const { hub } = chooseCutoffs(pairs, readers, undirected, graph.relationCount);
        expect(costOf(hub)).toBeCloseTo(Math.min(...all), 9);
      }),
    );
  });

  it('fold when that saves products and takes no extra memory', () => {
    let foldedGraphs = 0;
    fc.assert(
      fc.property(shapes, (shape) => {
        const { graph, pairs, readers, undirected } = make(shape);
        const neighboursOf = (v: number) =>
          undirected.neighbours.subarray(undirected.offsets[v], undirected.offsets[v + 1]);
        const nodes = [...Array(graph.nodeCount).keys()].filter((v) => neighboursOf(v).length > 0);
        const { hub, folded } = chooseCutoffs(pairs, readers, undirected, graph.relationCount);
        const isHub = (v: number) => readers[v] >= hub;
        const savingOf = (cutoff: number) => {
          const folds = (v: number) => readers[v] >= cutoff;
          const those = nodes.filter(folds);
          const saved = nodes.filter((v) => !isHub(v) && !folds(v) && neighboursOf(v).every(folds)).length;
          const entries = those.reduce((sum, v) => sum + neighboursOf(v).length, 0);
          // In rows: four sums, four float64 numbers per relation and direction, dz beside z.
          const extraRows = those.length * (4 + (2 * 4 * 4 * 8) / 256) + nodes.length - saved;
          return extraRows <= saved ? saved - those.length - entries / ENTRIES - nodes.length / ROWS : 0;
        };
        const all = Array.from({ length: 12 }, (_, bits) => savingOf(2 ** bits));
        const most = Math.max(0, ...all);
        expect(folded === Infinity ? 0 : savingOf(folded)).toBeCloseTo(most, 9);
        if (folded !== Infinity) foldedGraphs++;
      }),
      { numRuns: 300 },
    );
    expect(foldedGraphs).toBeGreaterThan(10);
  });

  it('come first in the order of nodes and last among the neighbours of a pair', () => {
    const cutoff = fc.constantFrom(1, 2, 3, 4, 5, 6, Infinity);
    fc.assert(
      fc.property(shapes, cutoff, cutoff, (shape, hub, folded) => {
        const { graph, pairs, readers, undirected } = make(shape);
        const near = orderByNearness(undirected);
        const order = putHubsFirst(near, readers, { hub, folded }, undirected);
        const { hubCount, foldedCount, projectedCount, connectedCount } = order;
        expect([...order.nodes].sort((a, b) => a - b)).toEqual([...Array(graph.nodeCount).keys()]);
        order.nodes.forEach((v, place) => {
          expect(order.places[v]).toBe(place);
          expect(readers[v] >= hub).toBe(place < hubCount);
          expect(readers[v] >= folded).toBe(place < foldedCount);
          if (place < hubCount || place < foldedCount || place >= connectedCount) return;
          const others = undirected.neighbours.subarray(undirected.offsets[v], undirected.offsets[v + 1]);
          const isProjected = folded === Infinity || others.some((u) => readers[u] < folded);
          expect(isProjected).toBe(place < projectedCount);
        });
        expect(connectedCount).toBe(near.connectedCount);
        // Within each group the order stays the same.
        for (const part of [
          order.nodes.slice(0, Math.min(hubCount, foldedCount)),
          order.nodes.slice(Math.min(hubCount, foldedCount), Math.max(hubCount, foldedCount)),
          order.nodes.slice(Math.max(hubCount, foldedCount), projectedCount),
          order.nodes.slice(projectedCount, connectedCount),
          order.nodes.slice(connectedCount),
        ]) {
          const places = [...part].map((v) => near.places[v]);
          expect(places).toEqual([...places].sort((a, b) => a - b));
        }
        checkEntries(graph, order);
        const byPlace = { ...pairs, neighbours: pairs.neighbours.map((u) => order.places[u]) };
        const before = byPlace.neighbours.slice();
        const hubStarts = putHubsLast(byPlace, order.hubCount);
        hubStarts.forEach((hubStart, pair) => {
          const [start, end] = [pairs.offsets[pair], pairs.offsets[pair + 1]];
          const isHub = (u: number) => u < order.hubCount;
          const those = [...before.subarray(start, end)];
          expect([...byPlace.neighbours.subarray(start, hubStart)]).toEqual(those.filter((u) => !isHub(u)));
          expect([...byPlace.neighbours.subarray(hubStart, end)]).toEqual(those.filter(isHub));
        });
      }),
    );
  });

  it('are the centre of a star, and no node of a uniform graph', () => {
    const hubsOf = (hub: number) => {
      const graph = randomGraph({ nodes: 300, edges: 400, relations: 1, features: 4, hub });
      return layOutGraph(graph, true).order.hubCount;
    };
    expect(hubsOf(1)).toBe(1);
    expect(hubsOf(0)).toBe(0);
  });
});
