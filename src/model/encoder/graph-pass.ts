import { RecalError } from '../../base/errors.js';
import type { Device, Floats, Integers } from '../../compute/device.js';
import type { ModelConfig } from '../config.js';
import { layOutGraph } from '../layout/cached-layout.js';
import type { DecodedPairs } from '../layout/decoded-pairs.js';
import type { GraphLayout } from '../layout/graph-layout.js';
import {
  findMaskedPairs,
  indexMaskedPairs,
  type MaskedPairs,
  markReadNodes,
} from '../layout/masked-pairs.js';
import {
  BufferPool,
  type PlacedGraph,
  type PlacedPairs,
  placeGraph,
  placeMaskedPairs,
} from '../layout/placed-graph.js';
import type { ModelGraph } from '../model-input.js';
import { AdditiveLayer } from './additive-layer.js';
import { FoldedLayer } from './folded-layer.js';
import type { Layer, LayerInput, ParameterLookup } from './layer.js';
import { findNonHubPairs, ResidualMeans } from './residual-means.js';
import { RgatLayer } from './rgat-layer.js';

/** A graph, or a block of one. A block has `targets`: one byte per node, 1 for the nodes to decode. */
export interface PassInput {
  readonly graph: ModelGraph;
  readonly targets?: Uint8Array;
}

/** ℓ of every masked pair. */
export interface PairErrors {
  readonly masked: MaskedPairs;
  readonly errors: ArrayLike<number>;
}

/** The graph that the device holds now. */
interface ActiveGraph {
  readonly graph: ModelGraph;
  readonly layout: GraphLayout;
  readonly pool: BufferPool;
  readonly placed: PlacedGraph;
  readonly masked: Integers;
  /** The nodes whose embedding an inference round reads. */
  readonly read: Integers;
  readonly layers: readonly Layer[];
}

/** How one forward pass runs through the layers. */
interface PassOptions {
  readonly rows: number;
  readonly training: boolean;
  /** True if the nodes marked in `ActiveGraph.masked` are masked. */
  readonly masked: boolean;
  /** True if the first layer has computed what all rounds share. */
  readonly shared: boolean;
  /** For the last layer, see `LayerPass`. */
  readonly wanted: Integers | null;
  /** The residual of the last layer for all nodes but hubs; null if the layer computes it for each node. */
  readonly residual: ResidualMeans | null;
}

/** The decoded masked pairs. `pool` holds the buffers of this step. */
interface Decoding {
  readonly options: PassOptions;
  readonly masked: MaskedPairs;
  readonly placed: PlacedPairs;
  readonly pool: BufferPool;
}

/** Forward and backward passes over one graph at a time (method §4, §5). */
export class GraphPass {
  readonly device: Device;
  readonly config: ModelConfig;
  readonly #weights: ParameterLookup;
  readonly #gradients: ParameterLookup;
  #active: ActiveGraph | undefined;

  constructor(device: Device, config: ModelConfig, weights: ParameterLookup, gradients: ParameterLookup) {
    this.device = device;
    this.config = config;
    this.#weights = weights;
    this.#gradients = gradients;
  }

