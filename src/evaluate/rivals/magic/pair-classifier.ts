import { Linear } from '../learning/linear.js';
import type { Parameters } from '../learning/parameters.js';
import type { Products, Reals } from '../learning/products.js';

/** Pairs of nodes. The first `connected` pairs are edges. */
export interface NodePairs {
  readonly length: number;
  readonly connected: number;
  readonly source: ArrayLike<number>;
  readonly target: ArrayLike<number>;
}

/** Tells pairs with an edge from pairs without: a hidden layer with LeakyReLU over both embeddings, then a sigmoid. */
export class PairClassifier {
  readonly first: Linear;
  readonly second: Linear;
  readonly #products: Products;
  readonly #width: number;
  readonly #slope: number;

  constructor(products: Products, parameters: Parameters, width: number, hidden: number, slope: number) {
    this.#products = products;
    this.#width = width;
    this.#slope = slope;
    this.first = new Linear(products, parameters, 2 * width, hidden);
    this.second = new Linear(products, parameters, hidden, 1);
  }

  /** The mean binary cross entropy. Adds `scale` times its gradient to the weights and to dRows. */
  learn(rows: Reals, pairs: NodePairs, dRows: Reals, scale = 1): number {
    if (pairs.length === 0) return 0;
    const width = this.#width;
    const x = new this.#products.Reals(pairs.length * 2 * width);
    for (let p = 0; p < pairs.length; p++) {
      const [s, t] = [pairs.source[p] * width, pairs.target[p] * width];
      x.set(rows.subarray(s, s + width), 2 * p * width);
      x.set(rows.subarray(t, t + width), (2 * p + 1) * width);
    }
    const hidden = this.first.forward(x, pairs.length);
    const isNegative = new Uint8Array(hidden.length);
    for (let i = 0; i < hidden.length; i++) {
      if (hidden[i] > 0) continue;
      isNegative[i] = 1;
      hidden[i] *= this.#slope;
    }
    const logits = this.second.forward(hidden, pairs.length);
    let loss = 0;
    for (let p = 0; p < pairs.length; p++) {
      const label = p < pairs.connected ? 1 : 0;
      const logit = logits[p];
      // ln(1 + e^|x|) without overflow.
      loss += (Math.max(logit, 0) - logit * label + Math.log1p(Math.exp(-Math.abs(logit)))) / pairs.length;
      logits[p] = (scale * (1 / (1 + Math.exp(-logit)) - label)) / pairs.length;
    }
    const dHidden = this.second.backward(logits) as Reals;
    for (let i = 0; i < dHidden.length; i++) if (isNegative[i] === 1) dHidden[i] *= this.#slope;
    const dx = this.first.backward(dHidden) as Reals;
    for (let p = 0; p < pairs.length; p++) {
      const [s, t] = [pairs.source[p] * width, pairs.target[p] * width];
      for (let k = 0; k < width; k++) {
        dRows[s + k] += dx[2 * p * width + k];
        dRows[t + k] += dx[(2 * p + 1) * width + k];
      }
    }
    return loss;
  }
}
