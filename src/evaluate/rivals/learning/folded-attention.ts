import type { EdgeRows } from './edge-rows.js';
import type { Linear } from './linear.js';
import type { Parameter } from './parameters.js';
import type { Products, Reals } from './products.js';

/** The maps of an attention layer, with one vector for each relation. */
export interface FoldedMaps {
  readonly key: Linear;
  readonly value: Linear;
  readonly edges: Parameter;
}

export interface FoldedInput {
  readonly graph: EdgeRows;
  readonly x: Reals;
  readonly q: Reals;
  readonly factors: Float32Array | null;
}

/** What `forward` leaves for `backward`, by head. */
interface Kept extends FoldedInput {
  readonly folded: Reals[];
  readonly sums: Reals[];
  readonly alphas: Reals[];
}

/**
 * The attention of `TransformerLayer` with fewer products: q·(W x + e_r + b) is (Wᵀq)·x + q·e_r + q·b, and Σ α (W x + e_r + b)
 * is W Σ α x + Σ α e_r + b Σ α. So W meets the nodes that receive messages, not all neighbours.
 */
export class FoldedAttention {
  readonly #products: Products;
  readonly #maps: FoldedMaps;
  readonly #heads: number;
  readonly #width: number;
  readonly #inputs: number;
  /** A row of the stacked maps for each input, each relation and the bias. */
  readonly #rows: number;
  #kept: Kept | undefined;

  constructor(products: Products, maps: FoldedMaps, heads: number) {
    this.#products = products;
    this.#maps = maps;
    this.#heads = heads;
    this.#width = maps.edges.columns / heads;
    this.#inputs = maps.key.w.rows;
    this.#rows = this.#inputs + maps.edges.rows + 1;
  }

