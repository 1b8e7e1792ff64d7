import type { Device, Floats, Integers } from '../../compute/device.js';
import { planWork, type WorkList } from '../../compute/work-list.js';
import type { GraphLayout } from '../layout/graph-layout.js';
import type { BufferPool, PlacedGraph, PlacedSlots } from '../layout/placed-graph.js';
import { type Slots, slotsOfPairs } from '../layout/slots.js';
import type { LayerSetup } from './layer.js';

/** The slots that read someone who is no hub. */
export interface RestSlots {
  readonly count: number;
  /** Those slots, ascending. */
  readonly slots: Uint32Array;
  /** One over the number of all that the slot reads, hubs too. */
  readonly inverseDegree: Float64Array;
  /** What each reads beside hubs. */
  readonly work: WorkList;
  /** For each pair which of these it is, or NO_SLOT. */
  readonly ofPair: () => Uint32Array;
}

export function findRest(slots: Slots, { pairs, hubStarts }: GraphLayout): RestSlots {
  const chosen = new Uint32Array(slots.count);
  let count = 0;
  slots.pairs.forEach((pair, slot) => {
    if (hubStarts[pair] > pairs.offsets[pair]) chosen[count++] = slot;
  });
  const those = chosen.slice(0, count);
  const ofSlots = those.map((slot) => slots.pairs[slot]);
  const inverseDegree = new Float64Array(count);
  those.forEach((slot, i) => {
    inverseDegree[i] = slots.inverseDegree[slot];
  });
  return {
    count,
    slots: those,
    inverseDegree,
    work: planWork(
      count,
      ofSlots.map((pair) => pairs.offsets[pair]),
      ofSlots.map((pair) => hubStarts[pair]),
    ),
    ofPair: () => slotsOfPairs({ pairs: ofSlots }, pairs.nodes.length),
  };
}

/**
 * The residual of the last layer, taken over means. That layer has no PReLU, so what a decoder reads, the mean of its
 * results over some neighbours, is mean(Σ α y) + W_res·mean(h) + bias: a product for each (masked node, relation) and
 * none for each node. Of what a decoder reads hubs are left out: many read them, so their residual is computed for
 * themselves (see hubs.ts), and most decoders read nothing but hubs and need no product.
 */
export class ResidualMeans {
  readonly #device: Device;
  readonly #pool: BufferPool;
  readonly #layer: Pick<LayerSetup, 'config' | 'weights' | 'gradients'>;
  readonly #graph: PlacedGraph;
  readonly #slots: PlacedSlots;
  readonly #rest: RestSlots;
  readonly #inverseDegree: Floats;
  /** Of h, a row for each slot of the rest; and their products, or the gradient of those. */
  readonly #means: Floats;
  readonly #products: Floats;
  /** 0, 1, 2 and so on. */
  readonly #starts: Uint32Array;
  readonly #numbers: Integers;

  /** `layer` is the last one. */
  constructor(
    pool: BufferPool,
    layer: Pick<LayerSetup, 'config' | 'weights' | 'gradients'>,
    graph: PlacedGraph,
    slots: PlacedSlots,
    rest: RestSlots,
  ) {
    const { hidden } = layer.config;
    this.#device = pool.device;
    this.#pool = pool;
    this.#layer = layer;
    this.#graph = graph;
    this.#slots = slots;
    this.#rest = rest;
    this.#inverseDegree = pool.floats(rest.count);
    pool.device.write(this.#inverseDegree, rest.inverseDegree);
    this.#means = pool.floats(rest.count * hidden);
    this.#products = pool.floats(rest.count * hidden);
    this.#starts = rest.slots.map((_, i) => i);
    this.#numbers = pool.integers(this.#starts);
  }

  /** From the last layer's input. */
  collect(h: Floats): void {
    const { hidden } = this.#layer.config;
    this.#device.enqueue('segmentSum', {
      hidden,
      work: this.#pool.work(this.#rest.work),
      entries: this.#graph.pairNeighbours,
      slots: null,
      from: h,
      fromScale: null,
      scale: this.#inverseDegree,
      out: this.#means,
      add: false,
    });
  }

  /** Onto the means of the last layer's results. */
  addTo(means: Floats): void {
    const { config, weights } = this.#layer;
    const { hidden } = config;
    const { count: rows, slots } = this.#rest;
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
      work: this.#oneEach(slots),
      entries: this.#numbers,
      slots: null,
      from: this.#products,
      fromScale: null,
      scale: null,
      out: means,
      add: true,
    });
  }

  /** Adds to the gradients of W_res and h, and sets that of the bias, which all slots have. */
  backward(dMeans: Floats, dInput: Floats): void {
    const { config, weights, gradients } = this.#layer;
    const { hidden } = config;
    const { count: rows, slots, ofPair } = this.#rest;
    const device = this.#device;
    device.enqueue('sumRows', {
      hidden,
      rows: this.#slots.errors.length,
      from: dMeans,
      out: gradients('bias'),
    });
    const dProducts = this.#products; // used up
    device.enqueue('segmentSum', {
      hidden,
      work: this.#oneEach(),
      entries: this.#pool.integers(slots),
      slots: null,
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
    const dOfMeans = this.#means; // used up
    device.enqueue('linearGradInput', {
      hidden,
      rows,
      dOut: dProducts,
      w: weights('wRes'),
      second: null,
      dx: dOfMeans,
      add: false,
    });
    const { connected, hubs, readers } = this.#graph;
    device.enqueue('segmentSum', {
      hidden,
      work: readers.workOfOthers,
      entries: readers.pairs,
      slots: this.#pool.integers(ofPair()),
      from: dOfMeans,
      fromScale: this.#inverseDegree,
      scale: null,
      add: true,
      out: device.view(dInput, hubs * hidden, (connected - hubs) * hidden),
    });
  }

  /** Row i, or the row of that number, has entry i. */
  #oneEach(numbers?: Uint32Array): WorkList<Integers> {
    const ends = this.#starts.map((i) => i + 1);
    return this.#pool.work(planWork(this.#rest.count, this.#starts, ends, numbers));
  }
}
