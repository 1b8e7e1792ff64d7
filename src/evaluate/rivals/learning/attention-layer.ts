import type { EdgeRows } from './edge-rows.js';
import type { Parameter, Parameters } from './parameters.js';
import type { Products, Reals } from './products.js';

export interface AttentionShape {
  readonly inputs: number;
  readonly heads: number;
  /** Outputs of each head; the heads are concatenated. */
  readonly width: number;
  readonly relations: number;
  /** Adds the input, by a linear map if the widths differ. */
  readonly residual: boolean;
  /** Applies PReLU to the result. */
  readonly activation: boolean;
  /** Slope of LeakyReLU on the logits. */
  readonly slope: number;
}

/** What `forward` leaves for `backward`. */
interface Kept {
  readonly graph: EdgeRows;
  readonly x: Reals;
  readonly z: Reals;
  readonly pre: Reals;
  readonly alpha: Reals;
  readonly leaky: Reals;
}

const PRELU_START = 0.25;

/**
 * Graph attention whose logits see the relation of an edge (Veličković et al. 2018, with MAGIC's edge term):
 * logit = LeakyReLU(a_s·z_u + a_t·z_v + a_e·e_r), and the message is z_u alone.
 */
export class AttentionLayer {
  readonly shape: AttentionShape;
  readonly outputs: number;
  readonly w: Parameter;
  readonly edges: Parameter;
  readonly aSource: Parameter;
  readonly aTarget: Parameter;
  readonly aEdge: Parameter;
  readonly bias: Parameter;
  readonly wResidual: Parameter | null;
  readonly prelu: Parameter | null;
  readonly #products: Products;
  #kept: Kept | undefined;

  constructor(products: Products, parameters: Parameters, shape: AttentionShape) {
    const { inputs, heads, width, relations } = shape;
    this.#products = products;
    this.shape = shape;
    this.outputs = heads * width;
    // The start of MAGIC: Glorot-normal with the gain of ReLU.
    const normal = (rows: number, columns: number, fans = rows + columns) =>
      parameters.normal(rows, columns, Math.sqrt(2) * Math.sqrt(2 / fans));
    this.w = normal(inputs, this.outputs);
    this.edges = normal(relations, this.outputs);
    // Of a tensor 1 × heads × width, the framework takes (heads + 1)·width as the number of connections.
    const fans = (heads + 1) * width;
    this.aSource = normal(1, this.outputs, fans);
    this.aTarget = normal(1, this.outputs, fans);
    this.aEdge = normal(1, this.outputs, fans);
    this.bias = parameters.constant(1, this.outputs, 0);
    this.wResidual = shape.residual && inputs !== this.outputs ? normal(inputs, this.outputs) : null;
    this.prelu = shape.activation ? parameters.constant(1, 1, PRELU_START) : null;
  }

