import { RecalError } from '../../base/errors.js';
import type { Device, Floats, Integers } from '../../compute/device.js';
import type { ModelConfig } from '../config.js';
import { type DecodedPairs, type GraphLayout, layOutGraph } from '../layout/graph-layout.js';
import {
  BufferPool,
  type PlacedGraph,
  type PlacedSlots,
  placeGraph,
  placeSlots,
} from '../layout/placed-graph.js';
import { findSlots, nodesRead, type Slots, slotsOfPairs } from '../layout/slots.js';
import type { ModelGraph } from '../model-input.js';
import { AdditiveLayer } from './additive-layer.js';
import { FoldedLayer } from './folded-layer.js';
import type { Layer, LayerInput, Named } from './layer.js';
import { findRest, ResidualMeans } from './residual-means.js';
import { RgatLayer } from './rgat-layer.js';

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
  readonly masked: Integers;
  /** Nodes whose embedding a round reads. */
  readonly read: Integers;
  readonly layers: readonly Layer[];
}

/** One way through the layers. */
interface Passage {
  readonly rows: number;
  readonly training: boolean;
  /** Whether the nodes marked in `Residence.masked` are masked. */
  readonly masked: boolean;
  /** Whether the first layer has done what rounds share. */
  readonly shared: boolean;
  /** Of the last layer, see `LayerPass`. */
  readonly wanted: Integers | null;
  /** Where the last layer's residual comes in over means for all but hubs. */
  readonly residual: ResidualMeans | null;
}

/** Masked nodes decoded. `pool` holds the buffers of this step. */
interface Decoding {
  readonly passage: Passage;
  readonly slots: Slots;
  readonly placed: PlacedSlots;
  readonly pool: BufferPool;
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
    if (this.#residence === undefined) return;
    this.#residence.pool.free();
    this.#residence = undefined;
    this.device.release();
  }

