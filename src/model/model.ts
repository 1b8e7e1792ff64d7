import { RecalError } from '../base/errors.js';
import type { Device, Floats, Words } from '../compute/device.js';
import { AdditiveLayer } from './additive-layer.js';
import type { ModelConfig } from './config.js';
import { type GraphLayout, layOutGraph } from './graph-layout.js';
import type { Layer, LayerInput, LayerSetup, Named } from './layer.js';
import { memoryNeed } from './memory-need.js';
import type { ModelGraph } from './model-input.js';
import {
  joinWeights,
  layOutParameters,
  type ParameterLayout,
  splitWeights,
  startParameters,
  viewParameters,
  type Weight,
} from './parameters.js';
import { BufferPool, type PlacedGraph, type PlacedSlots, placeGraph, placeSlots } from './placed-graph.js';
import { RgatLayer } from './rgat-layer.js';
import { findSlots, type Slots } from './slots.js';

export type { Weight } from './parameters.js';

/** All that a resumed run needs to end with the same weights. */
export interface ModelState {
  readonly weights: readonly Weight[];
  /** Adam's moments, flat in the order of the weights, and the number of steps taken. */
  readonly firstMoment: Float32Array;
  readonly secondMoment: Float32Array;
  readonly steps: number;
}

export interface StepResult {
  /** L of method §5: the sum of the relations' means. */
  readonly loss: number;
  /** Mean ℓ per decoder, NaN where no masked node has such a neighbour. One per relation, or one in all for `w/o BL`. */
  readonly losses: Float64Array;
  /** |M_r| per decoder. */
  readonly counts: Uint32Array;
}

/** e_v^r for masked nodes: those of relation r are `offsets[r]` to `offsets[r + 1]`, nodes ascending. */
export interface RelationErrors {
  readonly offsets: Uint32Array;
  readonly nodes: Int32Array;
  readonly errors: Float32Array;
}

/** The graph that is on the device now. */
interface Residence {
  readonly graph: ModelGraph;
  readonly layout: GraphLayout;
  readonly pool: BufferPool;
  readonly placed: PlacedGraph;
  readonly masked: Words;
  readonly layers: readonly Layer[];
  /** What rounds share. */
  products?: [Floats, Floats];
}

/** Relation-balanced masked graph learning (method §3–5), written once over any device. Calls are synchronous. */
export class Model {
  readonly device: Device;
  readonly config: ModelConfig;
  readonly #layout: ParameterLayout;
  readonly #pool: BufferPool;
  readonly #flat: { weights: Floats; gradient: Floats; firstMoment: Floats; secondMoment: Floats };
  readonly #weights: Named;
  readonly #gradients: Named;
  #steps = 0;
  #residence: Residence | undefined;

