import { finishMix, mixWord } from '../../base/integer-mix.js';
import { PairTable } from '../../detect/evidence/pair-table.js';
import type { GraphView } from '../../detect/graph-view.js';
import type { SparseMatrix } from '../../features/sparse.js';

interface VeloxNetworkOptions {
  readonly steps: number;
  /** Learning rate of Adam. */
  readonly rate: number;
}

/** Comparable to the 12 epochs at 1e-3 of Velox on a log of this size. More steps would overfit. */
const DEFAULTS: VeloxNetworkOptions = { steps: 300, rate: 0.01 };

const BETA1 = 0.9;
const BETA2 = 0.999;
const EPSILON = 1e-8;

/**
 * The network of Velox (method §11): P(r | text and type of both ends), by one linear layer and a softmax. Its features
 * are the first columns of x_v: t_v and s_v, without the profile. The loss is convex and every step uses all examples, so
 * training needs no random numbers. Equal names give equal examples, so distinct examples are few.
 */
export class VeloxNetwork {
  readonly relationCount: number;
  /** Number of leading columns of x_v that the network reads. */
  readonly width: number;
  /** Weights of one column for all relations are adjacent: subject columns, object columns, a constant. */
  readonly weights: Float64Array;
  /** Number of interactions in training. */
  readonly examples: number;
  /** Updates of the weights. */
  readonly steps: number;
  readonly #logits: Float64Array;

  private constructor(
    relationCount: number,
    width: number,
    weights: Float64Array,
    examples: number,
    steps: number,
  ) {
    this.relationCount = relationCount;
    this.width = width;
    this.weights = weights;
    this.examples = examples;
    this.steps = steps;
    this.#logits = new Float64Array(relationCount);
  }

  /** Trains on the interactions of training graphs. */
  static fit(
    views: Iterable<GraphView>,
    relationCount: number,
    width: number,
    options: Partial<VeloxNetworkOptions> = {},
  ): VeloxNetwork {
    const { steps: wanted, rate } = { ...DEFAULTS, ...options };
    const examples = new Examples(views, relationCount, width);
    const steps = examples.total > 0 ? wanted : 0;
    const size = relationCount * (2 * width + 1);
    const network = new VeloxNetwork(relationCount, width, new Float64Array(size), examples.total, steps);
    const adam = new Adam(size, rate);
    for (let step = 0; step < steps; step++) {
      adam.step(network.weights, examples.gradient(network.weights));
    }
    // Rounded to float32, the precision of the features.
    network.weights.set(Float32Array.from(network.weights));
    return network;
  }

  /** −ln P(r | s, o) of each interaction. An unknown relation has probability 1 / (examples + 1). */
  losses({ planned, interactions }: GraphView): Float64Array {
    const { features } = planned.graph;
    const { width, relationCount } = this;
    const logits = this.#logits;
    const [subjects, objects] = [0, width].map((first) =>
      projectRows(features, width, this.weights.subarray(first * relationCount), relationCount),
    );
    const constants = this.weights.subarray(2 * width * relationCount);
    return Float64Array.from({ length: interactions.length }, (_, i) => {
      const relation = interactions.relation[i];
      if (relation >= relationCount) return Math.log(this.examples + 1);
      const s = interactions.subject[i] * relationCount;
      const o = interactions.object[i] * relationCount;
      for (let r = 0; r < relationCount; r++) logits[r] = constants[r] + subjects[s + r] + objects[o + r];
      return logSum(logits) - logits[relation];
    });
  }

  /** By local node: the largest loss over its interactions, in either role; 0 without any. */
  scores(view: GraphView): Float64Array {
    const scores = new Float64Array(view.planned.nodes.length);
    const { subject, object } = view.interactions;
    this.losses(view).forEach((loss, i) => {
      scores[subject[i]] = Math.max(scores[subject[i]], loss);
      scores[object[i]] = Math.max(scores[object[i]], loss);
    });
    return scores;
  }
}

/** Multiplies the first columns of every row by the weights. Gives one number per row and relation. */
function projectRows(
  { rows, offsets, indices, values }: SparseMatrix,
  width: number,
  weights: Float64Array,
  relationCount: number,
): Float64Array {
  const out = new Float64Array(rows * relationCount);
  for (let row = 0; row < rows; row++) {
    const at = row * relationCount;
    for (let i = offsets[row]; i < offsets[row + 1] && indices[i] < width; i++) {
      const from = indices[i] * relationCount;
      for (let r = 0; r < relationCount; r++) out[at + r] += values[i] * weights[from + r];
    }
  }
  return out;
}

/** ln Σ e^x */
function logSum(logits: Float64Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > highest) highest = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - highest);
  return highest + Math.log(sum);
}

/** Training interactions: distinct feature rows, and distinct (row, row, relation) triples with their counts. */
class Examples {
  /** Number of interactions, with repetitions. */
  total = 0;
  readonly #relationCount: number;
  readonly #width: number;
  readonly #rows: SparseMatrix;
  /** Numbers of (row, row) pairs, and of (pair, relation) pairs. */
  readonly #ends = new PairTable();
  readonly #acts = new PairTable();
  readonly #counts: number[] = [];
  readonly #gradient: Float64Array;