  forward(graph: EdgeRows, x: Reals): Reals {
    const { inputs: inner, heads, width, residual, slope } = this.shape;
    const { outputs: columns } = this;
    const { nodes: rows, offsets, sources, relations } = graph;
    const { Reals } = this.#products;
    const size = { rows, inner, columns };
    const z = new Reals(rows * columns);
    this.#products.multiply(size, x, this.w.w, z);
    const [s, t] = [this.#headSums(z, this.aSource), this.#headSums(z, this.aTarget)];
    const b = this.#headSums(this.edges.w, this.aEdge);
    const pre = new Reals(rows * columns);
    for (let v = 0; v < rows; v++) pre.set(this.bias.w, v * columns);
    if (this.wResidual !== null) this.#products.multiply(size, x, this.wResidual.w, pre);
    else if (residual) for (let i = 0; i < pre.length; i++) pre[i] += x[i];
    const alpha = new Reals(sources.length * heads);
    const leaky = new Reals(sources.length * heads);
    for (let v = 0; v < rows; v++) {
      const [from, to] = [offsets[v], offsets[v + 1]];
      for (let h = 0; h < heads && from < to; h++) {
        let highest = Number.NEGATIVE_INFINITY;
        for (let e = from; e < to; e++) {
          const sum = s[sources[e] * heads + h] + t[v * heads + h] + b[relations[e] * heads + h];
          leaky[e * heads + h] = sum > 0 ? 1 : slope;
          const logit = sum > 0 ? sum : slope * sum;
          alpha[e * heads + h] = logit;
          if (logit > highest) highest = logit;
        }
        let total = 0;
        for (let e = from; e < to; e++) {
          const weight = Math.exp(alpha[e * heads + h] - highest);
          alpha[e * heads + h] = weight;
          total += weight;
        }
        const out = v * columns + h * width;
        for (let e = from; e < to; e++) {
          const weight = alpha[e * heads + h] / total;
          alpha[e * heads + h] = weight;
          const message = sources[e] * columns + h * width;
          for (let k = 0; k < width; k++) pre[out + k] += weight * z[message + k];
        }
      }
    }
    this.#kept = { graph, x, z, pre, alpha, leaky };
    if (this.prelu === null) return pre;
    const negative = this.prelu.w[0];
    const out = pre.slice();
    for (let i = 0; i < out.length; i++) if (!(out[i] > 0)) out[i] *= negative;
    return out;
  }

  /** Follows `forward`. Replaces dOut. Returns dx, or null if the input needs no gradient. */
  backward(dOut: Reals, needsInput = true): Reals | null {
    if (this.#kept === undefined) throw new TypeError('AttentionLayer.backward: call forward first');
    const { graph, x } = this.#kept;
    const { inputs: inner, residual } = this.shape;
    const { outputs: columns } = this;
    const { nodes: rows } = graph;
    const size = { rows, inner, columns };
    this.#preluBackward(dOut);
    for (let i = 0; i < dOut.length; i++) this.bias.d[i % columns] += dOut[i];
    const dz = this.#attendBackward(this.#kept, dOut);
    this.#products.weightGradient(size, x, dz, this.w.d);
    if (this.wResidual !== null) this.#products.weightGradient(size, x, dOut, this.wResidual.d);
    this.#kept = undefined;
    if (!needsInput) return null;
    const dx = new this.#products.Reals(rows * inner);
    this.#products.inputGradient(size, dz, this.w.w, dx);
    if (this.wResidual !== null) this.#products.inputGradient(size, dOut, this.wResidual.w, dx);
    else if (residual) for (let i = 0; i < dx.length; i++) dx[i] += dOut[i];
    return dx;
  }

  #preluBackward(dOut: Reals): void {
    if (this.prelu === null || this.#kept === undefined) return;
    const { pre } = this.#kept;
    const negative = this.prelu.w[0];
    let dSlope = 0;
    for (let i = 0; i < dOut.length; i++) {
      if (pre[i] > 0) continue;
      dSlope += dOut[i] * pre[i];
      dOut[i] *= negative;
    }
    this.prelu.d[0] += dSlope;
  }

  /** From the gradient of the sums of messages to that of z; adds to those of the attention vectors. */
  #attendBackward({ graph, z, alpha, leaky }: Kept, dPre: Reals): Reals {
    const { heads, width, relations: relationCount } = this.shape;
    const { outputs: columns } = this;
    const { nodes: rows, offsets, sources, relations } = graph;
    const dz = new this.#products.Reals(rows * columns);
    const ds = new Float64Array(rows * heads);
    const dt = new Float64Array(rows * heads);
    const db = new Float64Array(relationCount * heads);
    let dAlpha = new Float64Array(64);
    for (let v = 0; v < rows; v++) {
      const [from, to] = [offsets[v], offsets[v + 1]];
      if (to - from > dAlpha.length) dAlpha = new Float64Array(2 * (to - from));
      for (let h = 0; h < heads && from < to; h++) {
        const out = v * columns + h * width;
        let mean = 0;
        for (let e = from; e < to; e++) {
          const message = sources[e] * columns + h * width;
          const weight = alpha[e * heads + h];
          let sum = 0;
          for (let k = 0; k < width; k++) {
            sum += dPre[out + k] * z[message + k];
            dz[message + k] += weight * dPre[out + k];
          }
          dAlpha[e - from] = sum;
          mean += weight * sum;
        }
        for (let e = from; e < to; e++) {
          const at = e * heads + h;
          const dLogit = alpha[at] * (dAlpha[e - from] - mean) * leaky[at];
          ds[sources[e] * heads + h] += dLogit;
          dt[v * heads + h] += dLogit;
          db[relations[e] * heads + h] += dLogit;
        }
      }
    }
    this.#headSumsBackward(ds, z, this.aSource, dz);
    this.#headSumsBackward(dt, z, this.aTarget, dz);
    this.#headSumsBackward(db, this.edges.w, this.aEdge, this.edges.d);
    return dz;
  }

  /** a·row per head. */
  #headSums(rows: Reals, { w: a }: Parameter): Float64Array {
    const { heads, width } = this.shape;
    const sums = new Float64Array((rows.length / this.outputs) * heads);
    for (let i = 0, at = 0; i < sums.length; i++) {
      const head = (i % heads) * width;
      let sum = 0;
      for (let k = 0; k < width; k++) sum += a[head + k] * rows[at++];
      sums[i] = sum;
    }
    return sums;
  }

  #headSumsBackward(dSums: Float64Array, rows: Reals, { w: a, d: da }: Parameter, dRows: Reals): void {
    const { heads, width } = this.shape;
    for (let i = 0, at = 0; i < dSums.length; i++) {
      const head = (i % heads) * width;
      const d = dSums[i];
      for (let k = 0; k < width; k++, at++) {
        da[head + k] += d * rows[at];
        dRows[at] += d * a[head + k];
      }
    }
  }
}