  /** Final embeddings of unmasked nodes. */
  encode(part: Part): Float32Array {
    const { hidden } = this.config;
    const home = this.#settle(part);
    const rows = home.placed.nodes;
    this.#forward(home, {
      rows,
      training: false,
      masked: false,
      shared: false,
      wanted: null,
      residual: null,
    });
    const found = this.device.read(lastOf(home).out);
    const embeddings = new Float32Array(found.length);
    home.layout.order.nodes.forEach((v, place) => {
      embeddings.set(found.subarray(place * hidden, (place + 1) * hidden), v * hidden);
    });
    return embeddings;
  }

  /** Sets the gradients of L; `counts` are |M_r| where the slots of this part are not all. */
  learn(part: Part, mask: Uint8Array, counts?: Uint32Array): SlotErrors {
    const { device } = this;
    const home = this.#settle(part);
    const { passage, slots, placed, pool } = this.#decode(home, mask, true, false, counts);
    const dMeans = placed.means;
    // The embeddings are used up: their gradient takes their place.
    let gradient: Floats | null = lastOf(home).out;
    const { work, pairs: entries } = home.placed.readers;
    const ofPair = pool.integers(slotsOfPairs(slots, home.layout.pairs.nodes.length));
    device.enqueue('segmentSum', {
      hidden: this.config.hidden,
      work,
      entries,
      slots: ofPair,
      from: dMeans,
      fromScale: placed.inverseDegree,
      scale: null,
      out: gradient,
      add: false,
    });
    let { residual } = passage;
    for (let l = home.layers.length - 1; l >= 0 && gradient !== null; l--) {
      const rows = residual === null ? passage.rows : home.placed.hubs;
      gradient = home.layers[l].backward(this.#input(home, l, passage), gradient, rows);
      if (gradient !== null) residual?.backward(dMeans, gradient);
      residual = null;
    }
    const errors = device.read(placed.errors);
    pool.free();
    return { slots, errors };
  }

  /** Errors of masked nodes, without gradients: a round for each mask. What all rounds have in common is done once. */
  reconstruct(part: Part, masks: readonly Uint8Array[]): { pairs: DecodedPairs; rounds: SlotErrors[] } {
    const home = this.#settle(part);
    const input = this.#input(home, 0, { masked: false, shared: false });
    const shared = masks.length > 1 && (home.layers[0].share?.(input) ?? false);
    const rounds = masks.map((mask) => {
      const { slots, placed, pool } = this.#decode(home, mask, false, shared);
      const errors = this.device.read(placed.errors);
      pool.free();
      return { slots, errors };
    });
    return { pairs: home.layout.decoded, rounds };
  }

  /** Errors of masked nodes; when training the gradients of their decoders too, and that of the means in their place. */
  #decode(
    home: Residence,
    mask: Uint8Array,
    training: boolean,
    shared: boolean,
    counts?: Uint32Array,
  ): Decoding {
    const { device, config } = this;
    const { hidden, exponent } = config;
    const { placed: graph, layout } = home;
    const masked = new Uint8Array(mask.length);
    for (let place = 0; place < masked.length; place++) masked[place] = mask[layout.order.nodes[place]];
    device.writeIntegers(home.masked, masked);
    const slots = findSlots(layout.pairs, masked);
    const pool = new BufferPool(device);
    const placed = placeSlots(pool, slots, config);
    const rows = graph.connected;
    const last = config.layers - 1;
    const layer = { config, weights: this.#weightsOf(last), gradients: this.#gradientsOf(last) };
    const residual =
      config.layers > 1 && graph.hubs < rows
        ? new ResidualMeans(pool, layer, graph, placed, findRest(slots, layout))
        : null;
    // Gradients ask for what was kept of every row; rounds want embeddings only, and only those that they read.
    if (!training) device.writeIntegers(home.read, nodesRead(slots, layout.pairs, masked.length));
    const wanted = training ? null : home.read;
    const passage = { rows, training, masked: true, shared, wanted, residual };
    this.#forward(home, passage);

    const { means, nodes, errors, work, inverseDegree: scale } = placed;
    device.enqueue('segmentSum', {
      hidden,
      work,
      entries: graph.pairNeighbours,
      slots: null,
      from: lastOf(home).out,
      fromScale: null,
      scale,
      out: means,
      add: false,
    });
    residual?.addTo(means);
    const gradient = {
      dMeans: means,
      dw: this.#gradients('decoder.w'),
      dBias: this.#gradients('decoder.bias'),
    };
    device.enqueue('cosineLoss', {
      hidden,
      exponent,
      target: graph.target,
      norms: graph.norms,
      offsets: slots.offsets,
      counts: counts ?? slots.counts,
      nodes,
      means,
      errors,
      gradient: training ? gradient : null,
      w: this.#weights('decoder.w'),
      bias: this.#weights('decoder.bias'),
    });
    return { passage, slots, placed, pool };
  }

  #forward(home: Residence, passage: Passage): void {
    const { rows, training } = passage;
    home.layers.forEach((layer, l) => {
      const input = this.#input(home, l, passage);
      const isLast = layer === lastOf(home);
      const residual = isLast ? passage.residual : null;
      if ('h' in input) residual?.collect(input.h);
      const wanted = isLast ? passage.wanted : null;
      layer.forward(input, { rows, training, residual: residual === null ? rows : home.placed.hubs, wanted });
    });
  }

  #input(home: Residence, l: number, { masked, shared }: Pick<Passage, 'masked' | 'shared'>): LayerInput {
    if (l > 0) return { h: home.layers[l - 1].out };
    const [token, dToken] = [this.#weights('token'), this.#gradients('token')];
    return { x: home.placed.features, masked: masked ? home.masked : null, token, dToken, shared };
  }

  #weightsOf(l: number): Named {
    return (name) => this.#weights(`layer${l}.${name}`);
  }

  #gradientsOf(l: number): Named {
    return (name) => this.#gradients(`layer${l}.${name}`);
  }

  /** Brings a graph onto the device, in the place of the one before. */
  #settle({ graph, targets }: Part): Residence {
    if (this.#residence?.graph === graph) return this.#residence;
    this.#check(graph);
    const layout = layOutGraph(graph, this.config.balanced, targets);
    this.close();
    const pool = new BufferPool(this.device);
    const placed = placeGraph(pool, layout, this.config);
    const layers = Array.from({ length: this.config.layers }, (_, l) => {
      const isLast = l + 1 === this.config.layers;
      const setup = {
        config: this.config,
        weights: this.#weightsOf(l),
        gradients: this.#gradientsOf(l),
        isLast,
      };
      if (this.config.encoder === 'rgat') return new RgatLayer(pool, placed, setup);
      if (l === 0 || placed.folded === undefined) return new AdditiveLayer(pool, placed, setup);
      return new FoldedLayer(pool, placed, placed.folded, setup);
    });
    const [masked, read] = [0, 0].map(() => pool.integers(new Uint8Array(graph.nodeCount)));
    this.#residence = { graph, layout, pool, placed, masked, read, layers };
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

function lastOf({ layers }: Residence): Layer {
  return layers[layers.length - 1];
}
