import type { Random } from '../../../base/random.js';
import {
  crossEntropy,
  dropFactors,
  relu,
  reluGradient,
  scaled,
  softmaxRows,
} from '../learning/activations.js';
import { type Linear, uniformLinear } from '../learning/linear.js';
import { addMeanGradient, meanOf, pickRows } from '../learning/neighbour-mean.js';
import { Parameters } from '../learning/parameters.js';
import type { Products, Reals } from '../learning/products.js';
import type { ThreatraceGraph } from './threatrace-graph.js';
import type { ThreatraceOptions } from './threatrace-options.js';

/** Two layers of GraphSAGE that predict the type of a node: W₂·mean(ReLU(W₁·mean(x) + b₁)) + b₂. */
export class ThreatraceNetwork {
  readonly parameters: Parameters;
  readonly first: Linear;
  readonly second: Linear;
  readonly #products: Products;
  readonly #options: ThreatraceOptions;
  readonly #inputs: number;
  readonly #kinds: number;

  constructor(
    products: Products,
    options: ThreatraceOptions,
    sizes: { readonly inputs: number; readonly kinds: number },
    random: Random,
  ) {
    this.#products = products;
    this.#options = options;
    this.#inputs = sizes.inputs;
    this.#kinds = sizes.kinds;
    this.parameters = new Parameters(products.Reals, random);
    this.first = uniformLinear(products, this.parameters, sizes.inputs, options.hidden);
    this.second = uniformLinear(products, this.parameters, options.hidden, sizes.kinds);
  }

  /** The probability of each kind, for some nodes of a graph. */
  predict({ mean, inputs }: ThreatraceGraph, nodes: ArrayLike<number>): Reals {
    const { hidden } = this.#options;
    const rows = mean.select(nodes);
    const h = relu(this.first.forward(pickRows(inputs, this.#inputs, rows.needed), rows.needed.length));
    return softmaxRows(this.second.forward(meanOf(rows, h, hidden), nodes.length), this.#kinds);
  }

  /** Computes the mean loss of some nodes and adds its gradient. `random` is for dropout; null drops nothing. */
  learn({ mean, inputs, kinds }: ThreatraceGraph, nodes: ArrayLike<number>, random: Random | null): number {
    const { hidden, dropout } = this.#options;
    const rows = mean.select(nodes);
    const h = relu(this.first.forward(pickRows(inputs, this.#inputs, rows.needed), rows.needed.length));
    const factors = dropFactors(h.length, dropout, random);
    const logits = this.second.forward(meanOf(rows, scaled(h, factors), hidden), nodes.length);
    const labels = Uint8Array.from({ length: nodes.length }, (_, i) => kinds[nodes[i]]);
    const loss = crossEntropy(logits, this.#kinds, labels);
    const dMeans = this.second.backward(logits) as Reals;
    const dh = new this.#products.Reals(h.length);
    addMeanGradient(rows, dMeans, hidden, dh);
    this.first.backward(reluGradient(h, scaled(dh, factors)), false);
    return loss;
  }
}