  /** Adds the messages to the first `graph.nodes` rows of out. */
  forward(input: FoldedInput, out: Reals): void {
    const { graph, x, q, factors } = input;
    const { nodes } = graph;
    const [heads, width, inputs] = [this.#heads, this.#width, this.#inputs];
    const size = { rows: nodes, inner: this.#rows, columns: width };
    const kept: Kept = { ...input, folded: [], sums: [], alphas: [] };
    for (let h = 0; h < heads; h++) {
      const folded = new this.#products.Reals(nodes * this.#rows);
      this.#products.inputGradient(size, this.#head(q, nodes, h), this.#stack(this.#maps.key, h), folded);
      const alpha = attend(graph, x, { folded, inputs, width: this.#rows, scale: 1 / Math.sqrt(width) });
      const sums = this.#sum(input, alpha, (i) => (factors === null ? 1 : factors[i * heads + h]));
      const part = new this.#products.Reals(nodes * width);
      this.#products.multiply(size, sums, this.#stack(this.#maps.value, h), part);
      this.#addHead(part, out, h);
      kept.folded.push(folded);
      kept.sums.push(sums);
      kept.alphas.push(alpha);
    }
    this.#kept = kept;
  }

  /** Follows `forward`. Adds to dx and the gradients of the maps, and returns dq. */
  backward(dOut: Reals, dx: Reals): Reals {
    if (this.#kept === undefined) throw new TypeError('FoldedAttention.backward: call forward first');
    const { graph, q, sums } = this.#kept;
    const { nodes } = graph;
    const { key, value } = this.#maps;
    const products = this.#products;
    const size = { rows: nodes, inner: this.#rows, columns: this.#width };
    const dq = new products.Reals(q.length);
    for (let h = 0; h < this.#heads; h++) {
      const dPart = this.#head(dOut, nodes, h);
      const dSums = new products.Reals(nodes * this.#rows);
      products.inputGradient(size, dPart, this.#stack(value, h), dSums);
      const dValue = new products.Reals(this.#rows * this.#width);
      products.weightGradient(size, sums[h], dPart, dValue);
      this.#addStack(dValue, value, h);
      const dFolded = this.#attendBackward(this.#kept, h, dSums, dx);
      const part = new products.Reals(nodes * this.#width);
      products.multiply(size, dFolded, this.#stack(key, h), part);
      this.#addHead(part, dq, h);
      const dKey = new products.Reals(this.#rows * this.#width);
      products.weightGradient(size, dFolded, this.#head(q, nodes, h), dKey);
      this.#addStack(dKey, key, h);
    }
    this.#kept = undefined;
    return dq;
  }

  /** By node: Σ α x, then Σ α of each relation, then Σ α. */
  #sum({ graph, x }: FoldedInput, alpha: Reals, factorOf: (edge: number) => number): Reals {
    const { nodes, offsets, sources, relations } = graph;
    const [inputs, width] = [this.#inputs, this.#rows];
    const sums = new this.#products.Reals(nodes * width);
    for (let node = 0; node < nodes; node++) {
      const own = node * width;
      for (let i = offsets[node]; i < offsets[node + 1]; i++) {
        const weight = alpha[i] * factorOf(i);
        const other = sources[i] * inputs;
        for (let j = 0; j < inputs; j++) sums[own + j] += weight * x[other + j];
        sums[own + inputs + relations[i]] += weight;
        sums[own + width - 1] += weight;
      }
    }
    return sums;
  }

  /** Adds to dx, and returns the gradient of the folded queries. */
  #attendBackward({ graph, x, factors, folded, alphas }: Kept, h: number, dSums: Reals, dx: Reals): Reals {
    const { nodes, offsets, sources, relations } = graph;
    const [heads, inputs, width] = [this.#heads, this.#inputs, this.#rows];
    const [p, alpha] = [folded[h], alphas[h]];
    const dp = new this.#products.Reals(p.length);
    const dAlpha = new Float64Array(alpha.length);
    const scale = 1 / Math.sqrt(this.#width);
    for (let node = 0; node < nodes; node++) {
      const own = node * width;
      const [from, to] = [offsets[node], offsets[node + 1]];
      let mean = 0;
      for (let i = from; i < to; i++) {
        const factor = factors === null ? 1 : factors[i * heads + h];
        const weight = alpha[i] * factor;
        const other = sources[i] * inputs;
        let sum = dSums[own + inputs + relations[i]] + dSums[own + width - 1];
        for (let j = 0; j < inputs; j++) {
          const d = dSums[own + j];
          sum += d * x[other + j];
          dx[other + j] += weight * d;
        }
        dAlpha[i] = sum * factor;
        mean += alpha[i] * dAlpha[i];
      }
      for (let i = from; i < to; i++) {
        const dLogit = alpha[i] * (dAlpha[i] - mean) * scale;
        const other = sources[i] * inputs;
        for (let j = 0; j < inputs; j++) {
          dp[own + j] += dLogit * x[other + j];
          dx[other + j] += dLogit * p[own + j];
        }
        dp[own + inputs + relations[i]] += dLogit;
        dp[own + width - 1] += dLogit;
      }
    }
    return dp;
  }

  /** The columns of one head, of the first rows. */
  #head(matrix: Reals, rows: number, h: number): Reals {
    const width = this.#width;
    const columns = width * this.#heads;
    const part = new this.#products.Reals(rows * width);
    for (let row = 0; row < rows; row++) {
      const at = row * columns + h * width;
      for (let j = 0; j < width; j++) part[row * width + j] = matrix[at + j];
    }
    return part;
  }

  #addHead(part: Reals, matrix: Reals, h: number): void {
    const width = this.#width;
    const columns = width * this.#heads;
    for (let row = 0; row * width < part.length; row++) {
      const at = row * columns + h * width;
      for (let j = 0; j < width; j++) matrix[at + j] += part[row * width + j];
    }
  }

  /** The weights of a map, the vectors of the relations and the bias of one head, below each other. */
  #stack({ w, bias }: Linear, h: number): Reals {
    const stacked = new this.#products.Reals(this.#rows * this.#width);
    stacked.set(this.#head(w.w, w.rows, h));
    const { edges } = this.#maps;
    stacked.set(this.#head(edges.w, edges.rows, h), w.rows * this.#width);
    if (bias !== null) stacked.set(this.#head(bias.w, 1, h), (w.rows + edges.rows) * this.#width);
    return stacked;
  }

  #addStack(d: Reals, { w, bias }: Linear, h: number): void {
    const width = this.#width;
    const { edges } = this.#maps;
    const ends = [w.rows, w.rows + edges.rows, this.#rows].map((rows) => rows * width);
    this.#addHead(d.subarray(0, ends[0]), w.d, h);
    this.#addHead(d.subarray(ends[0], ends[1]), edges.d, h);
    if (bias !== null) this.#addHead(d.subarray(ends[1], ends[2]), bias.d, h);
  }
}

/** The softmax over the edges into each node, from queries that are folded into the inputs. */
function attend(
  { nodes, offsets, sources, relations }: EdgeRows,
  x: Reals,
  {
    folded,
    inputs,
    width,
    scale,
  }: {
    readonly folded: Reals;
    readonly inputs: number;
    readonly width: number;
    readonly scale: number;
  },
): Reals {
  const alpha = new (x.constructor as new (length: number) => Reals)(sources.length);
  for (let node = 0; node < nodes; node++) {
    const own = node * width;
    const [from, to] = [offsets[node], offsets[node + 1]];
    let highest = Number.NEGATIVE_INFINITY;
    for (let i = from; i < to; i++) {
      const other = sources[i] * inputs;
      let sum = folded[own + inputs + relations[i]] + folded[own + width - 1];
      for (let j = 0; j < inputs; j++) sum += folded[own + j] * x[other + j];
      alpha[i] = sum * scale;
      if (alpha[i] > highest) highest = alpha[i];
    }
    let total = 0;
    for (let i = from; i < to; i++) {
      alpha[i] = Math.exp(alpha[i] - highest);
      total += alpha[i];
    }
    for (let i = from; i < to; i++) alpha[i] /= total;
  }
  return alpha;
}
