import type { Random } from '../../../base/random.js';
import { dropFactors } from './activations.js';
import type { EdgeRows } from './edge-rows.js';
import { FoldedAttention } from './folded-attention.js';
import { type Linear, uniformLinear } from './linear.js';
import type { Parameter, Parameters } from './parameters.js';
import type { Products, Reals } from './products.js';

export interface TransformerShape {
  readonly inputs: number;
  readonly heads: number;
  /** Outputs of each head; the heads are concatenated. */
  readonly width: number;
  readonly relations: number;
  /** Dropout of the attention weights. */
  readonly dropout: number;
}

/** What `forward` leaves for `backward`. */
interface Kept {
  readonly graph: EdgeRows;
  readonly q: Reals;
  readonly k: Reals;
  readonly v: Reals;
  readonly alpha: Reals;
  readonly factors: Float32Array | null;
}

/**
 * Graph attention with queries, keys and values (Shi et al. 2021): out_v = W_s x_v + Σ α (W_v x_u + e_r), where α is the
 * softmax of q_v·(W_k x_u + e_r) / √width.
 */
export class TransformerLayer {
  readonly shape: TransformerShape;
  readonly outputs: number;
  readonly query: Linear;
  readonly key: Linear;
  readonly value: Linear;
  readonly skip: Linear;
  readonly edges: Parameter;
  readonly #products: Products;
  readonly #folded: FoldedAttention | undefined;
  #kept: Kept | undefined;
  #inputLength = 0;

  constructor(products: Products, parameters: Parameters, shape: TransformerShape) {
    const { inputs, heads, width, relations } = shape;
    this.#products = products;
    this.shape = shape;
    this.outputs = heads * width;
    const layer = () => uniformLinear(products, parameters, inputs, this.outputs);
    this.key = layer();
    this.query = layer();
    this.value = layer();
    this.edges = parameters.uniform(relations, this.outputs, 1 / Math.sqrt(relations));
    this.skip = layer();
    // Narrow inputs take fewer products this way.
    if (inputs <= width) this.#folded = new FoldedAttention(products, this, heads);
  }

  /** The first `graph.nodes` rows of x receive messages. Gives the first `outRows` rows. */
  forward(graph: EdgeRows, x: Reals, rows: number, outRows: number, random: Random | null): Reals {
    const { heads, width, dropout } = this.shape;
    const { outputs: columns } = this;
    const { nodes, offsets, sources, relations } = graph;
    const q = this.query.forward(x, nodes);
    this.#inputLength = x.length;
    if (this.#folded !== undefined) {
      const out = this.skip.forward(x, outRows);
      const factors = dropFactors(sources.length * heads, dropout, random);
      this.#folded.forward({ graph, x, q, factors }, out);
      return out;
    }
    const k = this.key.forward(x, rows);
    const v = this.value.forward(x, rows);
    const out = this.skip.forward(x, outRows);
    const e = this.edges.w;
    const alpha = new this.#products.Reals(sources.length * heads);
    const factors = dropFactors(alpha.length, dropout, random);
    const scale = 1 / Math.sqrt(width);
    for (let node = 0; node < nodes; node++) {
      const [from, to] = [offsets[node], offsets[node + 1]];
      for (let h = 0; h < heads && from < to; h++) {
        const own = node * columns + h * width;
        let highest = Number.NEGATIVE_INFINITY;
        for (let i = from; i < to; i++) {
          const other = sources[i] * columns + h * width;
          const edge = relations[i] * columns + h * width;
          let sum = 0;
          for (let j = 0; j < width; j++) sum += q[own + j] * (k[other + j] + e[edge + j]);
          alpha[i * heads + h] = sum * scale;
          if (sum * scale > highest) highest = sum * scale;
        }
        let total = 0;
        for (let i = from; i < to; i++) {
          const weight = Math.exp(alpha[i * heads + h] - highest);
          alpha[i * heads + h] = weight;
          total += weight;
        }
        for (let i = from; i < to; i++) {
          const at = i * heads + h;
          alpha[at] /= total;
          const weight = alpha[at] * (factors === null ? 1 : factors[at]);
          const other = sources[i] * columns + h * width;
          const edge = relations[i] * columns + h * width;
          for (let j = 0; j < width; j++) out[own + j] += weight * (v[other + j] + e[edge + j]);
        }
      }
    }
    this.#kept = { graph, q, k, v, alpha, factors };
    return out;
  }

  /** Follows `forward`. Returns dx for all rows. */
  backward(dOut: Reals): Reals {
    const { Reals } = this.#products;
    const dx = new Reals(this.#inputLength);
    let dq: Reals;
    if (this.#folded !== undefined) dq = this.#folded.backward(dOut, dx);
    else {
      if (this.#kept === undefined) throw new TypeError('TransformerLayer.backward: call forward first');
      const { k, q } = this.#kept;
      dq = new Reals(q.length);
      const [dk, dv] = [new Reals(k.length), new Reals(k.length)];
      this.#attendBackward(this.#kept, dOut, dq, dk, dv);
      this.#kept = undefined;
      this.key.backwardInto(dk, dx);
      this.value.backwardInto(dv, dx);
    }
    this.query.backwardInto(dq, dx);
    this.skip.backwardInto(dOut, dx);
    return dx;
  }

  #attendBackward(
    { graph, q, k, v, alpha, factors }: Kept,
    dOut: Reals,
    dq: Reals,
    dk: Reals,
    dv: Reals,
  ): void {
    const { heads, width } = this.shape;
    const { outputs: columns } = this;
    const { nodes, offsets, sources, relations } = graph;
    const { w: e, d: de } = this.edges;
    const scale = 1 / Math.sqrt(width);
    let dAlpha = new Float64Array(64);
    for (let node = 0; node < nodes; node++) {
      const [from, to] = [offsets[node], offsets[node + 1]];
      if (to - from > dAlpha.length) dAlpha = new Float64Array(2 * (to - from));
      for (let h = 0; h < heads && from < to; h++) {
        const own = node * columns + h * width;
        let mean = 0;
        for (let i = from; i < to; i++) {
          const at = i * heads + h;
          const factor = factors === null ? 1 : factors[at];
          const other = sources[i] * columns + h * width;
          const edge = relations[i] * columns + h * width;
          const weight = alpha[at] * factor;
          let sum = 0;
          for (let j = 0; j < width; j++) {
            const d = dOut[own + j];
            sum += d * (v[other + j] + e[edge + j]);
            dv[other + j] += weight * d;
            de[edge + j] += weight * d;
          }
          dAlpha[i - from] = sum * factor;
          mean += alpha[at] * sum * factor;
        }
        for (let i = from; i < to; i++) {
          const dLogit = alpha[i * heads + h] * (dAlpha[i - from] - mean) * scale;
          const other = sources[i] * columns + h * width;
          const edge = relations[i] * columns + h * width;
          for (let j = 0; j < width; j++) {
            dq[own + j] += dLogit * (k[other + j] + e[edge + j]);
            dk[other + j] += dLogit * q[own + j];
            de[edge + j] += dLogit * q[own + j];
          }
        }
      }
    }
  }
}
