import { afterEach, describe, expect, it, vi } from 'vitest';
import { openDevice } from '../../../src/compute/open-device.js';
import { MODEL_DEFAULTS, type ModelConfig } from '../../../src/model/config.js';
import { layOutGraph } from '../../../src/model/layout/cached-layout.js';
import { chooseCutoffs, type ReaderCutoffs } from '../../../src/model/layout/hubs.js';
import { Model, type Weight } from '../../../src/model/model.js';
import type { ModelGraph } from '../../../src/model/model-input.js';
import { disturb } from '../disturb.js';
import { randomGraph, randomMask } from '../random-graph.js';

const SHAPE = { nodes: 40, edges: 45, relations: 3, features: 9 };
const WIDTH = { hidden: 8, heads: 2 };

vi.mock('../../../src/model/layout/hubs.js', async (original) => {
  const hubs = await original<typeof import('../../../src/model/layout/hubs.js')>();
  return { ...hubs, chooseCutoffs: vi.fn(hubs.chooseCutoffs) };
});

/** Cutoffs that select how the residual of the last layer is computed, and which nodes fold. */
const CUTOFFS = {
  'residual over means': { hub: Infinity, folded: Infinity },
  'residual per node': { hub: 1, folded: Infinity },
  'residual per node for hubs': { hub: 3, folded: Infinity },
  'hubs folded': { hub: 3, folded: 3 },
  'more folded than hubs': { hub: 5, folded: 3 },
  'fewer folded than hubs': { hub: 2, folded: 3 },
} satisfies Record<string, ReaderCutoffs>;

/** A copy of the graph, whose layout will use these cutoffs. */
function withCutoffs(graph: ModelGraph, cutoffs: ReaderCutoffs): ModelGraph {
  vi.mocked(chooseCutoffs).mockReturnValue(cutoffs);
  return { ...graph };
}

afterEach(() => vi.mocked(chooseCutoffs).mockReset());

/** The formulas of method §4 and §5: embeddings of all nodes, and ℓ of each masked pair. */
function evaluateDirectly(
  graph: ModelGraph,
  mask: Uint8Array | null,
  weights: readonly Weight[],
  layers: number,
  encoder: ModelConfig['encoder'] = 'additive',
) {
  const { hidden: H, heads } = WIDTH;
  const F = H / heads;
  const w = (name: string) => weights.find((weight) => weight.name === name)!.data;
  const half = graph.relationCount + 1;
  const rowOf = (v: number) => {
    const row = new Float64Array(graph.features.cols);
    const { offsets, indices, values } = graph.features;
    for (let i = offsets[v]; i < offsets[v + 1]; i++) row[indices[i]] += values[i];
    return row;
  };
  const times = (x: ArrayLike<number>, matrix: ArrayLike<number>) =>
    Float64Array.from({ length: H }, (_, j) =>
      Array.from(x).reduce((sum, value, k) => sum + value * matrix[k * H + j], 0),
    );
  const entries: { from: number; to: number; rho: number }[] = [];
  for (let v = 0; v < graph.nodeCount; v++) {
    for (let e = graph.adjacency.offsets[v]; e < graph.adjacency.offsets[v + 1]; e++) {
      const [u, r] = [graph.adjacency.neighbours[e], graph.adjacency.relations[e]];
      entries.push({ from: u, to: v, rho: r }, { from: v, to: u, rho: r + half });
    }
  }
  let h: Float64Array[] = Array.from({ length: graph.nodeCount }, (_, v) =>
    mask?.[v] === 1 ? Float64Array.from(w('token')) : rowOf(v),
  );
  for (let l = 0; l < layers; l++) {
    const of = (name: string) => w(`layer${l}.${name}`);
    // In `rgat`, every relation has its own W and a, and there is no b and c.
    const relations = encoder === 'rgat' ? 2 * half : 1;
    const ofRho = (name: string, rho: number) => {
      const length = of(name).length / relations;
      return of(name).subarray((rho % relations) * length, ((rho % relations) + 1) * length);
    };
    const z = Array.from({ length: relations }, (_, rho) =>
      h.map((row) => times(row, ofRho(encoder === 'rgat' ? 'wRelation' : 'w', rho))),
    );
    const added = (name: string, i: number) => (encoder === 'rgat' ? 0 : of(name)[i]);
    h = h.map((row, v) => {
      const out = times(row, of('wRes')).map((value, j) => value + of('bias')[j]);
      const into = entries.filter(({ to }) => to === v);
      for (let k = 0; k < heads; k++) {
        const part = (name: string, u: number, rho: number) =>
          z[rho % relations][u]
            .slice(k * F, (k + 1) * F)
            .reduce((sum, value, j) => sum + value * ofRho(name, rho)[k * F + j], 0);
        const logits = into.map(({ from, rho }) => {
          const raw = part('aSource', from, rho) + part('aTarget', v, rho) + added('b', rho * heads + k);
          return Math.exp(raw > 0 ? raw : 0.2 * raw);
        });
        const total = logits.reduce((sum, value) => sum + value, 0);
        into.forEach(({ from, rho }, i) => {
          for (let j = k * F; j < (k + 1) * F; j++) {
            out[j] += (logits[i] / total) * (z[rho % relations][from][j] + added('c', rho * H + j));
          }
        });
      }
      return l + 1 === layers ? out : out.map((value) => (value < 0 ? of('slope')[0] * value : value));
    });
  }
  const errors: number[] = [];
  const { neighbours, nodes, nodeOffsets, offsets } = graph.neighbours;
  for (let r = 0; r < graph.relationCount && mask !== null; r++) {
    for (let pair = nodeOffsets[r]; pair < nodeOffsets[r + 1]; pair++) {
      if (mask[nodes[pair]] === 0) continue;
      const those = Array.from(neighbours.subarray(offsets[pair], offsets[pair + 1]), (u) => h[u]);
      const mean = Float64Array.from(
        { length: H },
        (_, j) => those.reduce((sum, row) => sum + row[j], 0) / those.length,
      );
      const x = rowOf(nodes[pair]);
      const guess = x.map((_, d) =>
        mean.reduce(
          (sum, m, j) => sum + m * w('decoder.w')[(r * x.length + d) * H + j],
          w('decoder.bias')[r * x.length + d],
        ),
      );
      const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i], 0);
      errors.push((1 - dot(x, guess) / Math.sqrt(dot(x, x) * dot(guess, guess))) ** 3);
    }
  }
  return { embeddings: h, errors };
}

