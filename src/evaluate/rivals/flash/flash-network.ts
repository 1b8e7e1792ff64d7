import type { Random } from '../../../base/random.js';
import { crossEntropy, dropFactors, relu, reluGradient, scaled } from '../learning/activations.js';
import { type Linear, uniformLinear } from '../learning/linear.js';
import { addMeanGradient, meanOf, type NeighbourMean, pickRows } from '../learning/neighbour-mean.js';
import { Parameters } from '../learning/parameters.js';
import type { Products, Reals } from '../learning/products.js';
import { normaliseRows, normaliseRowsGradient } from '../learning/row-norms.js';

/** A graph as FLASH's network sees it. */
export interface FlashGraph {
  readonly mean: NeighbourMean;
  /** Document vectors of the nodes, and their means over the neighbours. */
  readonly own: Reals;
  readonly around: Reals;
  readonly kinds: Uint8Array;
}

/** Two layers of GraphSAGE, each W_l·mean + W_r·own scaled to length one, that predict the type of a node. */
export class FlashNetwork {
  readonly parameters: Parameters;
  readonly firstAround: Linear;
  readonly firstOwn: Linear;
  readonly secondAround: Linear;
  readonly secondOwn: Linear;
  readonly #products: Products;
  readonly #options: { readonly hidden: number; readonly dropout: number };
  readonly #sizes: { readonly inputs: number; readonly kinds: number };

  constructor(
    products: Products,
    options: { readonly hidden: number; readonly dropout: number },
    sizes: { readonly inputs: number; readonly kinds: number },
    random: Random,
  ) {
    this.#products = products;
    this.#options = options;
    this.#sizes = sizes;
    this.parameters = new Parameters(products.Reals, random);
    const linear = (inner: number, columns: number) =>
      uniformLinear(products, this.parameters, inner, columns);
    this.firstAround = linear(sizes.inputs, options.hidden);
    this.firstOwn = linear(sizes.inputs, options.hidden);
    this.secondAround = linear(options.hidden, sizes.kinds);
    this.secondOwn = linear(options.hidden, sizes.kinds);
  }

  /** The embeddings of some nodes: the output of the first layer. */
  embed(graph: FlashGraph, nodes: ArrayLike<number>): Reals {
    return relu(this.#first(graph, nodes).h);
  }

  /** Computes the weighted mean loss of some nodes and adds its gradient. `weights` by kind. */
  learn(
    graph: FlashGraph,
    nodes: ArrayLike<number>,
    weights: ArrayLike<number>,
    random: Random | null,
  ): number {
    const { hidden, dropout } = this.#options;
    const { kinds } = this.#sizes;
    const rows = graph.mean.select(nodes);
    const { h, norms } = this.#first(graph, rows.needed);
    const normalised = h.slice();
    relu(h);
    const factors = dropFactors(h.length, dropout, random);
    const dropped = scaled(h, factors);
    // The chosen nodes are the first of the needed ones.
    const out = this.secondAround.forward(meanOf(rows, dropped, hidden), nodes.length);
    addTo(out, this.secondOwn.forward(dropped.slice(0, nodes.length * hidden), nodes.length));
    const outNorms = normaliseRows(out, kinds);
    const logits = out.slice();
    const labels = Uint8Array.from({ length: nodes.length }, (_, i) => graph.kinds[nodes[i]]);
    const loss = crossEntropy(
      logits,
      kinds,
      labels,
      Float64Array.from(labels, (kind) => weights[kind]),
    );
    const dOut = normaliseRowsGradient(out, outNorms, kinds, logits);
    const dh = new this.#products.Reals(h.length);
    addMeanGradient(rows, this.secondAround.backward(dOut) as Reals, hidden, dh);
    addTo(dh, this.secondOwn.backward(dOut) as Reals);
    const dFirst = normaliseRowsGradient(normalised, norms, hidden, reluGradient(h, scaled(dh, factors)));
    this.firstAround.backward(dFirst, false);
    this.firstOwn.backward(dFirst, false);
    return loss;
  }

  #first({ own, around }: FlashGraph, nodes: ArrayLike<number>): { h: Reals; norms: Reals } {
    const { inputs } = this.#sizes;
    const h = this.firstAround.forward(pickRows(around, inputs, nodes), nodes.length);
    addTo(h, this.firstOwn.forward(pickRows(own, inputs, nodes), nodes.length));
    return { h, norms: normaliseRows(h, this.#options.hidden) };
  }
}

/** Adds to the first numbers of an array. */
function addTo(target: Reals, source: Reals): void {
  for (let i = 0; i < source.length; i++) target[i] += source[i];
}
