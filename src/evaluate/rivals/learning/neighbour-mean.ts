import type { Reals } from './products.js';

/** Weighted edges into nodes. */
export interface WeightedEdges {
  readonly length: number;
  readonly source: ArrayLike<number>;
  readonly target: ArrayLike<number>;
  readonly weight: ArrayLike<number>;
}

/** The means of some nodes: row i is Σ weights · row sources of a table whose rows are the nodes `needed`. */
export interface MeanRows {
  readonly length: number;
  readonly needed: Int32Array;
  readonly offsets: Uint32Array;
  /** Indices into `needed`. */
  readonly sources: Int32Array;
  /** Each row sums to 1, or has no entry. */
  readonly weights: Float32Array;
}

/** The mean aggregation of GraphSAGE (Hamilton et al. 2017) over the edges into each node. */
export class NeighbourMean {
  readonly nodes: number;
  readonly #offsets: Uint32Array;
  readonly #sources: Int32Array;
  readonly #weights: Float32Array;
  /** The number of each node in the last selection, or -1. */
  readonly #place: Int32Array;

  /** With `selfLoops`, every node counts as its own neighbour once. */
  constructor(nodes: number, { length, source, target, weight }: WeightedEdges, selfLoops: boolean) {
    this.nodes = nodes;
    const offsets = new Uint32Array(nodes + 1);
    for (let e = 0; e < length; e++) offsets[target[e] + 1]++;
    for (let v = 0; v < nodes; v++) offsets[v + 1] += offsets[v] + (selfLoops ? 1 : 0);
    const next = offsets.slice(0, nodes);
    this.#sources = new Int32Array(offsets[nodes]);
    const weights = new Float32Array(offsets[nodes]);
    const put = (v: number, u: number, value: number) => {
      this.#sources[next[v]] = u;
      weights[next[v]++] = value;
    };
    if (selfLoops) for (let v = 0; v < nodes; v++) put(v, v, 1);
    for (let e = 0; e < length; e++) put(target[e], source[e], weight[e]);
    for (let v = 0; v < nodes; v++) {
      let total = 0;
      for (let e = offsets[v]; e < offsets[v + 1]; e++) total += weights[e];
      for (let e = offsets[v]; e < offsets[v + 1]; e++) weights[e] /= total;
    }
    this.#offsets = offsets;
    this.#weights = weights;
    this.#place = new Int32Array(nodes).fill(-1);
  }

  /** The rows of some nodes. The nodes themselves are the first of `needed`. */
  select(chosen: ArrayLike<number>): MeanRows {
    const place = this.#place;
    const needed: number[] = [];
    const numberOf = (node: number) => {
      if (place[node] < 0) place[node] = needed.push(node) - 1;
      return place[node];
    };
    for (let i = 0; i < chosen.length; i++) numberOf(chosen[i]);
    const offsets = new Uint32Array(chosen.length + 1);
    for (let i = 0; i < chosen.length; i++) {
      const v = chosen[i];
      offsets[i + 1] = offsets[i] + this.#offsets[v + 1] - this.#offsets[v];
    }
    const sources = new Int32Array(offsets[chosen.length]);
    const weights = new Float32Array(sources.length);
    for (let i = 0; i < chosen.length; i++) {
      const from = this.#offsets[chosen[i]];
      for (let e = offsets[i]; e < offsets[i + 1]; e++) {
        sources[e] = numberOf(this.#sources[from + e - offsets[i]]);
        weights[e] = this.#weights[from + e - offsets[i]];
      }
    }
    for (const node of needed) place[node] = -1;
    return { length: chosen.length, needed: Int32Array.from(needed), offsets, sources, weights };
  }

  /** The means of all nodes, of a table with a row for every node. */
  all(x: Reals, width: number): Reals {
    const rows = {
      length: this.nodes,
      needed: new Int32Array(0),
      offsets: this.#offsets,
      sources: this.#sources,
      weights: this.#weights,
    };
    return meanOf(rows, x, width);
  }
}

/** The means of the rows of h, one row per selected node. */
export function meanOf({ length, offsets, sources, weights }: MeanRows, h: Reals, width: number): Reals {
  const type = h.constructor as RealsClass;
  const means = new type(length * width);
  for (let i = 0; i < length; i++) {
    for (let e = offsets[i]; e < offsets[i + 1]; e++) {
      const [from, weight] = [sources[e] * width, weights[e]];
      for (let k = 0; k < width; k++) means[i * width + k] += weight * h[from + k];
    }
  }
  return means;
}

/** Adds the gradient of the rows of h. */
export function addMeanGradient(
  { length, offsets, sources, weights }: MeanRows,
  dMeans: Reals,
  width: number,
  dh: Reals,
): void {
  for (let i = 0; i < length; i++) {
    for (let e = offsets[i]; e < offsets[i + 1]; e++) {
      const [to, weight] = [sources[e] * width, weights[e]];
      for (let k = 0; k < width; k++) dh[to + k] += weight * dMeans[i * width + k];
    }
  }
}

/** Some rows of a table. */
export function pickRows(table: Reals, width: number, rows: ArrayLike<number>): Reals {
  const type = table.constructor as RealsClass;
  const out = new type(rows.length * width);
  for (let i = 0; i < rows.length; i++) {
    out.set(table.subarray(rows[i] * width, (rows[i] + 1) * width), i * width);
  }
  return out;
}

type RealsClass = new (length: number) => Reals;
