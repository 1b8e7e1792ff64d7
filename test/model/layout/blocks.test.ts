import { describe, expect, it } from 'vitest';
import { openDevice } from '../../../src/compute/open-device.js';
import { MODEL_DEFAULTS, type ModelConfig } from '../../../src/model/config.js';
import { cutBlock, divideGraph, planBlocks } from '../../../src/model/layout/blocks.js';
import { Model } from '../../../src/model/model.js';
import type { ModelGraph } from '../../../src/model/model-input.js';
import { randomGraph, randomMask, roadGraph } from '../random-graph.js';

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

describe('a graph in parts is learned as a whole', () => {
  const graphs: Record<string, ModelGraph> = {
    'a road': roadGraph(60),
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
        for (const parts of [2, 7]) {
          const plan = divideGraph(graph, config.layers, parts);
          const inParts = Model.create(device, config, 3, new Map([[graph, plan]]));
          const [one, two] = [whole.gradients(graph, mask), inParts.gradients(graph, mask)];
          expectClose([two.result.loss], [one.result.loss], 'loss');
          expectClose(two.result.losses, one.result.losses, 'losses');
          expect(two.result.counts).toEqual(one.result.counts);
          for (const [parameter, values] of one.gradient) {
            expectClose(two.gradient.get(parameter) ?? [], values, parameter);
          }
          expectClose([inParts.evaluate(graph, mask).loss], [one.result.loss], 'evaluated loss');
          const [errors, wanted] = [inParts.errors(graph, mask), whole.errors(graph, mask)];
          expect([errors.offsets, errors.nodes]).toEqual([wanted.offsets, wanted.nodes]);
          expectClose(errors.errors, wanted.errors, 'errors');
          const groups = Uint8Array.from({ length: graph.nodeCount }, (_, v) => v % 3);
          const [some, all] = [inParts, whole].map((model) => model.roundErrors(graph, groups, 3));
          expectClose(some.errors, all.errors, 'errors of rounds');
          expectClose(inParts.encode(graph), whole.encode(graph), 'embeddings');
        }
      });
    }
  }

  it('with steps of Adam, on the fast device', async () => {
    const device = await openDevice();
    const graph = roadGraph(400);
    const config = configure({ hidden: 64, heads: 4 });
    const plan = divideGraph(graph, config.layers, 5);
    const [one, two] = [new Map(), new Map([[graph, plan]])].map((blocks) =>
      Model.create(device, config, 3, blocks),
    );
    for (let step = 0; step < 5; step++) {
      const mask = randomMask(400, 0.5, step);
      expect(two.step(graph, mask).loss / one.step(graph, mask).loss).toBeCloseTo(1, 5);
    }
  });
});

describe('parts', () => {
  const slotsOf = (targets: Uint32Array) => ({ pairs: targets.length, slots: targets.length });

  it('hold every target once, and no more than its surroundings', () => {
    const graph = roadGraph(300);
    const plan = divideGraph(graph, 2, 6);
    const seen = new Uint8Array(300);
    for (let part = 0; part + 1 < plan.bounds.length; part++) {
      const { nodes, targets, graph: piece } = cutBlock(graph, plan, part);
      expect(piece.nodeCount).toBe(nodes.length);
      expect(nodes.length).toBeLessThan(300 / 6 + 40);
      nodes.forEach((v, i) => {
        seen[v] += targets[i];
      });
    }
    expect(seen.every((times) => times === 1)).toBe(true);
  });

  it('are the fewest that fit', () => {
    const graph = roadGraph(300);
    const most = 120;
    const plan = planBlocks(graph, 2, slotsOf, ({ nodes }) => nodes <= most);
    expect(plan).toBeDefined();
    const parts = (plan?.bounds.length ?? 0) - 1;
    const sizes = Array.from({ length: parts }, (_, part) => cutBlock(graph, plan!, part).nodes.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(most);
    const fewer = divideGraph(graph, 2, parts - 1);
    const larger = Array.from({ length: parts - 1 }, (_, part) => cutBlock(graph, fewer, part).nodes.length);
    expect(Math.max(...larger)).toBeGreaterThan(most);
  });

  it('do not help where a hub joins everything', () => {
    const graph = roadGraph(300, true);
    expect(planBlocks(graph, 2, slotsOf, ({ nodes }) => nodes < 300)).toBeUndefined();
  });
});
