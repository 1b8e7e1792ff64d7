import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDevice } from '../../src/compute/open-device.js';
import type { ModelGraph } from '../../src/model/model-input.js';
import { type GraphShape, randomGraph, randomMask } from '../model/random-graph.js';
import { CASES } from './kernel-cases.js';

const reference = await openDevice({ kind: 'reference' });
const devices = [await openDevice({ portable: true })];
const relaxed = await openDevice();
if (relaxed.build !== 'simd') devices.push(relaxed);

/** Sums over a softmax's gradient, whose terms are near one but cancel, on some graphs to zero. */
const CANCELS = new Set(['db', 'dd', 'daSource', 'daTarget']);

/** Largest difference to the reference, as a share of the largest value. */
function expectEqual(graph: ModelGraph, mask: Uint8Array, names = Object.keys(CASES), among = devices): void {
  for (const name of names) {
    const wanted = Object.entries(CASES[name](reference, graph, mask)).map(
      ([output, buffer]) => [output, reference.read(buffer)] as const,
    );
    for (const device of among) {
      const found = CASES[name](device, graph, mask);
      for (const [output, values] of wanted) {
        let largest = CANCELS.has(output) ? 0.1 : 1e-30;
        for (const value of values) largest = Math.max(largest, Math.abs(value));
        const got = device.read(found[output]);
        let worst = 0;
        // Not Math.max: a NaN must count as the worst.
        for (let i = 0; i < values.length; i++) {
          const difference = Math.abs(got[i] - values[i]);
          if (!(difference <= worst)) worst = difference;
        }
        expect(worst / largest, `${name}: ${output} on ${device.build}`).toBeLessThan(1e-5);
      }
    }
  }
}

const SHAPES: Record<string, GraphShape & { masked: number }> = {
  'a single node': { nodes: 1, edges: 0, relations: 1, features: 5, masked: 0 },
  'a single node, masked': { nodes: 1, edges: 0, relations: 2, features: 9, masked: 1 },
  'mostly isolated nodes': { nodes: 300, edges: 20, relations: 3, features: 30, masked: 0.5 },
  'all nodes masked': { nodes: 200, edges: 900, relations: 4, features: 40, masked: 1 },
  'no node masked': { nodes: 200, edges: 900, relations: 4, features: 40, masked: 0 },
  'no dense column': { nodes: 150, edges: 400, relations: 3, features: 50, textColumns: 0, masked: 0.4 },
  'more than one chunk of everything': { nodes: 3000, edges: 9000, relations: 2, features: 24, masked: 0.9 },
};

describe('every kernel equals the reference', () => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    it(name, () => expectEqual(randomGraph(shape), randomMask(shape.nodes, shape.masked)));
  }

  it('a hub with 100,000 neighbours', () => {
    const graph = randomGraph({ nodes: 120_001, edges: 290_000, hub: 1, relations: 2, features: 4 });
    const degree = graph.neighbours.offsets.slice(1).reduce((most, end, pair) => {
      return Math.max(most, end - graph.neighbours.offsets[pair]);
    }, 0);
    expect(degree).toBeGreaterThan(100_000);
    const mask = randomMask(graph.nodeCount, 0.02);
    mask[0] = 1;
    expectEqual(graph, mask, ['attention', 'segment means and cosine loss'], devices.slice(-1));
  });

  it('on random shapes', () => {
    const shapes = fc.record({
      nodes: fc.integer({ min: 1, max: 400 }),
      edges: fc.integer({ min: 0, max: 1500 }),
      relations: fc.integer({ min: 1, max: 9 }),
      features: fc.integer({ min: 4, max: 70 }),
      textColumns: fc.integer({ min: 0, max: 4 }),
      hub: fc.constantFrom(0, 0.3, 0.9),
      seed: fc.integer({ min: 1, max: 1e6 }),
      masked: fc.constantFrom(0.1, 0.5, 0.9),
    });
    fc.assert(
      fc.property(shapes, ({ masked, ...shape }) => {
        expectEqual(randomGraph(shape), randomMask(shape.nodes, masked, shape.seed));
      }),
      { numRuns: 12 },
    );
  });
});
