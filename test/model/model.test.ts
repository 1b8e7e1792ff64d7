import { describe, expect, it } from 'vitest';
import { openDevice } from '../../src/compute/open-device.js';
import { MODEL_DEFAULTS, type ModelConfig } from '../../src/model/config.js';
import { layOutGraph } from '../../src/model/layout/cached-layout.js';
import { Model } from '../../src/model/model.js';
import { disturb } from './disturb.js';
import { type GraphShape, randomGraph, randomMask } from './random-graph.js';

const TINY: GraphShape = { nodes: 30, edges: 70, relations: 4, features: 11 };

function configure(shape: GraphShape, changes: Partial<ModelConfig> = {}): ModelConfig {
  return { ...MODEL_DEFAULTS, relations: shape.relations, features: shape.features, ...changes };
}

describe('gradients', () => {
  for (const changes of [
    {},
    { balanced: false },
    { layers: 1 },
    { layers: 3 },
    { exponent: 2 },
    { encoder: 'rgat' as const },
  ]) {
    it(`equal central differences in float64 with ${JSON.stringify(changes)}`, async () => {
      const graph = randomGraph(TINY);
      const mask = randomMask(TINY.nodes, 0.5);
      const device = await openDevice({ kind: 'reference' });
      const config = configure(TINY, { hidden: 8, heads: 2, ...changes });
      const model = Model.create(device, config, 7);
      const weights = disturb(model.weights());
      model.load(weights);
      const { gradient } = model.gradients(graph, mask);
      const lossWith = (name: string, i: number, value: number) => {
        const changed = weights.map((w) =>
          w.name === name ? { ...w, data: Float64Array.from(w.data) as unknown as Float32Array } : w,
        );
        changed.find((w) => w.name === name)!.data[i] = value;
        model.load(changed);
        return model.evaluate(graph, mask).loss;
      };
      for (const { name, data } of weights) {
        const found = gradient.get(name)!;
        const largest = found.reduce((most, g) => Math.max(most, Math.abs(g)), 1e-3);
        const every = Math.max(1, Math.floor(data.length / 25));
        for (let i = 0; i < data.length; i += every) {
          const step = 1e-5;
          const difference =
            (lossWith(name, i, data[i] + step) - lossWith(name, i, data[i] - step)) / (2 * step);
          expect(Math.abs(found[i] - difference), `${name}[${i}]`).toBeLessThan(1e-6 * Math.max(1, largest));
        }
      }
    });
  }
});

describe('the model', () => {
  const shape: GraphShape = { nodes: 300, edges: 900, relations: 4, features: 20 };
  const graph = randomGraph(shape);

  it('lowers the loss of each relation in a few steps', async () => {
    const device = await openDevice();
    for (const changes of [{}, { encoder: 'rgat' as const }, { balanced: false }, { clip: 0.5 }]) {
      const model = Model.create(device, configure(shape, { learningRate: 5e-3, ...changes }), 1);
      const mask = randomMask(shape.nodes, 0.3);
      const before = model.evaluate(graph, mask);
      for (let step = 0; step < 30; step++) model.step(graph, randomMask(shape.nodes, 0.3, step));
      const after = model.evaluate(graph, mask);
      expect(before.losses).toHaveLength(changes.balanced === false ? 1 : shape.relations);
      before.losses.forEach((loss, r) => {
        if (before.counts[r] === 0) expect(loss).toBeNaN();
        else expect(after.losses[r], JSON.stringify(changes)).toBeLessThan(loss);
      });
      model.close();
    }
  });

  it('has the same weights after a resume, and others for another seed', async () => {
    const device = await openDevice();
    const masks = Array.from({ length: 6 }, (_, i) => randomMask(shape.nodes, 0.4, i));
    const whole = Model.create(device, configure(shape), 1);
    for (const mask of masks) whole.step(graph, mask);
    const first = Model.create(device, configure(shape), 1);
    for (const mask of masks.slice(0, 3)) first.step(graph, mask);
    const second = Model.create(device, configure(shape), 2);
    expect(second.weights()).not.toEqual(whole.weights());
    second.restore(first.state());
    for (const mask of masks.slice(3)) second.step(graph, mask);
    expect(second.weights()).toEqual(whole.weights());
  });

  it('gives each pair the error of the round that masks its node', async () => {
    for (const [kind, over] of [
      ...[{}, { layers: 1 }, { layers: 3 }, { encoder: 'rgat' as const }].map(
        (over) => ['wasm', over] as const,
      ),
      ...[{}, { layers: 1 }].map((over) => ['reference', over] as const),
    ]) {
      const small = kind === 'reference' ? randomGraph(TINY) : graph;
      const device = await openDevice({ kind });
      const config = configure(kind === 'reference' ? TINY : shape, over);
      const model = Model.create(device, config, 1);
      const groups = Uint8Array.from({ length: small.nodeCount }, (_, v) => (v * 7) % 3);
      const all = model.roundErrors(small, groups, 3);
      expect(all.nodes).toEqual(small.neighbours.nodes);
      for (let round = 0; round < 3; round++) {
        const mask = groups.map((group) => (group === round ? 1 : 0));
        const one = model.errors(small, mask);
        const wanted = [...all.errors].filter((_, pair) => mask[all.nodes[pair]] === 1);
        expect([...one.errors]).toEqual(wanted);
      }
      model.encode(small);
      expect(model.roundErrors(small, groups, 3)).toEqual(all);
    }
  });

  it('needs no more memory than predicted, and frees it', async () => {
    const device = await openDevice();
    for (const [encoder, hub] of [
      ['additive', 0],
      ['additive', 1], // a hub that folds its attention
      ['rgat', 0],
    ] as const) {
      const before = device.used;
      const large = { ...shape, nodes: 20_000, edges: 60_000, hub };
      const config = configure(large, { encoder });
      const model = Model.create(device, config, 1);
      const largeGraph = randomGraph(large);
      expect(layOutGraph(largeGraph, true).entries.folded !== undefined).toBe(hub === 1);
      let peak = 0;
      const enqueue = device.enqueue.bind(device);
      device.enqueue = (kernel, args) => {
        enqueue(kernel, args);
        peak = Math.max(peak, device.used);
      };
      model.step(largeGraph, new Uint8Array(large.nodes).fill(1));
      const groups = Uint8Array.from({ length: large.nodes }, (_, v) => v % 2);
      model.roundErrors(largeGraph, groups, 2);
      device.enqueue = enqueue;
      const need = Model.memoryNeed(config, largeGraph);
      expect(peak).toBeLessThan(need);
      expect(peak).toBeGreaterThan(0.4 * need); // the prediction must not be arbitrarily high
      model.close();
      expect(device.used - before).toBeLessThan(16 * 2 ** 20); // the device keeps scratch memory
    }
  });

  it('refuses a graph of another shape and weights of another model', async () => {
    const device = await openDevice();
    const model = Model.create(device, configure(shape), 1);
    const refusal = expect.objectContaining({ code: 'model-shape' });
    expect(() => model.encode(randomGraph(TINY))).toThrow(refusal);
    expect(() => model.load(Model.create(device, configure(TINY), 1).weights())).toThrow(refusal);
  });
});