  close(): void {
    if (this.#active === undefined) return;
    this.#active.pool.free();
    this.#active = undefined;
    this.device.release();
  }

  /** The final embeddings, with no node masked. */
  encode(input: PassInput): Float32Array {
    const { hidden } = this.config;
    const active = this.#activate(input);
    this.#forward(active, {
      rows: active.placed.nodes,
      training: false,
      masked: false,
      shared: false,
      wanted: null,
      residual: null,
    });
    const found = this.device.read(lastLayer(active).out);
    const embeddings = new Float32Array(found.length);
    active.layout.order.nodes.forEach((v, place) => {
      embeddings.set(found.subarray(place * hidden, (place + 1) * hidden), v * hidden);
    });
    return embeddings;
  }

  /** Computes the gradients of L. For a block, `counts` are |M_r| of the whole graph. */
  learn(input: PassInput, mask: Uint8Array, counts?: Uint32Array): PairErrors {
    const { device } = this;
    const active = this.#activate(input);
    const { options, masked, placed, pool } = this.#decode(active, mask, true, false, counts);
    const dMeans = placed.means;
    // The embeddings are no longer needed: their gradient replaces them.
    let gradient: Floats | null = lastLayer(active).out;
    const { work, pairs: entries } = active.placed.readers;
    device.enqueue('segmentSum', {
      hidden: this.config.hidden,
      work,
      entries,
      sourceRows: pool.integers(indexMaskedPairs(masked, active.layout.pairs.nodes.length)),
      from: dMeans,
      fromScale: placed.inverseDegree,
      scale: null,
      out: gradient,
      add: false,
    });
    let { residual } = options;
    for (let l = active.layers.length - 1; l >= 0 && gradient !== null; l--) {
      const rows = residual === null ? options.rows : active.placed.hubCount;
      gradient = active.layers[l].backward(this.#input(active, l, options), gradient, rows);
      if (gradient !== null) residual?.backward(dMeans, gradient);
      residual = null;
    }
    const errors = device.read(placed.errors);
    pool.free();
    return { masked, errors };
  }

  /** Errors of the masked pairs, without gradients: one round per mask. Computes what all rounds share only once. */
  reconstruct(input: PassInput, masks: readonly Uint8Array[]): { pairs: DecodedPairs; rounds: PairErrors[] } {
    const active = this.#activate(input);
    const layerInput = this.#input(active, 0, { masked: false, shared: false });
    const shared = masks.length > 1 && (active.layers[0].share?.(layerInput) ?? false);
    const rounds = masks.map((mask) => {
      const { masked, placed, pool } = this.#decode(active, mask, false, shared);
      const errors = this.device.read(placed.errors);
      pool.free();
      return { masked, errors };
    });
    return { pairs: active.layout.decoded, rounds };
  }

  /**
   * Decodes the masked pairs. In training, also computes the gradients of the decoders, and replaces the means by their
   * gradient.
   */
  #decode(
    active: ActiveGraph,
    mask: Uint8Array,
    training: boolean,
    shared: boolean,
    counts?: Uint32Array,
  ): Decoding {
    const { device, config } = this;
    const { hidden, exponent } = config;
    const { placed: graph, layout } = active;
    const maskByPlace = new Uint8Array(mask.length);
    for (let place = 0; place < mask.length; place++) maskByPlace[place] = mask[layout.order.nodes[place]];
    device.writeIntegers(active.masked, maskByPlace);
    const masked = findMaskedPairs(layout.pairs, maskByPlace);
    const pool = new BufferPool(device);
    const placed = placeMaskedPairs(pool, masked, config);
    const rows = graph.connectedCount;
    const last = config.layers - 1;
    const layer = { config, weights: this.#weightsOf(last), gradients: this.#gradientsOf(last) };
    const residual =
      config.layers > 1 && graph.hubCount < rows
        ? new ResidualMeans(pool, layer, graph, placed, findNonHubPairs(masked, layout))
        : null;
    // Gradients need every row; an inference round needs only the embeddings that it reads.
    if (!training) device.writeIntegers(active.read, markReadNodes(masked, layout.pairs, mask.length));
    const wanted = training ? null : active.read;
    const options = { rows, training, masked: true, shared, wanted, residual };
    this.#forward(active, options);

    const { means, nodes, errors, work, inverseDegree: scale } = placed;
    device.enqueue('segmentSum', {
      hidden,
      work,
      entries: graph.pairNeighbours,
      sourceRows: null,
      from: lastLayer(active).out,
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
      offsets: masked.offsets,
      counts: counts ?? masked.counts,
      nodes,
      means,
      errors,
      gradient: training ? gradient : null,
      w: this.#weights('decoder.w'),
      bias: this.#weights('decoder.bias'),
    });
    return { options, masked, placed, pool };
  }

  #forward(active: ActiveGraph, options: PassOptions): void {
    const { rows, training } = options;
    active.layers.forEach((layer, l) => {
      const input = this.#input(active, l, options);
      const isLast = layer === lastLayer(active);
      const means = isLast ? options.residual : null;
      if ('h' in input) means?.collect(input.h);
      const wanted = isLast ? options.wanted : null;
      const residual = means === null ? rows : active.placed.hubCount;
      layer.forward(input, { rows, training, residual, wanted });
    });
  }

  #input(
    active: ActiveGraph,
    l: number,
    { masked, shared }: Pick<PassOptions, 'masked' | 'shared'>,
  ): LayerInput {
    if (l > 0) return { h: active.layers[l - 1].out };
    const [token, dToken] = [this.#weights('token'), this.#gradients('token')];
    return { x: active.placed.features, masked: masked ? active.masked : null, token, dToken, shared };
  }

  #weightsOf(l: number): ParameterLookup {
    return (name) => this.#weights(`layer${l}.${name}`);
  }

  #gradientsOf(l: number): ParameterLookup {
    return (name) => this.#gradients(`layer${l}.${name}`);
  }

  /** Places a graph on the device, unless it is there already. Frees the previous one. */
  #activate({ graph, targets }: PassInput): ActiveGraph {
    if (this.#active?.graph === graph) return this.#active;
    this.#check(graph);
    const layout = layOutGraph(graph, this.config.balanced, targets);
    this.close();
    const pool = new BufferPool(this.device);
    const placed = placeGraph(pool, layout, this.config);
    const layers = Array.from({ length: this.config.layers }, (_, l) => {
      const setup = {
        config: this.config,
        weights: this.#weightsOf(l),
        gradients: this.#gradientsOf(l),
        isLast: l + 1 === this.config.layers,
      };
      if (this.config.encoder === 'rgat') return new RgatLayer(pool, placed, setup);
      if (l === 0 || placed.folded === undefined) return new AdditiveLayer(pool, placed, setup);
      return new FoldedLayer(pool, placed, placed.folded, setup);
    });
    const [masked, read] = [0, 0].map(() => pool.integers(new Uint8Array(graph.nodeCount)));
    this.#active = { graph, layout, pool, placed, masked, read, layers };
    return this.#active;
  }

  #check(graph: ModelGraph): void {
    const { relations, features } = this.config;
    if (graph.relationCount !== relations || graph.features.cols !== features) {
      throw new RecalError(
        'model-shape',
        `the graph has ${graph.relationCount} relations and ${graph.features.cols} features, ` +
          `but the model has ${relations} and ${features}`,
        { hint: 'build the graph with the vocabularies of the model' },
      );
    }
  }
}

function lastLayer({ layers }: ActiveGraph): Layer {
  return layers[layers.length - 1];
}
