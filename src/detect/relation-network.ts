import { RecalError } from '../base/errors.js';
import { Random } from '../base/random.js';
import type { SparseMatrix } from '../features/sparse.js';
import type { GraphView } from './graph-view.js';

export interface RelationNetworkOptions {
  readonly epochs: number;
  readonly batch: number;
  /** Adam's step. */
  readonly rate: number;
  readonly seed: number;
  /** Interactions that are learned from; of more, a seeded sample. */
  readonly limit: number;
}

export const RELATION_NETWORK_DEFAULTS: RelationNetworkOptions = {
  ...{ epochs: 12, batch: 256, rate: 0.01, seed: 0, limit: 400_000 },
};

const BETA1 = 0.9;
const BETA2 = 0.999;
const EPSILON = 1e-8;

/** What a model file keeps of a network. */
export interface RelationNetworkParts {
  readonly relationCount: number;
  readonly width: number;
  readonly weights: Float32Array;
  /** Interactions it learned from. */
  readonly examples: number;
}

interface Example {
  readonly features: SparseMatrix;
  readonly subject: number;
  readonly object: number;
  readonly relation: number;
}

/**
 * What Velox learns (method §11): P(r | text and type of both ends), by one linear layer and a softmax. The features
 * are the first columns of x_v: t_v and s_v, without the profile.
 */
export class RelationNetwork {
  readonly relationCount: number;
  /** Columns of x_v that are read. */
  readonly width: number;
  readonly #weights: Float64Array;
  readonly #examples: number;
  readonly #logits: Float64Array;

  /** Rows of weights: one a relation, with the subject's columns, the object's, and a constant. */
  private constructor(relationCount: number, width: number, weights: Float64Array, examples: number) {
    this.relationCount = relationCount;
    this.width = width;
    this.#weights = weights;
    this.#examples = examples;
    this.#logits = new Float64Array(relationCount);
  }

  /** Learns from the distinct interactions of training graphs. */
  static fit(
    views: Iterable<GraphView>,
    relationCount: number,
    width: number,
    options: Partial<RelationNetworkOptions> = {},
  ): RelationNetwork {
    const { epochs, batch, rate, seed, limit } = { ...RELATION_NETWORK_DEFAULTS, ...options };
    const random = new Random(seed).stream('relation network');
    const examples = collectExamples(views, relationCount, limit, random.stream('sample'));
    const size = relationCount * (2 * width + 1);
    const network = new RelationNetwork(relationCount, width, new Float64Array(size), examples.length);
    const adam = new Adam(size, rate);
    const gradient = new Float64Array(size);
    for (let epoch = 0; epoch < epochs; epoch++) {
      const order = random.stream(`epoch ${epoch}`).shuffled(examples);
      for (let from = 0; from < order.length; from += batch) {
        const part = order.slice(from, from + batch);
        gradient.fill(0);
        for (const example of part) network.#addGradient(example, gradient, 1 / part.length);
        adam.step(network.#weights, gradient);
      }
    }
    // What a file can keep is what is used.
    network.#weights.set(Float32Array.from(network.#weights));
    return network;
  }

  /** −ln P(r | s, o) of each interaction; `<new>` is as likely as something that none of the examples was. */
  losses({ planned, interactions }: GraphView): Float64Array {
    const { features } = planned.graph;
    return Float64Array.from({ length: interactions.length }, (_, i) => {
      const relation = interactions.relation[i];
      if (relation >= this.relationCount) return Math.log(this.#examples + 1);
      const subject = interactions.subject[i];
      this.#predict({ features, subject, object: interactions.object[i], relation });
      return -this.#logits[relation];
    });
  }

  toParts(): RelationNetworkParts {
    return {
      ...{ relationCount: this.relationCount, width: this.width, examples: this.#examples },
      weights: Float32Array.from(this.#weights),
    };
  }

  /** From a file that may say anything. */
  static fromParts({ relationCount, width, weights, examples }: RelationNetworkParts): RelationNetwork {
    const sound =
      [relationCount, width, examples].every((value) => Number.isSafeInteger(value) && value >= 0) &&
      weights.length === relationCount * (2 * width + 1) &&
      weights.every(Number.isFinite);
    if (!sound) throw new RecalError('bad-network', 'the relation network in the model is damaged');
    return new RelationNetwork(relationCount, width, Float64Array.from(weights), examples);
  }

  /** ln P of every relation, into the logits. */
  #predict({ features, subject, object }: Example): void {
    const logits = this.#logits;
    const row = 2 * this.width + 1;
    for (let r = 0; r < logits.length; r++) logits[r] = this.#weights[r * row + row - 1];
    this.#eachColumn(features, subject, object, (column, value) => {
      for (let r = 0, at = column; r < logits.length; r++, at += row) logits[r] += this.#weights[at] * value;
    });
    let highest = Number.NEGATIVE_INFINITY;
    for (const logit of logits) if (logit > highest) highest = logit;
    let sum = 0;
    for (const logit of logits) sum += Math.exp(logit - highest);
    const total = highest + Math.log(sum);
    for (let r = 0; r < logits.length; r++) logits[r] -= total;
  }

  #addGradient(example: Example, gradient: Float64Array, weight: number): void {
    this.#predict(example);
    const logits = this.#logits;
    const row = 2 * this.width + 1;
    for (let r = 0; r < logits.length; r++) {
      logits[r] = weight * (Math.exp(logits[r]) - (r === example.relation ? 1 : 0));
      gradient[r * row + row - 1] += logits[r];
    }
    this.#eachColumn(example.features, example.subject, example.object, (column, value) => {
      for (let r = 0, at = column; r < logits.length; r++, at += row) gradient[at] += logits[r] * value;
    });
  }

  #eachColumn(
    { offsets, indices, values }: SparseMatrix,
    subject: number,
    object: number,
    take: (column: number, value: number) => void,
  ): void {
    const { width } = this;
    for (let i = offsets[subject]; i < offsets[subject + 1] && indices[i] < width; i++) {
      take(indices[i], values[i]);
    }
    for (let i = offsets[object]; i < offsets[object + 1] && indices[i] < width; i++) {
      take(width + indices[i], values[i]);
    }
  }
}

/** All interactions of known relations, or a reservoir of them. */
function collectExamples(
  views: Iterable<GraphView>,
  relationCount: number,
  limit: number,
  random: Random,
): Example[] {
  const examples: Example[] = [];
  let met = 0;
  for (const { planned, interactions } of views) {
    const { features } = planned.graph;
    for (let i = 0; i < interactions.length; i++) {
      const relation = interactions.relation[i];
      if (relation >= relationCount) continue;
      const at = met++ < limit ? examples.length : random.below(met);
      if (at >= limit) continue;
      const [subject, object] = [interactions.subject[i], interactions.object[i]];
      examples[at] = { features, subject, object, relation };
    }
  }
  return examples;
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
