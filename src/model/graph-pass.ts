import { RecalError } from '../base/errors.js';
import type { Device, Floats, Words } from '../compute/device.js';
import { AdditiveLayer } from './additive-layer.js';
import type { ModelConfig } from './config.js';
import { type GraphLayout, layOutGraph } from './graph-layout.js';
import type { Layer, LayerInput, LayerSetup, Named } from './layer.js';
import type { ModelGraph } from './model-input.js';
import { BufferPool, type PlacedGraph, type PlacedSlots, placeGraph, placeSlots } from './placed-graph.js';
import { RgatLayer } from './rgat-layer.js';
import { findSlots, type Slots } from './slots.js';

/** A graph, or a part of one: then `targets` has one byte per node, 1 where it is to be decoded. */
export interface Part {
  readonly graph: ModelGraph;
  readonly targets?: Uint8Array;
}

/** ℓ of every slot. */
export interface SlotErrors {
  readonly slots: Slots;
  readonly errors: ArrayLike<number>;
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

/** Forward and backward over one graph at a time (method §4, §5), with the parameters it is given. */
export class GraphPass {
  readonly device: Device;
  readonly config: ModelConfig;
  readonly #weights: Named;
  readonly #gradients: Named;
  #residence: Residence | undefined;

  constructor(device: Device, config: ModelConfig, weights: Named, gradients: Named) {
    this.device = device;
    this.config = config;
    this.#weights = weights;
    this.#gradients = gradients;
  }

  close(): void {
    this.#residence?.pool.free();
    this.#residence = undefined;
  }

  /** Final embeddings of unmasked nodes. */
  encode(part: Part): Float32Array | Float64Array {
    const home = this.#settle(part);
    this.#forward(home, null, false);
    return this.device.read(home.layers[home.layers.length - 1].out);
  }

  /** Sets the gradients of L; `counts` are |M_r| where the slots of this part are not all. */
  learn(part: Part, mask: Uint8Array, counts?: Uint32Array): SlotErrors {
    const { device, config } = this;
    const { hidden } = config;
    const home = this.#settle(part);
    this.#forward(home, mask, true);
    const slots = findSlots(home.layout.pairs, mask);
    const pool = new BufferPool(device);
    const placed = placeSlots(pool, slots, config);
    const dMeans = placed.means; // their gradient takes their place
    const [dw, dBias] = [this.#gradients('decoder.w'), this.#gradients('decoder.bias')];
    this.#decode(home, counts === undefined ? slots : { ...slots, counts }, placed, {
      dMeans,
      scale: placed.inverseDegree,
      dw,
      dBias,
    });

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
    return { slots, errors };
  }

  /** Errors of masked nodes, without gradients. */
  reconstruct(
    part: Part,
    mask: Uint8Array,
    base: readonly [Floats, Floats] | null = null,
  ): SlotErrors & { pairs: GraphLayout['pairs'] } {
    const home = this.#settle(part);
    this.#forward(home, mask, false, base);
    const slots = findSlots(home.layout.pairs, mask);
    const pool = new BufferPool(this.device);
    const placed = placeSlots(pool, slots, this.config);
    this.#decode(home, slots, placed, null);
    const errors = this.device.read(placed.errors);
    pool.free();
    return { slots, errors, pairs: home.layout.pairs };
  }

  /** What the first layer makes of unmasked rows: the same in every round. */
  shareProducts(part: Part): readonly [Floats, Floats] | null {
    const home = this.#settle(part);
    const [first] = home.layers;
    if (first.shareProducts === undefined) return null;
    const length = home.graph.nodeCount * this.config.hidden;
    home.products ??= [home.pool.floats(length), home.pool.floats(length)];
    first.shareProducts(this.#input(home, 0, null, null), home.products);
    return home.products;
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
  #settle({ graph, targets }: Part): Residence {
    if (this.#residence?.graph === graph) return this.#residence;
    this.#check(graph);
    const layout = layOutGraph(graph, this.config.balanced, targets);
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
