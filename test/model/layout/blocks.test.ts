import { describe, expect, it } from 'vitest';
import { openDevice } from '../../../src/compute/open-device.js';
import { MODEL_DEFAULTS, type ModelConfig } from '../../../src/model/config.js';
import { cutBlock, planBlocks } from '../../../src/model/layout/blocks.js';
import { Model } from '../../../src/model/model.js';
import type { ModelGraph } from '../../../src/model/model-input.js';
import { pathGraph, randomGraph, randomMask } from '../random-graph.js';
import { divideEvenly } from './divide-evenly.js';

const [RELATIONS, FEATURES] = [3, 12];

function configure(changes: Partial<ModelConfig>): ModelConfig {
  return { ...MODEL_DEFAULTS, relations: RELATIONS, features: FEATURES, hidden: 8, heads: 2, ...changes };
}

function expectClose(found: ArrayLike<number>, wanted: ArrayLike<number>, what: string): void {
  const numbers = Array.from(wanted).filter((value) => !Number.isNaN(value));
  const largest = numbers.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
  for (let i = 0; i < wanted.length; i++) {
    if (Number.isNaN(wanted[i])) expect(found[i], what).toBeNaN();
    else if (!(Math.abs(found[i] - wanted[i]) <= 1e-12 * largest)) {
      expect([what, i, found[i]]).toEqual([what, i, wanted[i]]);
    }
  }
  expect(found).toHaveLength(wanted.length);
}

describe('a graph in blocks gives the same results as the whole graph', () => {
  const graphs: Record<string, ModelGraph> = {
    'a path': pathGraph(60),
    'a graph with hubs and isolated nodes': randomGraph({
      nodes: 50,
      edges: 60,
      relations: RELATIONS,
      features: FEATURES,
      hub: 0.3,
    }),
  };
  for (const [name, graph] of Object.entries(graphs)) {
    for (const changes of [{}, { balanced: false }, { encoder: 'rgat' as const }, { layers: 3 }]) {
      it(`${name}, ${JSON.stringify(changes)}`, async () => {
        const device = await openDevice({ kind: 'reference' });
        const config = configure(changes);
        const mask = randomMask(graph.nodeCount, 0.5);
        const whole = Model.create(device, config, 3);
        for (const blocks of [2, 7]) {
          const plan = divideEvenly(graph, config.layers, blocks);
          const blockwise = Model.create(device, config, 3, new Map([[graph, plan]]));
          const [one, two] = [whole.gradients(graph, mask), blockwise.gradients(graph, mask)];
          expectClose([two.result.loss], [one.result.loss], 'loss');
          expectClose(two.result.losses, one.result.losses, 'losses');
          expect(two.result.counts).toEqual(one.result.counts);
          for (const [parameter, values] of one.gradient) {
            expectClose(two.gradient.get(parameter) ?? [], values, parameter);
          }
          expectClose([blockwise.evaluate(graph, mask).loss], [one.result.loss], 'evaluated loss');
          const [errors, wanted] = [blockwise.errors(graph, mask), whole.errors(graph, mask)];
          expect([errors.offsets, errors.nodes]).toEqual([wanted.offsets, wanted.nodes]);
          expectClose(errors.errors, wanted.errors, 'errors');
          const groups = Uint8Array.from({ length: graph.nodeCount }, (_, v) => v % 3);
          const [some, all] = [blockwise, whole].map((model) => model.roundErrors(graph, groups, 3));
          expectClose(some.errors, all.errors, 'errors of rounds');
          expectClose(blockwise.encode(graph), whole.encode(graph), 'embeddings');
        }
      });
    }
  }

  it('with steps of Adam on the WASM device', async () => {
    const device = await openDevice();
    const graph = pathGraph(400);
    const config = configure({ hidden: 64, heads: 4 });
    const plan = divideEvenly(graph, config.layers, 5);
    const [one, two] = [new Map(), new Map([[graph, plan]])].map((blocks) =>
      Model.create(device, config, 3, blocks),
    );
    for (let step = 0; step < 5; step++) {
      const mask = randomMask(400, 0.5, step);
      expect(two.step(graph, mask).loss / one.step(graph, mask).loss).toBeCloseTo(1, 5);
    }
  });
});

describe('blocks', () => {
  const pairsOf = (targets: Uint32Array) => ({ pairs: targets.length, maskedPairs: targets.length });

  it('contain every target once, and only nodes near their targets', () => {
    const graph = pathGraph(300);
    const plan = divideEvenly(graph, 2, 6);
    const seen = new Uint8Array(300);
    for (let block = 0; block + 1 < plan.bounds.length; block++) {
      const { nodes, targets, graph: part } = cutBlock(graph, plan, block);
      expect(part.nodeCount).toBe(nodes.length);
      expect(nodes.length).toBeLessThan(300 / 6 + 40);
      nodes.forEach((v, i) => {
        seen[v] += targets[i];
      });
    }
    expect(seen.every((times) => times === 1)).toBe(true);
  });

  it('are the fewest that fit', () => {
    const graph = pathGraph(300);
    const limit = 120;
    const plan = planBlocks(graph, 2, pairsOf, ({ nodes }) => nodes <= limit);
    expect(plan).toBeDefined();
    const blocks = (plan?.bounds.length ?? 0) - 1;
    const sizes = Array.from({ length: blocks }, (_, block) => cutBlock(graph, plan!, block).nodes.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(limit);
    const fewer = divideEvenly(graph, 2, blocks - 1);
    const larger = Array.from(
      { length: blocks - 1 },
      (_, block) => cutBlock(graph, fewer, block).nodes.length,
    );
    expect(Math.max(...larger)).toBeGreaterThan(limit);
  });

  it('do not help if a hub connects everything', () => {
    const graph = pathGraph(300, true);
    expect(planBlocks(graph, 2, pairsOf, ({ nodes }) => nodes < 300)).toBeUndefined();
  });
});
