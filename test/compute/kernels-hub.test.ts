import { expect, it } from 'vitest';
import { orderFolded } from '../model/layout/order-folded.js';
import { randomGraph, randomMask, repeatFeatures, treeGraph } from '../model/random-graph.js';
import { expectEqual } from './compare-kernels.js';

it('attention, means and loss equal the reference for a hub with 100,000 neighbours', () => {
  const graph = randomGraph({ nodes: 108_001, edges: 290_000, hub: 1, relations: 2, features: 66 });
  const degree = graph.neighbours.offsets.slice(1).reduce((most, end, pair) => {
    return Math.max(most, end - graph.neighbours.offsets[pair]);
  }, 0);
  expect(degree).toBeGreaterThan(100_000);
  expect(orderFolded(graph).foldedCount).toBe(1);
  const mask = randomMask(graph.nodeCount, 0.02);
  mask[0] = 1;
  expectEqual(graph, mask, ['attention', 'attention, folded', 'segment means and cosine loss']);
});

it('attention equals the reference for a hub with equal neighbours, and for a hub with one relation', () => {
  const alike = randomGraph({ nodes: 40_001, edges: 110_000, hub: 0.9, relations: 4, features: 4 });
  expectEqual(alike, randomMask(alike.nodeCount, 0), ['attention among equal nodes']);
  const star = randomGraph({ nodes: 20_001, edges: 60_000, hub: 1, relations: 1, features: 4 });
  expect(orderFolded(star).foldedCount).toBe(1);
  expectEqual(star, randomMask(star.nodeCount, 0), [
    'attention with larger logits',
    'attention over relations',
    'attention over relations with larger logits',
    'attention among equal nodes',
    'attention, folded, with larger logits',
    'attention, folded, among equal nodes',
  ]);
});

it('sums over many equal rows equal the reference', () => {
  const names = [
    'sparse linear of equal rows',
    'linear of equal rows',
    'products per head of equal rows',
    'cosine loss of equal rows',
  ];
  // Gram form and dense form; columns that all rows fill, and columns that a third of the rows fills. In the last case
  // a chunk of the dense form has more than one section.
  for (const [features, kinds, nodes] of [
    [66, 1, 30_000],
    [66, 3, 30_000],
    [30, 3, 70_001],
  ]) {
    const graph = randomGraph({ nodes, edges: 90_000, hub: 0.9, relations: 1, features });
    const alike = repeatFeatures(graph, kinds);
    expectEqual(alike, randomMask(alike.nodeCount, 0.5), names);
  }
});

it('folded attention equals the reference for a node with more than a thousand folded neighbours', () => {
  const graph = treeGraph(1300);
  const { foldedCount, projectedCount, connectedCount } = orderFolded(graph);
  expect([foldedCount, projectedCount, connectedCount]).toEqual([1301, 1301, graph.nodeCount]);
  const names = ['attention, folded', 'attention, folded, among equal nodes'];
  expectEqual(graph, randomMask(graph.nodeCount, 0.1), names);
});
