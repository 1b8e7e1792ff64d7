import type { Random } from '../../../base/random.js';
import { dropFactors, scaled } from '../learning/activations.js';
import { AttentionLayer } from '../learning/attention-layer.js';
import type { EdgeRows } from '../learning/edge-rows.js';
import { Linear } from '../learning/linear.js';
import { type Parameter, Parameters } from '../learning/parameters.js';
import type { Products, Reals } from '../learning/products.js';
import type { MagicOptions } from './magic-options.js';
import { type NodePairs, PairClassifier } from './pair-classifier.js';
import { cosineErrors } from './scaled-cosine.js';

const SLOPE = 0.2;

/** What a step draws at random. A test can fix it. */
export interface MagicDraw {
  /** The nodes to mask. */
  readonly masked: ArrayLike<number>;
  readonly pairs: NodePairs;
  /** For dropout; null drops nothing. */
  readonly random: Random | null;
}

/** MAGIC's masked graph autoencoder: a graph of typed nodes and typed edges in, an embedding of every node out. */
export class MagicNetwork {
  readonly parameters: Parameters;
  readonly token: Parameter;
  readonly encoder: readonly AttentionLayer[];
  readonly toDecoder: Linear;
  readonly decoder: AttentionLayer;
  readonly classifier: PairClassifier;
  readonly #options: MagicOptions;
  readonly #products: Products;
  readonly #types: number;

  constructor(
    products: Products,
    options: MagicOptions,
    sizes: { readonly types: number; readonly relations: number },
    random: Random,
  ) {
    const { hidden, heads, layers } = options;
    const { types, relations } = sizes;
    this.#options = options;
    this.#products = products;
    this.#types = types;
    this.parameters = new Parameters(products.Reals, random);
    this.token = this.parameters.constant(1, types, 0);
    const common = { relations, slope: SLOPE };
    this.encoder = Array.from(
      { length: layers },
      (_, l) =>
        new AttentionLayer(products, this.parameters, {
          ...common,
          inputs: l === 0 ? types : hidden,
          heads,
          width: hidden / heads,
          residual: true,
          activation: true,
        }),
    );
    this.toDecoder = new Linear(products, this.parameters, hidden * layers, hidden, { bias: false });
    this.decoder = new AttentionLayer(products, this.parameters, {
      ...common,
      inputs: hidden,
      heads: 1,
      width: types,
      residual: false,
      activation: false,
    });
    this.classifier = new PairClassifier(products, this.parameters, hidden * layers, hidden, SLOPE);
  }

  /** The last layer's output, without masks. */
  embed(graph: EdgeRows, types: Uint8Array): Reals {
    let h: Reals = this.#oneHot(types);
    for (const layer of this.encoder) h = layer.forward(graph, h);
    return h;
  }

  /** Computes the loss and adds `scale` times its gradient. */
  learn(graph: EdgeRows, types: Uint8Array, draw: MagicDraw, scale = 1): number {
    const { hidden, layers, dropout, exponent } = this.#options;
    const { nodes } = graph;
    const target = this.#oneHot(types);
    let h: Reals = target.slice();
    for (let i = 0; i < draw.masked.length; i++) h.set(this.token.w, draw.masked[i] * this.#types);
    const outputs: Reals[] = [];
    const factors: (Float32Array | null)[] = [];
    for (const layer of this.encoder) {
      factors.push(dropFactors(h.length, dropout, draw.random));
      h = layer.forward(graph, scaled(h, factors[factors.length - 1]));
      outputs.push(h);
    }
    const all = joinColumns(outputs, nodes, hidden, this.#products);
    const code = this.toDecoder.forward(all, nodes);
    const decoderFactors = dropFactors(code.length, dropout, draw.random);
    const decoded = this.decoder.forward(graph, scaled(code, decoderFactors));
    const { loss, gradient } = cosineErrors(decoded, target, this.#types, draw.masked, exponent, scale);
    const dAll = new this.#products.Reals(all.length);
    const pairLoss = this.classifier.learn(all, draw.pairs, dAll, scale);

    const dCode = scaled(this.decoder.backward(gradient) as Reals, decoderFactors);
    const dFromDecoder = this.toDecoder.backward(dCode) as Reals;
    for (let i = 0; i < dAll.length; i++) dAll[i] += dFromDecoder[i];
    let dh: Reals = takeColumns(dAll, nodes, hidden, layers, layers - 1, this.#products);
    for (let l = layers - 1; l >= 0; l--) {
      const dx = scaled(this.encoder[l].backward(dh) as Reals, factors[l]);
      if (l === 0) this.#tokenGradient(dx, draw.masked);
      else {
        dh = takeColumns(dAll, nodes, hidden, layers, l - 1, this.#products);
        for (let i = 0; i < dh.length; i++) dh[i] += dx[i];
      }
    }
    return loss + pairLoss;
  }

  #tokenGradient(dx: Reals, masked: ArrayLike<number>): void {
    for (let i = 0; i < masked.length; i++) {
      for (let k = 0; k < this.#types; k++) this.token.d[k] += dx[masked[i] * this.#types + k];
    }
  }

  #oneHot(types: Uint8Array): Reals {
    const x = new this.#products.Reals(types.length * this.#types);
    // A type that training lacks has no column.
    types.forEach((type, v) => {
      if (type < this.#types) x[v * this.#types + type] = 1;
    });
    return x;
  }
}

function joinColumns(parts: readonly Reals[], rows: number, width: number, { Reals }: Products): Reals {
  const all = new Reals(rows * width * parts.length);
  parts.forEach((part, p) => {
    for (let row = 0; row < rows; row++) {
      all.set(part.subarray(row * width, (row + 1) * width), (row * parts.length + p) * width);
    }
  });
  return all;
}

function takeColumns(
  all: Reals,
  rows: number,
  width: number,
  parts: number,
  part: number,
  { Reals }: Products,
): Reals {
  const out = new Reals(rows * width);
  for (let row = 0; row < rows; row++) {
    const from = (row * parts + part) * width;
    out.set(all.subarray(from, from + width), row * width);
  }
  return out;
}
