import type { Device, Floats, Words } from '../compute/device.js';
import type { LayerSetup } from './layer.js';
import type { BufferPool, PlacedGraph, PlacedSlots } from './placed-graph.js';
import type { Slots } from './slots.js';

/** Rows that are gathered in the time of one row's product with W_res, forward and backward alike. */
const GATHERS_A_PRODUCT = 10;

/**
 * The residual of the last layer, taken over means. That layer has no PReLU, so what a decoder reads, the mean of its
 * results over some neighbours, is mean(Σ α y) + W_res·mean(h) + bias: a product for each (masked node, relation) and
 * none for each node.
 */
export class ResidualMeans {
  readonly #device: Device;
  readonly #hidden: number;
  readonly #layer: Pick<LayerSetup, 'weights' | 'gradients'>;
  readonly #graph: PlacedGraph;
  readonly #slots: PlacedSlots;
  readonly #count: number;
  /** mean(h) of each slot. */
  readonly #means: Floats;

  /** `layer` is the last one. */
  constructor(
    pool: BufferPool,
    hidden: number,
    layer: Pick<LayerSetup, 'weights' | 'gradients'>,
    graph: PlacedGraph,
    slots: PlacedSlots,
  ) {
    this.#device = pool.device;
    this.#hidden = hidden;
    this.#layer = layer;
    this.#graph = graph;
    this.#slots = slots;
    this.#count = slots.errors.length;
    this.#means = pool.floats(slots.means.length);
  }

  /** Whether there is less to do than for `rows` nodes. */
  static pays(slots: Pick<Slots, 'count' | 'entries'>, rows: number): boolean {
    return slots.count + slots.entries / GATHERS_A_PRODUCT < rows;
  }

  /** From the last layer's input. */
  collect(h: Floats): void {
    const { work, inverseDegree: scale } = this.#slots;
    this.#device.enqueue('segmentSum', {
      ...{ hidden: this.#hidden, work, entries: this.#graph.pairNeighbours, slots: null },
      ...{ from: h, fromScale: null, scale, out: this.#means, add: false },
    });
  }

  /** Onto the means of the last layer's results. */
  addTo(means: Floats): void {
    const { weights } = this.#layer;
    const [w, bias] = [weights('wRes'), weights('bias')];
    this.#device.enqueue('linear', {
      ...{
        hidden: this.#hidden,
        rows: this.#count,
        x: this.#means,
        index: null,
        w,
        bias,
        out: means,
        add: true,
      },
    });
  }

  /** Sets the gradients of W_res and bias and adds to that of h; `ofPair` is the slot of each pair. */
  backward(dMeans: Floats, dInput: Floats, ofPair: Words): void {
    const { readers } = this.#graph;
    const { weights, gradients } = this.#layer;
    const { inverseDegree } = this.#slots;
    const hidden = this.#hidden;
    const rows = this.#count;
    const [dw, dBias] = [gradients('wRes'), gradients('bias')];
    this.#device.enqueue('linearGradWeights', {
      ...{ hidden, rows, x: this.#means, index: null, dOut: dMeans, dw, dBias },
    });
    const dOfMeans = this.#means; // used up
    this.#device.enqueue('linearGradInput', {
      ...{ hidden, rows, dOut: dMeans, w: weights('wRes'), second: null, dx: dOfMeans, add: false },
    });
    this.#device.enqueue('segmentSum', {
      ...{ hidden, work: readers.work, entries: readers.pairs, slots: ofPair },
      ...{ from: dOfMeans, fromScale: inverseDegree, scale: null, out: dInput, add: true },
    });
  }
}
