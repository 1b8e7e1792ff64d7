import type { Parameter, Parameters } from './parameters.js';
import type { Products, Reals } from './products.js';

/** out = x·w + bias, by default with Glorot weights and a bias of 0. `backward` follows its own `forward`. */
export class Linear {
  readonly w: Parameter;
  readonly bias: Parameter | null;
  readonly #products: Products;
  #x: Reals | undefined;

  constructor(
    products: Products,
    parameters: Parameters,
    inner: number,
    columns: number,
    start: { readonly w?: Parameter; readonly bias?: Parameter | boolean } = {},
  ) {
    const { w = parameters.glorot(inner, columns), bias = true } = start;
    this.#products = products;
    this.w = w;
    if (typeof bias === 'boolean') this.bias = bias ? parameters.constant(1, columns, 0) : null;
    else this.bias = bias;
  }

  forward(x: Reals, rows: number): Reals {
    this.#x = x;
    const { rows: inner, columns } = this.w;
    const out = new this.#products.Reals(rows * columns);
    if (this.bias !== null) for (let row = 0; row < rows; row++) out.set(this.bias.w, row * columns);
    this.#products.multiply({ rows, inner, columns }, x, this.w.w, out);
    return out;
  }

  /** Adds to the gradients of the weights. Returns dx, or null if the input needs no gradient. */
  backward(dOut: Reals, needsInput = true): Reals | null {
    if (!needsInput) {
      this.#learn(dOut);
      return null;
    }
    const { rows: inner, columns } = this.w;
    const dx = new this.#products.Reals((dOut.length / columns) * inner);
    this.backwardInto(dOut, dx);
    return dx;
  }

  /** As `backward`, but adds to dx. */
  backwardInto(dOut: Reals, dx: Reals): void {
    this.#learn(dOut);
    const { rows: inner, columns } = this.w;
    this.#products.inputGradient({ rows: dOut.length / columns, inner, columns }, dOut, this.w.w, dx);
  }

  #learn(dOut: Reals): void {
    if (this.#x === undefined) throw new TypeError('Linear.backward: call forward first');
    const { rows: inner, columns } = this.w;
    const rows = dOut.length / columns;
    this.#products.weightGradient({ rows, inner, columns }, this.#x, dOut, this.w.d);
    if (this.bias !== null) {
      const { d } = this.bias;
      for (let at = 0; at < dOut.length; at += columns)
        for (let j = 0; j < columns; j++) d[j] += dOut[at + j];
    }
    this.#x = undefined;
  }
}

/** A linear layer whose weights and bias start uniform in ±1/√inputs, as in the framework of most rivals. */
export function uniformLinear(
  products: Products,
  parameters: Parameters,
  inner: number,
  columns: number,
): Linear {
  const limit = 1 / Math.sqrt(inner);
  const w = parameters.uniform(inner, columns, limit);
  const bias = parameters.uniform(1, columns, limit);
  return new Linear(products, parameters, inner, columns, { w, bias });
}
