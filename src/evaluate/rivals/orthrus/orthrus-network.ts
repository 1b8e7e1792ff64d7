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
import { Parameters } from '../learning/parameters.js';
import type { Products, Reals } from '../learning/products.js';
import { TransformerLayer } from '../learning/transformer-layer.js';
import type { OrthrusBatch } from './neighbour-memory.js';
import type { OrthrusOptions } from './orthrus-options.js';

/** Predicts the relation of an edge from the embeddings of its ends, which see the latest edges of each end. */
export class OrthrusNetwork {
  readonly parameters: Parameters;
  readonly asSource: Linear;
  readonly asTarget: Linear;
  readonly first: TransformerLayer;
  readonly second: TransformerLayer;
  readonly decodeSource: Linear;
  readonly decodeTarget: Linear;
  readonly hidden: Linear;
  readonly output: Linear;
  readonly #products: Products;
  readonly #options: OrthrusOptions;
  readonly #relations: number;

  constructor(
    products: Products,
    options: OrthrusOptions,
    sizes: { readonly inputs: number; readonly relations: number },
    random: Random,
  ) {
    const { projected, hidden, heads, out, dropout } = options;
    const { inputs, relations } = sizes;
    this.#products = products;
    this.#options = options;
    this.#relations = relations;
    this.parameters = new Parameters(products.Reals, random);
    const linear = (inner: number, columns: number) =>
      uniformLinear(products, this.parameters, inner, columns);
    this.asSource = linear(inputs, projected);
    this.asTarget = linear(inputs, projected);
    // The encoder also sees edges of relations that training lacks; their vector stays as it starts.
    const common = { relations: relations + 1, dropout };
    const layer = (inner: number, count: number, width: number) =>
      new TransformerLayer(products, this.parameters, { ...common, inputs: inner, heads: count, width });
    this.first = layer(projected, heads, hidden);
    this.second = layer(heads * hidden, 1, out);
    this.decodeSource = linear(out, 2 * out);
    this.decodeTarget = linear(out, 2 * out);
    this.hidden = linear(4 * out, 2 * out);
    this.output = linear(2 * out, relations);
  }

  /** −ln P(r) of each edge; NaN for a relation that training lacks. */
  losses(batch: OrthrusBatch): Float64Array {
    const { logits } = this.#forward(batch, null);
    const columns = this.#relations;
    softmaxRows(logits, columns);
    return Float64Array.from(batch.relations, (relation, i) =>
      relation < columns ? -Math.log(Math.max(logits[i * columns + relation], 1e-30)) : Number.NaN,
    );
  }

  /** Computes the mean loss of the edges and adds its gradient. `random` is for dropout; null drops nothing. */
  learn(batch: OrthrusBatch, random: Random | null): number {
    const { out } = this.#options;
    const { graph, sources, targets } = batch;
    const pass = this.#forward(batch, random);
    const { logits, hidden, h1, factors } = pass;
    const loss = crossEntropy(logits, this.#relations, batch.relations);
    const dHidden = reluGradient(hidden, this.output.backward(logits) as Reals);
    const dPair = this.hidden.backward(dHidden) as Reals;
    const edges = batch.relations.length;
    const half = (from: number) => {
      const part = new this.#products.Reals(edges * 2 * out);
      for (let i = 0; i < edges; i++) {
        const at = i * 4 * out + from;
        part.set(dPair.subarray(at, at + 2 * out), i * 2 * out);
      }
      return part;
    };
    const dh = new this.#products.Reals(graph.nodes * out);
    scatter(this.decodeSource.backward(half(0)) as Reals, sources, out, dh);
    scatter(this.decodeTarget.backward(half(2 * out)) as Reals, targets, out, dh);
    const dFirst = reluGradient(h1, scaled(this.second.backward(dh), factors));
    const dx = this.first.backward(dFirst);
    this.asSource.backward(dx, false);
    this.asTarget.backward(dx, false);
    return loss;
  }

  #forward(
    { rows, graph, asSource, asTarget, sources, targets, relations }: OrthrusBatch,
    random: Random | null,
  ) {
    const { out, dropout } = this.#options;
    const x = this.asSource.forward(asSource, rows);
    const other = this.asTarget.forward(asTarget, rows);
    for (let i = 0; i < x.length; i++) x[i] += other[i];
    const h1 = relu(this.first.forward(graph, x, rows, rows, random));
    const factors = dropFactors(h1.length, dropout, random);
    const h = this.second.forward(graph, scaled(h1, factors), rows, graph.nodes, random);
    const edges = relations.length;
    const gather = (nodes: Int32Array) => {
      const part = new this.#products.Reals(edges * out);
      nodes.forEach((node, i) => {
        part.set(h.subarray(node * out, (node + 1) * out), i * out);
      });
      return part;
    };
    const source = this.decodeSource.forward(gather(sources), edges);
    const target = this.decodeTarget.forward(gather(targets), edges);
    const pair = new this.#products.Reals(edges * 4 * out);
    for (let i = 0; i < edges; i++) {
      pair.set(source.subarray(i * 2 * out, (i + 1) * 2 * out), i * 4 * out);
      pair.set(target.subarray(i * 2 * out, (i + 1) * 2 * out), i * 4 * out + 2 * out);
    }
    const hidden = relu(this.hidden.forward(pair, edges));
    return { logits: this.output.forward(hidden, edges), hidden, h1, factors };
  }
}

/** Adds each row of `from` to a row of `to`. */
function scatter(from: Reals, rows: Int32Array, width: number, to: Reals): void {
  rows.forEach((row, i) => {
    for (let j = 0; j < width; j++) to[row * width + j] += from[i * width + j];
  });
}
