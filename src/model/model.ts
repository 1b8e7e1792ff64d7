import type { Device, Floats } from '../compute/device.js';
import type { ModelConfig } from './config.js';
import { GraphPass, type PassInput } from './encoder/graph-pass.js';
import { type BlockPlan, cutBlock } from './layout/blocks.js';
import { type DecodedPairs, decodedPairs } from './layout/decoded-pairs.js';
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

/** Everything that a resumed run needs to end with the same weights. */
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
  /** The mean ℓ of each decoder (one per relation; a single one for `w/o BL`). NaN without masked pairs. */
  readonly losses: Float64Array;
  /** |M_r| per decoder. */
  readonly counts: Uint32Array;
}

/** e_v^r of masked nodes. Those of relation r are `offsets[r]` to `offsets[r + 1]`, by ascending node. */
export interface RelationErrors {
  readonly offsets: Uint32Array;
  readonly nodes: Int32Array;
  readonly errors: Float32Array;
}

/** A graph, or a block with the numbers of its nodes in the whole graph. */
interface GraphOrBlock extends PassInput {
  readonly nodes?: Uint32Array;
}

/** Relation-balanced masked graph learning (method §3–5) on any device. Calls are synchronous. */
export class Model {
  readonly device: Device;
  readonly config: ModelConfig;
  readonly #layout: ParameterLayout;
  readonly #pool: BufferPool;
  readonly #flat: { weights: Floats; gradient: Floats; firstMoment: Floats; secondMoment: Floats };
  readonly #pass: GraphPass;
  readonly #blocks: ReadonlyMap<ModelGraph, BlockPlan>;
  /** The gradient, summed over the blocks of a graph. */
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

  /** Graphs in `blocks` are processed block by block: less memory, and the same results except for rounding. */
  static create(
    device: Device,
    config: ModelConfig,
    seed: number,
    blocks: ReadonlyMap<ModelGraph, BlockPlan> = new Map(),
  ): Model {
    return new Model(device, config, seed, blocks);
  }

  /** The most bytes of device memory that training on a graph needs, if a step masks so many pairs (default: all). */
  static memoryNeed(config: ModelConfig, graph: ModelGraph, maskedPairs?: number): number {
    return memoryNeed(config, sizeOf(graph, maskedPairs));
  }

  /** One step of Adam on one graph. `mask` has one byte per node, 1 for masked nodes. */
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

  /** Computes the loss without a step. */
  evaluate(graph: ModelGraph, mask: Uint8Array): StepResult {
    const tally = new LossTally(this.config.balanced ? this.config.relations : 1);
    for (const part of this.#partsOf(graph)) {
      const { rounds } = this.#pass.reconstruct(part, [maskOf(part, mask)]);
      for (const { masked, errors } of rounds) tally.add(masked.offsets, errors);
    }
    return tally.result();
  }

  /** Computes the loss and the gradient of each parameter without a step. */
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

  /** The final embeddings with no node masked, nodeCount × hidden. */
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

  /** Errors of the masked nodes: one round of batched masked inference (method §6). */
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

  /** Errors of all nodes over several rounds. Round `groups[v]`, which is less than `rounds`, masks node v. */
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

  /** Frees the buffers of the model on its device. */
  close(): void {
    this.#pass.close();
    this.#pool.free();
  }

  /** A forward and a backward pass. Returns the loss and its gradient. */
  #learn(graph: ModelGraph, mask: Uint8Array): { result: StepResult; gradient: Floats } {
    const { gradient } = this.#flat;
    const tally = new LossTally(this.config.balanced ? this.config.relations : 1);
    const isWhole = !this.#blocks.has(graph);
    const counts = isWhole ? undefined : countMasked(decodedPairs(graph, this.config.balanced), mask);
    if (!isWhole) {
      this.#total ??= this.#pool.floats(this.#layout.length);
      this.device.enqueue('fill', { target: this.#total, value: 0 });
    }
    for (const part of this.#partsOf(graph)) {
      // Some parameters have no gradient in this graph.
      this.device.enqueue('fill', { target: gradient, value: 0 });
      const { masked, errors } = this.#pass.learn(part, maskOf(part, mask), counts);
      tally.add(masked.offsets, errors);
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
      for (const { masked, errors: found } of rounds) {
        for (let i = 0; i < masked.count; i++) errors[places[masked.pairs[i]]] = found[i];
      }
    }
    return errors;
  }

  *#partsOf(graph: ModelGraph): Generator<GraphOrBlock> {
    const plan = this.#blocks.get(graph);
    if (plan === undefined) yield { graph };
    else for (let block = 0; block + 1 < plan.bounds.length; block++) yield cutBlock(graph, plan, block);
  }
}

function maskOf({ nodes }: GraphOrBlock, mask: Uint8Array): Uint8Array {
  return nodes === undefined ? mask : Uint8Array.from(nodes, (v) => mask[v]);
}

/** The position of each pair of a block among the pairs of the whole graph. Nodes ascend in both lists. */
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

/** |M_r| of each decoder. */
function countMasked({ nodeOffsets, nodes }: DecodedPairs, mask: Uint8Array): Uint32Array {
  const counts = new Uint32Array(nodeOffsets.length - 1);
  for (let r = 0; r < counts.length; r++) {
    for (let pair = nodeOffsets[r]; pair < nodeOffsets[r + 1]; pair++) {
      if (mask[nodes[pair]] !== 0) counts[r]++;
    }
  }
  return counts;
}

/** Sums the losses of one step over the blocks of its graph. */
class LossTally {
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;

  constructor(decoders: number) {
    this.#sums = new Float64Array(decoders);
    this.#counts = new Uint32Array(decoders);
  }

  add(offsets: Uint32Array, errors: ArrayLike<number>): void {
    for (let r = 0; r < this.#sums.length; r++) {
      for (let i = offsets[r]; i < offsets[r + 1]; i++) this.#sums[r] += errors[i];
      this.#counts[r] += offsets[r + 1] - offsets[r];
    }
  }

  result(): StepResult {
    const losses = this.#sums.map((sum, r) => sum / this.#counts[r]); // NaN (0 / 0) without masked pairs
    const loss = losses.reduce((total, each) => (Number.isNaN(each) ? total : total + each), 0);
    return { loss, losses, counts: this.#counts };
  }
}
