import { expect, it } from 'vitest';
import { randomGraph, randomMask } from '../model/random-graph.js';
import { expectEqual } from './compare-kernels.js';

it('attention, means and loss equal the reference on a hub with 100,000 neighbours', () => {
  const graph = randomGraph({ nodes: 108_001, edges: 290_000, hub: 1, relations: 2, features: 4 });
  const degree = graph.neighbours.offsets.slice(1).reduce((most, end, pair) => {
    return Math.max(most, end - graph.neighbours.offsets[pair]);
  }, 0);
  expect(degree).toBeGreaterThan(100_000);
  const mask = randomMask(graph.nodeCount, 0.02);
  mask[0] = 1;
  expectEqual(graph, mask, ['attention', 'segment means and cosine loss']);
}, 60_000);