  constructor(views: Iterable<GraphView>, relationCount: number, width: number) {
    this.#relationCount = relationCount;
    this.#width = width;
    this.#gradient = new Float64Array(relationCount * (2 * width + 1));
    const hashes = new PairTable();
    const offsets: number[] = [0];
    const indices: number[] = [];
    const values: number[] = [];
    for (const { planned, interactions } of views) {
      const { features } = planned.graph;
      const rowOf = Int32Array.from({ length: features.rows }, (_, node) => {
        const before = hashes.size;
        const row = hashes.intern(hashRow(features, node, width, 1), hashRow(features, node, width, 2));
        if (row < before) return row;
        for (let i = features.offsets[node]; i < features.offsets[node + 1]; i++) {
          if (features.indices[i] >= width) break;
          indices.push(features.indices[i]);
          values.push(features.values[i]);
        }
        offsets.push(indices.length);
        return row;
      });
      for (let i = 0; i < interactions.length; i++) {
        if (interactions.relation[i] >= relationCount) continue;
        const ends = this.#ends.intern(rowOf[interactions.subject[i]], rowOf[interactions.object[i]]);
        const act = this.#acts.intern(ends, interactions.relation[i]);
        this.#counts[act] = (this.#counts[act] ?? 0) + 1;
        this.total++;
      }
    }
    this.#rows = {
      rows: hashes.size,
      cols: width,
      offsets: Uint32Array.from(offsets),
      indices: Uint32Array.from(indices),
      values: Float32Array.from(values),
    };
  }

  /** The gradient of the mean loss. Each row is projected once, even if many examples share it. */
  gradient(weights: Float64Array): Float64Array {
    const n = this.#relationCount;
    const width = this.#width;
    const rows = this.#rows;
    const [subjects, objects] = [0, width].map((first) =>
      projectRows(rows, width, weights.subarray(first * n), n),
    );
    const constants = weights.subarray(2 * width * n);
    const [dSubjects, dObjects] = [new Float64Array(subjects.length), new Float64Array(objects.length)];
    const gradient = this.#gradient.fill(0);
    const dConstants = gradient.subarray(2 * width * n);
    const logits = new Float64Array(n);
    const [firsts, seconds] = [this.#ends.firsts, this.#ends.seconds];
    const [ends, relations] = [this.#acts.firsts, this.#acts.seconds];
    for (let act = 0; act < ends.length; act++) {
      const s = firsts[ends[act]] * n;
      const o = seconds[ends[act]] * n;
      for (let r = 0; r < n; r++) logits[r] = constants[r] + subjects[s + r] + objects[o + r];
      const total = logSum(logits);
      const weight = this.#counts[act] / this.total;
      for (let r = 0; r < n; r++) {
        const d = weight * (Math.exp(logits[r] - total) - (r === relations[act] ? 1 : 0));
        dSubjects[s + r] += d;
        dObjects[o + r] += d;
        dConstants[r] += d;
      }
    }
    for (let row = 0; row < rows.rows; row++) {
      for (let i = rows.offsets[row]; i < rows.offsets[row + 1]; i++) {
        const [s, o] = [rows.indices[i] * n, (width + rows.indices[i]) * n];
        for (let r = 0; r < n; r++) {
          gradient[s + r] += rows.values[i] * dSubjects[row * n + r];
          gradient[o + r] += rows.values[i] * dObjects[row * n + r];
        }
      }
    }
    return gradient;
  }
}

const BITS = new DataView(new ArrayBuffer(4));

/** Hashes the first columns of a row and their values. Two hashes with different seeds identify a row. */
function hashRow(
  { offsets, indices, values }: SparseMatrix,
  row: number,
  width: number,
  seed: number,
): number {
  let hash = seed;
  for (let i = offsets[row]; i < offsets[row + 1] && indices[i] < width; i++) {
    BITS.setFloat32(0, values[i]);
    hash = mixWord(mixWord(hash, indices[i]), BITS.getInt32(0));
  }
  return finishMix(hash);
}

class Adam {
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  readonly #rate: number;
  #steps = 0;

  constructor(size: number, rate: number) {
    this.#first = new Float64Array(size);
    this.#second = new Float64Array(size);
    this.#rate = rate;
  }

  step(weights: Float64Array, gradient: Float64Array): void {
    this.#steps++;
    const [m, v] = [this.#first, this.#second];
    const rate = (this.#rate * Math.sqrt(1 - BETA2 ** this.#steps)) / (1 - BETA1 ** this.#steps);
    for (let i = 0; i < weights.length; i++) {
      m[i] = BETA1 * m[i] + (1 - BETA1) * gradient[i];
      v[i] = BETA2 * v[i] + (1 - BETA2) * gradient[i] * gradient[i];
      weights[i] -= (rate * m[i]) / (Math.sqrt(v[i]) + EPSILON);
    }
  }
}
