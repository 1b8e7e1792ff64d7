import { describe, expect, it } from 'vitest';
import { type Device, takesDenseForm } from '../../src/compute/device.js';
import { MODEL_DEFAULTS } from '../../src/model/config.js';
import { layOutGraph } from '../../src/model/layout/cached-layout.js';
import { findMaskedPairs } from '../../src/model/layout/masked-pairs.js';
import type { Model } from '../../src/model/model.js';
import { built } from '../built.js';
import { randomGraph, randomMask } from '../model/random-graph.js';

// Worker threads need built files, so this test imports the engine from dist/.
const { openDevice } = (await import(built('compute/open-device.js'))) as {
  openDevice: (options: object) => Promise<Device>;
};
const engine = (await import(built('model/model.js'))) as { Model: typeof Model };

// With this many dense columns, the loss needs more scratch memory than the kernels queued before it. With this many
// relations, some have few masked nodes and some have many.
const SHAPE = { nodes: 4000, edges: 12_000, relations: 120, features: 80, textColumns: 60, hub: 0.4 };

/** All edges start at one node, which folds its attention. */
const STAR = { ...SHAPE, edges: 6000, hub: 1 };

async function train(encoder: 'additive' | 'rgat', threads: number, portable: boolean) {
  const device = await openDevice({ threads, portable });
  try {
    const config = { ...MODEL_DEFAULTS, encoder, relations: SHAPE.relations, features: SHAPE.features };
    const model = engine.Model.create(device, config, 3);
    const graphs = [SHAPE, STAR].map(randomGraph);
    for (let step = 0; step < 3; step++) {
      for (const graph of graphs) model.step(graph, randomMask(SHAPE.nodes, 0.4, step));
    }
    const groups = Uint8Array.from({ length: SHAPE.nodes }, (_, v) => v % 3);
    const errors = graphs.map((graph) => model.roundErrors(graph, groups, 3).errors);
    const embeddings = graphs.map((graph) => model.encode(graph));
    const weights = model
      .weights()
      .map(({ name, data }) => [name, Buffer.from(data.buffer).toString('base64')]);
    return { threads: device.threads, weights, errors, embeddings };
  } finally {
    await device.close();
  }
}

describe('the same bytes for any number of threads', () => {
  it('in both forms of the loss', () => {
    const { counts } = findMaskedPairs(randomGraph(SHAPE).neighbours, randomMask(SHAPE.nodes, 0.4, 0));
    const isDense = (pairs: number) => takesDenseForm(pairs, { features: SHAPE.features, hidden: 64 });
    expect(counts.filter((pairs) => pairs > 0 && isDense(pairs)).length).toBeGreaterThan(5);
    expect(counts.filter((pairs) => !isDense(pairs)).length).toBeGreaterThan(5);
  });

  it('with and without folded attention', () => {
    const [folded, other] = [STAR, SHAPE].map(
      (shape) => layOutGraph(randomGraph(shape), true).entries.folded,
    );
    expect(folded).toBeDefined();
    expect(other).toBeUndefined();
  });

  for (const [encoder, portable] of [
    ['additive', false],
    ['additive', true],
    ['rgat', false],
  ] as const) {
    it(`${encoder}, portable ${portable}`, async () => {
      const one = await train(encoder, 1, portable);
      for (const threads of [1, 2, 3]) {
        const other = await train(encoder, threads, portable);
        expect(other.threads).toBe(threads);
        expect(other.weights).toEqual(one.weights);
        expect(other.errors).toEqual(one.errors);
        expect(other.embeddings).toEqual(one.embeddings);
      }
      expect(one.errors.flatMap((errors) => [...errors]).every(Number.isFinite)).toBe(true);
    });
  }
});