  private constructor(device: Device, config: ModelConfig, seed: number) {
    this.device = device;
    this.config = config;
    this.#layout = layOutParameters(config);
    this.#pool = new BufferPool(device);
    const flat = () => this.#pool.floats(this.#layout.length);
    this.#flat = { weights: flat(), gradient: flat(), firstMoment: flat(), secondMoment: flat() };
    device.write(this.#flat.weights, startParameters(this.#layout, seed));
    device.enqueue('fill', { target: this.#flat.firstMoment, value: 0 });
    device.enqueue('fill', { target: this.#flat.secondMoment, value: 0 });
    this.#weights = viewParameters(device, this.#layout, this.#flat.weights);
    this.#gradients = viewParameters(device, this.#layout, this.#flat.gradient);
  }

  static create(device: Device, config: ModelConfig, seed: number): Model {
    return new Model(device, config, seed);
  }

  /** Bytes of device memory that training on a graph takes, parameters included. */
  static memoryNeed(config: ModelConfig, graph: ModelGraph, maskedShare = 1): number {
    return memoryNeed(config, graph, maskedShare);
  }

  /** One step of Adam on one graph; `mask` has one byte per node, 1 where masked. */
  step(graph: ModelGraph, mask: Uint8Array): StepResult {
    const result = this.#learn(graph, mask);
    let scale = 1;
    if (this.config.clip > 0) {
      let square = 0;
      for (const g of this.device.read(this.#flat.gradient)) square += g * g;
      const norm = Math.sqrt(square);
      if (norm > this.config.clip) scale = this.config.clip / norm;
    }
    const { weights: parameters, gradient, firstMoment, secondMoment } = this.#flat;
    const { learningRate, weightDecay } = this.config;
    this.device.enqueue('adam', {
      ...{ parameters, gradient, firstMoment, secondMoment, learningRate, weightDecay, scale },
      step: ++this.#steps,
    });
    this.device.run();
    return result;
  }

  /** The loss without a step. */
  evaluate(graph: ModelGraph, mask: Uint8Array): StepResult {
    const { slots, errors } = this.#reconstruct(graph, mask);
    return summarise(slots, errors);
  }

  /** The loss and the gradient of each parameter, without a step. */
  gradients(
    graph: ModelGraph,
    mask: Uint8Array,
  ): { result: StepResult; gradient: Map<string, Float64Array> } {
    const result = this.#learn(graph, mask);
    const flat = this.device.read(this.#flat.gradient);
    const parts = this.#layout.parameters.map(
      ({ name, offset, length }) =>
        [name, Float64Array.from(flat.subarray(offset, offset + length))] as const,
    );
    return { result, gradient: new Map(parts) };
  }

  /** Final embeddings of unmasked nodes, nodeCount × hidden. */
  encode(graph: ModelGraph): Float32Array {
    const home = this.#settle(graph);
    this.#forward(home, null, false);
    return Float32Array.from(this.device.read(home.layers[home.layers.length - 1].out));
  }

  /** Errors of the nodes of one masked group: one round of batched masked inference (method §6). */
  errors(graph: ModelGraph, mask: Uint8Array): RelationErrors {
    const { slots, errors } = this.#reconstruct(graph, mask);
    return { offsets: slots.offsets, nodes: Int32Array.from(slots.nodes), errors: Float32Array.from(errors) };
  }

  /** All rounds: `groups[v]` < `rounds` is the round that masks v. Errors of all nodes. */
  roundErrors(graph: ModelGraph, groups: Uint8Array, rounds: number): RelationErrors {
    const home = this.#settle(graph);
    const { pairs } = home.layout;
    const errors = new Float32Array(pairs.nodes.length);
    // What the first layer makes of unmasked rows is the same in every round.
    const shared = rounds > 1 ? this.#shareProducts(home) : null;
    for (let round = 0; round < rounds; round++) {
      const mask = groups.map((group) => (group === round ? 1 : 0));
      const found = this.#reconstruct(graph, mask, shared);
      let slot = 0;
      for (let pair = 0; pair < errors.length; pair++) {
        if (mask[pairs.nodes[pair]] === 1) errors[pair] = found.errors[slot++];
      }
    }
    return { offsets: pairs.nodeOffsets, nodes: pairs.nodes, errors };
  }

  weights(): Weight[] {
    return splitWeights(this.#layout, this.device.read(this.#flat.weights));
  }

  load(weights: readonly Weight[]): void {
    this.device.write(this.#flat.weights, joinWeights(this.#layout, weights));
  }

  state(): ModelState {
    return {
      weights: this.weights(),
      firstMoment: Float32Array.from(this.device.read(this.#flat.firstMoment)),
      secondMoment: Float32Array.from(this.device.read(this.#flat.secondMoment)),
      steps: this.#steps,
    };
  }

  restore(state: ModelState): void {
    this.load(state.weights);
    this.device.write(this.#flat.firstMoment, state.firstMoment);
    this.device.write(this.#flat.secondMoment, state.secondMoment);
    this.#steps = state.steps;
  }

  /** Frees what the model holds on its device. */
  close(): void {
    this.#residence?.pool.free();
    this.#residence = undefined;
    this.#pool.free();
  }

  /** Forward and backward: leaves the gradient of L. */
  #learn(graph: ModelGraph, mask: Uint8Array): StepResult {
    const { device, config } = this;
    const { hidden } = config;
    const home = this.#settle(graph);
    device.enqueue('fill', { target: this.#flat.gradient, value: 0 });
    this.#forward(home, mask, true);
    const slots = findSlots(home.layout.pairs, mask);
    const pool = new BufferPool(device);
    const placed = placeSlots(pool, slots, config);
    const dMeans = placed.means; // their gradient takes their place
    const [dw, dBias] = [this.#gradients('decoder.w'), this.#gradients('decoder.bias')];
    this.#decode(home, slots, placed, { dMeans, scale: placed.inverseDegree, dw, dBias });

    // The embeddings are used up: their gradient takes their place.
    let gradient: Floats | null = home.layers[home.layers.length - 1].out;
    const { work, pairs: entries } = home.placed.readers;
    device.enqueue('segmentSum', {
      ...{ hidden, work, entries, slots: placed.ofPair, from: dMeans, scale: null, out: gradient },
    });
    for (let l = home.layers.length - 1; l >= 0 && gradient !== null; l--) {
      gradient = home.layers[l].backward(this.#input(home, l, mask, null), gradient);
    }
    const errors = device.read(placed.errors);
    pool.free();
    return summarise(slots, errors);
  }

  /** Errors of masked nodes, without gradients. */
  #reconstruct(
    graph: ModelGraph,
    mask: Uint8Array,
    base: readonly [Floats, Floats] | null = null,
  ): { slots: Slots; errors: ArrayLike<number> } {
    const home = this.#settle(graph);
    this.#forward(home, mask, false, base);
    const slots = findSlots(home.layout.pairs, mask);
    const pool = new BufferPool(this.device);
    const placed = placeSlots(pool, slots, this.config);
    this.#decode(home, slots, placed, null);
    const errors = this.device.read(placed.errors);
    pool.free();
    return { slots, errors };
  }

  #decode(
    home: Residence,
    slots: Slots,
    placed: PlacedSlots,
    gradient: { dMeans: Floats; scale: Floats; dw: Floats; dBias: Floats } | null,
  ): void {
    const { hidden, exponent } = this.config;
    const { means, nodes, errors, work } = placed;
    this.device.enqueue('segmentSum', {
      ...{ hidden, work, entries: home.placed.pairNeighbours, slots: null },
      ...{ from: home.layers[home.layers.length - 1].out, scale: placed.inverseDegree, out: means },
    });
    this.device.enqueue('cosineLoss', {
      ...{ hidden, exponent, target: home.placed.target, norms: home.placed.norms },
      ...{ offsets: slots.offsets, counts: slots.counts, nodes, means, errors, gradient },
      ...{ w: this.#weights('decoder.w'), bias: this.#weights('decoder.bias') },
    });
  }

  #shareProducts(home: Residence): readonly [Floats, Floats] | null {
    const [first] = home.layers;
    if (first.shareProducts === undefined) return null;
    const length = home.graph.nodeCount * this.config.hidden;
    home.products ??= [home.pool.floats(length), home.pool.floats(length)];
    first.shareProducts(this.#input(home, 0, null, null), home.products);
    return home.products;
  }

  #forward(
    home: Residence,
    mask: Uint8Array | null,
    training: boolean,
    base: readonly [Floats, Floats] | null = null,
  ): void {
    if (mask !== null) this.device.writeWords(home.masked, mask);
    home.layers.forEach((layer, l) => {
      layer.forward(this.#input(home, l, mask, base), training);
    });
  }

  #input(
    home: Residence,
    l: number,
    mask: Uint8Array | null,
    base: readonly [Floats, Floats] | null,
  ): LayerInput {
    if (l > 0) {
      const before = home.layers[l - 1];
      return { h: before.out, restore: () => before.restore() };
    }
    const [token, dToken] = [this.#weights('token'), this.#gradients('token')];
    return { x: home.placed.features, masked: mask === null ? null : home.masked, token, dToken, base };
  }

  /** Brings a graph onto the device, in the place of the one before. */
  #settle(graph: ModelGraph): Residence {
    if (this.#residence?.graph === graph) return this.#residence;
    this.#check(graph);
    const layout = layOutGraph(graph, this.config.balanced);
    this.#residence?.pool.free();
    this.#residence = undefined;
    const pool = new BufferPool(this.device);
    const placed = placeGraph(pool, graph.nodeCount, layout, this.config);
    const layers: Layer[] = [];
    // From the last, because a layer's result goes where the next one has room for it.
    for (let l = this.config.layers - 1; l >= 0; l--) {
      const setup: LayerSetup = {
        config: this.config,
        weights: (name) => this.#weights(`layer${l}.${name}`),
        gradients: (name) => this.#gradients(`layer${l}.${name}`),
        isLast: l + 1 === this.config.layers,
        out: layers[0]?.room ?? null,
      };
      const LayerOf = this.config.encoder === 'rgat' ? RgatLayer : AdditiveLayer;
      layers.unshift(new LayerOf(pool, placed, setup, l === 0));
    }
    const masked = pool.words(new Uint8Array(graph.nodeCount));
    this.#residence = { graph, layout, pool, placed, masked, layers };
    return this.#residence;
  }

  #check(graph: ModelGraph): void {
    const { relations, features } = this.config;
    if (graph.relationCount !== relations || graph.features.cols !== features) {
      throw new RecalError(
        'model-shape',
        `the graph has ${graph.relationCount} relations and ${graph.features.cols} features, the model ${relations} and ${features}`,
        { hint: 'make the graph with the vocabularies of the model' },
      );
    }
  }
}

function summarise({ offsets, counts }: Slots, errors: ArrayLike<number>): StepResult {
  let loss = 0;
  const losses = Float64Array.from(counts, (count, r) => {
    if (count === 0) return Number.NaN;
    let sum = 0;
    for (let slot = offsets[r]; slot < offsets[r + 1]; slot++) sum += errors[slot];
    loss += sum / count;
    return sum / count;
  });
  return { loss, losses, counts };
}