describe('the encoder and its decoders equal the formulas', () => {
  const graph = randomGraph(SHAPE);
  const mask = randomMask(SHAPE.nodes, 0.5);

  async function open(layers: number, encoder: ModelConfig['encoder'] = 'additive') {
    const device = await openDevice({ kind: 'reference' });
    const { relations, features } = SHAPE;
    const config: ModelConfig = { ...MODEL_DEFAULTS, ...WIDTH, relations, features, layers, encoder };
    const model = Model.create(device, config, 3);
    model.load(disturb(model.weights()));
    return model;
  }

  it('on a graph with isolated nodes', () => {
    const touched = new Set(graph.neighbours.nodes);
    expect(touched.size).toBeGreaterThan(20);
    expect(touched.size).toBeLessThan(SHAPE.nodes);
    expect(Math.min(...[...Array(SHAPE.nodes).keys()].filter((v) => !touched.has(v)))).toBeLessThan(20);
  });

  it('on a graph where hubs can fold', () => {
    for (const [how, more] of [
      ['hubs folded', 0],
      ['more folded than hubs', 1],
      ['fewer folded than hubs', -1],
    ] as const) {
      const { order, entries } = layOutGraph(withCutoffs(graph, CUTOFFS[how]), true);
      expect(Math.sign(order.foldedCount - order.hubCount)).toBe(more);
      expect(order.foldedCount).toBeGreaterThan(3);
      expect(order.projectedCount).toBeGreaterThan(order.foldedCount);
      expect(order.projectedCount).toBeLessThan(order.connectedCount);
      expect(entries.folded).toBeDefined();
    }
  });

  for (const layers of [1, 2, 3]) {
    for (const [how, cutoffs] of Object.entries(CUTOFFS)) {
      it(`embeddings, depth ${layers}, ${how}`, async () => {
        const model = await open(layers);
        const { embeddings } = evaluateDirectly(graph, null, model.weights(), layers);
        const found = model.encode(withCutoffs(graph, cutoffs));
        embeddings.forEach((row, v) => {
          row.forEach((value, j) => {
            expect(found[v * WIDTH.hidden + j], `node ${v}`).toBeCloseTo(value, 5);
          });
        });
      });
    }

    for (const [how, cutoffs] of Object.entries(CUTOFFS)) {
      it(`errors, depth ${layers}, ${how}`, async () => {
        const model = await open(layers);
        const { errors } = evaluateDirectly(graph, mask, model.weights(), layers);
        const given = withCutoffs(graph, cutoffs);
        const found = model.errors(given, mask);
        expect(found.errors).toHaveLength(errors.length);
        errors.forEach((error, i) => {
          expect(found.errors[i], `pair ${i}`).toBeCloseTo(error, 5);
        });
        expect(chooseCutoffs).toHaveBeenCalledOnce();
        // Several rounds share work.
        const rounds = model.roundErrors(given, mask, 2);
        const [even, odd] = [0, 1].map((round) => {
          const masked = mask.map((byte) => (byte === round ? 1 : 0));
          return { masked, ...evaluateDirectly(graph, masked, model.weights(), layers) };
        });
        for (const { masked, errors: wanted } of [even, odd]) {
          const found = [...rounds.errors].filter((_, pair) => masked[rounds.nodes[pair]] === 1);
          expect(found).toHaveLength(wanted.length);
          wanted.forEach((error, i) => {
            expect(found[i], `pair ${i}`).toBeCloseTo(error, 5);
          });
        }
      });
    }
  }

  for (const layers of [1, 2, 3]) {
    it(`embeddings and errors of rgat, depth ${layers}`, async () => {
      const model = await open(layers, 'rgat');
      const plain = evaluateDirectly(graph, null, model.weights(), layers, 'rgat');
      const found = model.encode(graph);
      plain.embeddings.forEach((row, v) => {
        row.forEach((value, j) => {
          expect(found[v * WIDTH.hidden + j], `node ${v}`).toBeCloseTo(value, 5);
        });
      });
      const { errors } = evaluateDirectly(graph, mask, model.weights(), layers, 'rgat');
      const rounds = model.errors(graph, mask);
      expect(rounds.errors).toHaveLength(errors.length);
      errors.forEach((error, i) => {
        expect(rounds.errors[i], `pair ${i}`).toBeCloseTo(error, 5);
      });
    });
  }

  for (const encoder of ['additive', 'rgat'] as const) {
    it(`gradients do not depend on the cutoffs, ${encoder}`, async () => {
      const device = await openDevice({ kind: 'reference' });
      const { relations, features } = SHAPE;
      const model = Model.create(device, { ...MODEL_DEFAULTS, ...WIDTH, relations, features, encoder }, 3);
      model.load(disturb(model.weights()));
      const [by, ...others] = Object.values(CUTOFFS).map(
        (cutoffs) => model.gradients(withCutoffs(graph, cutoffs), mask).gradient,
      );
      for (const other of others) {
        for (const [name, wanted] of by) {
          const largest = wanted.reduce((most, g) => Math.max(most, Math.abs(g)), 0);
          other.get(name)!.forEach((g, i) => {
            expect(Math.abs(g - wanted[i]), `${name}[${i}]`).toBeLessThanOrEqual(1e-12 * largest);
          });
        }
      }
    });
  }

  for (const [encoder, how] of [
    ['additive', 'residual over means'],
    ['additive', 'hubs folded'],
    ['rgat', 'residual over means'],
    ['rgat', 'hubs folded'],
  ] as const) {
    it(`gradients on the WASM device equal the reference, ${encoder}, ${how}`, async () => {
      const shape = { nodes: 400, edges: 500, relations: 3, features: 80 };
      const graph = withCutoffs(randomGraph(shape), CUTOFFS[how]);
      expect(layOutGraph(graph, true).entries.folded === undefined).toBe(how !== 'hubs folded');
      expect(new Set(graph.neighbours.nodes).size).toBeLessThan(shape.nodes);
      const config = { ...MODEL_DEFAULTS, relations: 3, features: 80, encoder };
      const found = [];
      for (const kind of ['reference', 'wasm'] as const) {
        const model = Model.create(await openDevice({ kind }), config, 3);
        model.load(disturb(model.weights()));
        found.push(model.gradients(graph, randomMask(shape.nodes, 0.3)).gradient);
      }
      for (const [name, wanted] of found[0]) {
        const largest = wanted.reduce((most, g) => Math.max(most, Math.abs(g)), 0);
        found[1].get(name)!.forEach((g, i) => {
          expect(Math.abs(g - wanted[i]), `${name}[${i}]`).toBeLessThanOrEqual(1e-5 * largest);
        });
      }
    });
  }

  it('a graph without edges has embeddings, no errors and no gradients', async () => {
    const lone = randomGraph({ nodes: 7, edges: 0, relations: 2, features: 9 });
    const config = { ...MODEL_DEFAULTS, relations: 2, features: 9 };
    const model = Model.create(await openDevice(), config, 3);
    expect(model.encode(lone).every(Number.isFinite)).toBe(true);
    const { result, gradient } = model.gradients(lone, new Uint8Array(7).fill(1));
    expect(result.loss).toBe(0);
    for (const each of gradient.values()) expect(each.every((g) => g === 0)).toBe(true);
  });
});
