import type { Device, Floats } from '../compute/device.js';
import type { ModelConfig } from './config.js';
import { GraphPass, type Part } from './encoder/graph-pass.js';
import { type BlockPlan, cutBlock } from './layout/blocks.js';
import { type DecodedPairs, decodedPairs } from './layout/graph-layout.js';
import { memoryNeed, sizeOf } from './layout/memory-need.js';
import { BufferPool } from './layout/placed-graph.js';
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

/** A part of a graph with the whole graph's numbers for its nodes, where they are others. */
interface NumberedPart extends Part {
  readonly nodes?: Uint32Array;
}

/** Relation-balanced masked graph learning (method §3–5), written once over any device. Calls are synchronous. */
export class Model {
  readonly device: Device;
  readonly config: ModelConfig;
  readonly #layout: ParameterLayout;
  readonly #pool: BufferPool;
  readonly #flat: { weights: Floats; gradient: Floats; firstMoment: Floats; secondMoment: Floats };
  readonly #pass: GraphPass;
  readonly #blocks: ReadonlyMap<ModelGraph, BlockPlan>;
  /** The gradient over all parts of a graph. */
  #total: Floats | undefined;
  #steps = 0;

  private constructor(
    device: Device,
    config: ModelConfig,
    seed: number,
    blocks: ReadonlyMap<ModelGraph, BlockPlan>,
  ) {
    this.device = device;
    this.config = config;
    this.#blocks = blocks;
    this.#layout = layOutParameters(config);
    this.#pool = new BufferPool(device);
    const flat = () => this.#pool.floats(this.#layout.length);
    this.#flat = { weights: flat(), gradient: flat(), firstMoment: flat(), secondMoment: flat() };
    device.write(this.#flat.weights, startParameters(this.#layout, seed));
    device.enqueue('fill', { target: this.#flat.firstMoment, value: 0 });
    device.enqueue('fill', { target: this.#flat.secondMoment, value: 0 });
    const weights = viewParameters(device, this.#layout, this.#flat.weights);
    const gradients = viewParameters(device, this.#layout, this.#flat.gradient);
    this.#pass = new GraphPass(device, config, weights, gradients);
  }

  /** Graphs named in `blocks` are taken in parts: the same results but for rounding, in less memory. */
  static create(
    device: Device,
    config: ModelConfig,
    seed: number,
    blocks: ReadonlyMap<ModelGraph, BlockPlan> = new Map(),
  ): Model {
    return new Model(device, config, seed, blocks);
  }

  /** Bytes of device memory that training on a graph takes at most, with so many (node, relation) pairs masked. */
  static memoryNeed(config: ModelConfig, graph: ModelGraph, slots?: number): number {
    return memoryNeed(config, sizeOf(graph, slots));
  }

  /** One step of Adam on one graph; `mask` has one byte per node, 1 where masked. */
  step(graph: ModelGraph, mask: Uint8Array): StepResult {
    const { result, gradient } = this.#learn(graph, mask);
    let scale = 1;
    if (this.config.clip > 0) {
      let square = 0;
      for (const g of this.device.read(gradient)) square += g * g;
      const norm = Math.sqrt(square);
      if (norm > this.config.clip) scale = this.config.clip / norm;
    }
    const { weights: parameters, firstMoment, secondMoment } = this.#flat;
    const { learningRate, weightDecay } = this.config;
    this.device.enqueue('adam', {
      parameters,
      gradient,
      firstMoment,
      secondMoment,
      learningRate,
      weightDecay,
      scale,
      step: ++this.#steps,
    });
    this.device.run();
    return result;
  }

  /** The loss without a step. */
  evaluate(graph: ModelGraph, mask: Uint8Array): StepResult {
    const tally = new LossTally(this.config.balanced ? this.config.relations : 1);
    for (const part of this.#partsOf(graph)) {
      const { rounds } = this.#pass.reconstruct(part, [maskOf(part, mask)]);
      for (const { slots, errors } of rounds) tally.add(slots.offsets, errors);
    }
    return tally.result();
  }

  /** The loss and the gradient of each parameter, without a step. */
  gradients(
    graph: ModelGraph,
    mask: Uint8Array,
  ): { result: StepResult; gradient: Map<string, Float64Array> } {
    const { result, gradient } = this.#learn(graph, mask);
    const flat = this.device.read(gradient);
    const parts = this.#layout.parameters.map(
      ({ name, offset, length }) =>
        [name, Float64Array.from(flat.subarray(offset, offset + length))] as const,
    );
    return { result, gradient: new Map(parts) };
  }

  /** Final embeddings of unmasked nodes, nodeCount × hidden. */
  encode(graph: ModelGraph): Float32Array {
    const { hidden } = this.config;
    const all = new Float32Array(graph.nodeCount * hidden);
    for (const part of this.#partsOf(graph)) {
      const { nodes, targets } = part;
      const found = this.#pass.encode(part);
      if (nodes === undefined || targets === undefined) all.set(found);
      else {
        nodes.forEach((v, i) => {
          if (targets[i] === 1) all.set(found.subarray(i * hidden, (i + 1) * hidden), v * hidden);
        });
      }
    }
    return all;
  }

  /** Errors of the nodes of one masked group: one round of batched masked inference (method §6). */
  errors(graph: ModelGraph, mask: Uint8Array): RelationErrors {
    const pairs = decodedPairs(graph, this.config.balanced);
    const all = this.#pairErrors(graph, pairs, [mask]);
    const offsets = new Uint32Array(pairs.nodeOffsets.length);
    const nodes = pairs.nodes.filter((v) => mask[v] !== 0);
    const errors = all.filter((_, pair) => mask[pairs.nodes[pair]] !== 0);
    for (let r = 0; r + 1 < offsets.length; r++) {
      offsets[r + 1] = offsets[r];
      for (let pair = pairs.nodeOffsets[r]; pair < pairs.nodeOffsets[r + 1]; pair++) {
        if (mask[pairs.nodes[pair]] !== 0) offsets[r + 1]++;
      }
    }
    return { offsets, nodes, errors };
  }

  /** All rounds: `groups[v]` < `rounds` is the round that masks v. Errors of all nodes. */
  roundErrors(graph: ModelGraph, groups: Uint8Array, rounds: number): RelationErrors {
    const pairs = decodedPairs(graph, this.config.balanced);
    const masks = Array.from({ length: rounds }, (_, round) =>
      groups.map((group) => (group === round ? 1 : 0)),
    );
    const errors = this.#pairErrors(graph, pairs, masks);
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
    this.#pass.close();
    this.#pool.free();
  }

  /** Forward and backward: gives the gradient of L. */
  #learn(graph: ModelGraph, mask: Uint8Array): { result: StepResult; gradient: Floats } {
    const { gradient } = this.#flat;
    const tally = new LossTally(this.config.balanced ? this.config.relations : 1);
    const isWhole = !this.#blocks.has(graph);
    // Of all parts together.
    const counts = isWhole ? undefined : countSlots(decodedPairs(graph, this.config.balanced), mask);
    if (!isWhole) {
      this.#total ??= this.#pool.floats(this.#layout.length);
      this.device.enqueue('fill', { target: this.#total, value: 0 });
    }
    for (const part of this.#partsOf(graph)) {
      // Not all parameters have a gradient in every graph.
      this.device.enqueue('fill', { target: gradient, value: 0 });
      const { slots, errors } = this.#pass.learn(part, maskOf(part, mask), counts);
      tally.add(slots.offsets, errors);
      if (this.#total !== undefined && !isWhole) {
        this.device.enqueue('addInto', { target: this.#total, source: gradient });
      }
    }
    const result = tally.result();
    return { result, gradient: isWhole || this.#total === undefined ? gradient : this.#total };
  }

  /** The error of each pair in the round that masks its node. */
  #pairErrors(graph: ModelGraph, all: DecodedPairs, masks: readonly Uint8Array[]): Float32Array {
    const errors = new Float32Array(all.nodes.length);
    for (const part of this.#partsOf(graph)) {
      const local = masks.map((mask) => maskOf(part, mask));
      const { pairs, rounds } = this.#pass.reconstruct(part, local);
      const places = placesOfPairs(pairs, part.nodes, all);
      for (const { slots, errors: found } of rounds) {
        for (let slot = 0; slot < slots.count; slot++) errors[places[slots.pairs[slot]]] = found[slot];
      }
    }
    return errors;
  }

  *#partsOf(graph: ModelGraph): Generator<NumberedPart> {
    const plan = this.#blocks.get(graph);
    if (plan === undefined) yield { graph };
    else for (let part = 0; part + 1 < plan.bounds.length; part++) yield cutBlock(graph, plan, part);
  }
}

function maskOf({ nodes }: NumberedPart, mask: Uint8Array): Uint8Array {
  return nodes === undefined ? mask : Uint8Array.from(nodes, (v) => mask[v]);
}

/** Where each pair of a part stands among those of the whole: nodes ascend in either list, and the whole has them all. */
function placesOfPairs(
  { nodes, nodeOffsets }: DecodedPairs,
  numbers: Uint32Array | undefined,
  all: DecodedPairs,
): Uint32Array {
  const places = new Uint32Array(nodes.length);
  for (let r = 0; r + 1 < nodeOffsets.length; r++) {
    let at = all.nodeOffsets[r];
    for (let pair = nodeOffsets[r]; pair < nodeOffsets[r + 1]; pair++) {
      const v = numbers === undefined ? nodes[pair] : numbers[nodes[pair]];
      while (all.nodes[at] !== v) at++;
      places[pair] = at;
    }
  }
  return places;
}

/** |M_r| */
function countSlots({ nodeOffsets, nodes }: DecodedPairs, mask: Uint8Array): Uint32Array {
  const counts = new Uint32Array(nodeOffsets.length - 1);
  for (let r = 0; r < counts.length; r++) {
    for (let pair = nodeOffsets[r]; pair < nodeOffsets[r + 1]; pair++) {
      if (mask[nodes[pair]] !== 0) counts[r]++;
    }
  }
  return counts;
}

/** Losses of one step, over all parts of its graph. */
class LossTally {
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;

  constructor(decoders: number) {
    this.#sums = new Float64Array(decoders);
    this.#counts = new Uint32Array(decoders);
  }

  add(offsets: Uint32Array, errors: ArrayLike<number>): void {
    for (let r = 0; r < this.#sums.length; r++) {
      for (let slot = offsets[r]; slot < offsets[r + 1]; slot++) this.#sums[r] += errors[slot];
      this.#counts[r] += offsets[r + 1] - offsets[r];
    }
  }

  result(): StepResult {
    const losses = this.#sums.map((sum, r) => sum / this.#counts[r]); // 0 / 0 is NaN: no masked node
    const loss = losses.reduce((total, each) => (Number.isNaN(each) ? total : total + each), 0);
    return { loss, losses, counts: this.#counts };
  }
}
