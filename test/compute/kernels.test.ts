import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderFolded } from '../model/layout/order-folded.js';
import { type GraphShape, randomGraph, randomMask } from '../model/random-graph.js';
import { expectEqual } from './compare-kernels.js';
import { CASES } from './kernel-cases.js';

/** To test more shapes: KERNEL_RUNS=20 KERNEL_SEED=1 npx vitest run test/compute/kernels.test.ts --testTimeout 3600000 */
const RUNS = Number(process.env.KERNEL_RUNS ?? 1);
const SEED = Number(process.env.KERNEL_SEED ?? 20);

const SHAPES: Record<string, GraphShape & { masked: number }> = {
  'a single node': { nodes: 1, edges: 0, relations: 1, features: 5, masked: 0 },
  'a single node, masked': { nodes: 1, edges: 0, relations: 2, features: 9, masked: 1 },
  'mostly isolated nodes': { nodes: 300, edges: 20, relations: 3, features: 30, masked: 0.5 },
  'all nodes masked': { nodes: 200, edges: 900, relations: 4, features: 90, masked: 1 },
  'no node masked': { nodes: 200, edges: 900, relations: 4, features: 40, masked: 0 },
  'no dense column': { nodes: 150, edges: 400, relations: 3, features: 80, textColumns: 0, masked: 0.4 },
  'more than one chunk of rows and entries': {
    nodes: 1300,
    edges: 3500,
    relations: 2,
    features: 24,
    masked: 0.9,
  },
};

describe('every kernel equals the reference', () => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    it(name, () => expectEqual(randomGraph(shape), randomMask(shape.nodes, shape.masked)));
  }

  for (const [features, form] of [
    [8, 'dense form'],
    [66, 'Gram form'],
  ] as const) {
    it(`more than one chunk of pairs, ${form}`, () => {
      const graph = randomGraph({ nodes: 4700, edges: 14_000, relations: 1, features });
      const mask = randomMask(4700, 0.95);
      expect(graph.neighbours.nodes.filter((v) => mask[v] === 1).length).toBeGreaterThan(4032);
      expectEqual(graph, mask, ['segment means and cosine loss']);
    });
  }

  it('on random shapes', () => {
    fc.assert(
      fc.property(shapes(400), ({ masked, ...shape }) => {
        expectEqual(randomGraph(shape), randomMask(shape.nodes, masked, shape.seed));
      }),
      { numRuns: 12 * RUNS, seed: SEED },
    );
  });

  // With few nodes and relations, gradients of scores nearly or fully cancel.
  it('attention on many small shapes, most of them folded', () => {
    const names = Object.keys(CASES).filter((name) => name.startsWith('attention'));
    let foldedGraphs = 0;
    fc.assert(
      fc.property(shapes(40), ({ masked, ...shape }) => {
        const graph = randomGraph(shape);
        expectEqual(graph, randomMask(shape.nodes, masked, shape.seed), names);
        if (orderFolded(graph).foldedCount > 0) foldedGraphs++;
      }),
      { numRuns: 150 * RUNS, seed: SEED },
    );
    expect(foldedGraphs).toBeGreaterThan(75 * RUNS);
  });
});

function shapes(mostNodes: number) {
  return fc.record({
    nodes: fc.integer({ min: 1, max: mostNodes }),
    edges: fc.integer({ min: 0, max: 4 * mostNodes }),
    relations: fc.integer({ min: 1, max: 9 }),
    features: fc.integer({ min: 4, max: 130 }), // up to 64: dense form
    textColumns: fc.integer({ min: 0, max: 4 }),
    hub: fc.constantFrom(0, 0.3, 0.9, 1),
    seed: fc.integer({ min: 1, max: 1e6 }),
    masked: fc.constantFrom(0.1, 0.5, 0.9),
  });
}
