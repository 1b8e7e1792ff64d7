import type { Device, Floats, Integers } from '../../compute/device.js';
import { planWork, type WorkList } from '../../compute/work-list.js';
import type { GraphLayout } from '../layout/graph-layout.js';
import { indexMaskedPairs, type MaskedPairs } from '../layout/masked-pairs.js';
import type { BufferPool, PlacedGraph, PlacedPairs } from '../layout/placed-graph.js';
import type { LayerSetup } from './layer.js';

/** The masked pairs that read at least one node that is not a hub. */
export interface NonHubPairs {
  readonly count: number;
  /** Their positions among the masked pairs, ascending. */
  readonly positions: Uint32Array;
  /** One over the number of nodes that the pair reads, including hubs. */
  readonly inverseDegree: Float64Array;
  /** The nodes that each pair reads, without hubs. */
  readonly work: WorkList;
  /** For each pair of the graph, its number among these pairs, or NO_ROW. */
  readonly indexPairs: () => Uint32Array;
}

export function findNonHubPairs(masked: MaskedPairs, { pairs, hubStarts }: GraphLayout): NonHubPairs {
  const chosen = new Uint32Array(masked.count);
  let count = 0;
  masked.pairs.forEach((pair, i) => {
    if (hubStarts[pair] > pairs.offsets[pair]) chosen[count++] = i;
  });
  const positions = chosen.slice(0, count);
  const numbers = positions.map((i) => masked.pairs[i]);
  const inverseDegree = Float64Array.from(positions, (i) => masked.inverseDegree[i]);
  return {
    count,
    positions,
    inverseDegree,
    work: planWork(
      count,
      numbers.map((pair) => pairs.offsets[pair]),
      numbers.map((pair) => hubStarts[pair]),
    ),
    indexPairs: () => indexMaskedPairs({ pairs: numbers }, pairs.nodes.length),
  };
}

/**
 * Adds the residual of the last layer to the means that the decoders read. The last layer has no PReLU, so the mean of
 * its results is mean(Σ α y) + W_res·mean(h) + bias: one product per masked pair instead of one per node. Hubs are
 * excluded: many pairs read them, so the layer computes their residual itself (see hubs.ts).
 */
export class ResidualMeans {
  readonly #device: Device;
  readonly #pool: BufferPool;
  readonly #layer: Pick<LayerSetup, 'config' | 'weights' | 'gradients'>;
  readonly #graph: PlacedGraph;
  readonly #masked: PlacedPairs;
  readonly #pairs: NonHubPairs;
  readonly #inverseDegree: Floats;
  /** Means of h, one row per pair; later their gradient. */
  readonly #means: Floats;
  /** Products of the means with W_res; later their gradient. */
  readonly #products: Floats;
  /** 0, 1, 2, … */
  readonly #numbers: Uint32Array;
  readonly #placedNumbers: Integers;

  /** `layer` is the last layer. */
  constructor(
    pool: BufferPool,
    layer: Pick<LayerSetup, 'config' | 'weights' | 'gradients'>,
    graph: PlacedGraph,
    masked: PlacedPairs,
    pairs: NonHubPairs,
  ) {
    const { hidden } = layer.config;
    this.#device = pool.device;
    this.#pool = pool;
    this.#layer = layer;
    this.#graph = graph;
    this.#masked = masked;
    this.#pairs = pairs;
    this.#inverseDegree = pool.floats(pairs.count);
    pool.device.write(this.#inverseDegree, pairs.inverseDegree);
    this.#means = pool.floats(pairs.count * hidden);
    this.#products = pool.floats(pairs.count * hidden);
    this.#numbers = pairs.positions.map((_, i) => i);
    this.#placedNumbers = pool.integers(this.#numbers);
  }

  /** Computes the means of h, the input of the last layer. */
  collect(h: Floats): void {
    const { hidden } = this.#layer.config;
    this.#device.enqueue('segmentSum', {
      hidden,
      work: this.#pool.work(this.#pairs.work),
      entries: this.#graph.pairNeighbours,
      sourceRows: null,
      from: h,
      fromScale: null,
      scale: this.#inverseDegree,
      out: this.#means,
      add: false,
    });
  }

  /** Adds the residual to the means of the results of the last layer. */
  addTo(means: Floats): void {
    const { config, weights } = this.#layer;
    const { hidden } = config;
    const { count: rows, positions } = this.#pairs;
    this.#device.enqueue('linear', {
      hidden,
      rows,
      x: this.#means,
      index: null,
      w: weights('wRes'),
      bias: null,
      out: this.#products,
      add: false,
    });
    this.#device.enqueue('segmentSum', {
      hidden,
      work: this.#planSingleEntries(positions),
      entries: this.#placedNumbers,
      sourceRows: null,
      from: this.#products,
      fromScale: null,
      scale: null,
      out: means,
      add: true,
    });
  }

  /** Adds to the gradients of W_res and h. Sets the gradient of the bias, which every masked pair includes. */
  backward(dMeans: Floats, dInput: Floats): void {
    const { config, weights, gradients } = this.#layer;
    const { hidden } = config;
    const { count: rows, positions, indexPairs } = this.#pairs;
    const device = this.#device;
    device.enqueue('sumRows', {
      hidden,
      rows: this.#masked.errors.length,
      from: dMeans,
      out: gradients('bias'),
    });
    const dProducts = this.#products;
    device.enqueue('segmentSum', {
      hidden,
      work: this.#planSingleEntries(),
      entries: this.#pool.integers(positions),
      sourceRows: null,
      from: dMeans,
      fromScale: null,
      scale: null,
      out: dProducts,
      add: false,
    });
    device.enqueue('linearGradWeights', {
      hidden,
      rows,
      x: this.#means,
      index: null,
      dOut: dProducts,
      dw: gradients('wRes'),
      dBias: null,
      add: true,
    });
    const dInputMeans = this.#means;
    device.enqueue('linearGradInput', {
      hidden,
      rows,
      dOut: dProducts,
      w: weights('wRes'),
      second: null,
      dx: dInputMeans,
      add: false,
    });
    const { connectedCount, hubCount, readers } = this.#graph;
    device.enqueue('segmentSum', {
      hidden,
      work: readers.nonHubWork,
      entries: readers.pairs,
      sourceRows: this.#pool.integers(indexPairs()),
      from: dInputMeans,
      fromScale: this.#inverseDegree,
      scale: null,
      add: true,
      out: device.view(dInput, hubCount * hidden, (connectedCount - hubCount) * hidden),
    });
  }

  /** Work in which each row has one entry: row rows[i], or row i, has entry i. */
  #planSingleEntries(rows?: Uint32Array): WorkList<Integers> {
    const ends = this.#numbers.map((i) => i + 1);
    return this.#pool.work(planWork(this.#pairs.count, this.#numbers, ends, rows));
  }
}
