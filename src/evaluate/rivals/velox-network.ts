import { Random } from '../../base/random.js';
import type { GraphView } from '../../detect/graph-view.js';
import type { SparseMatrix } from '../../features/sparse.js';
import type { VeloxExamples } from './velox-examples.js';
import { countWeights, VeloxLayers, type VeloxShape, veloxGradient } from './velox-layers.js';
import { VELOX_DEFAULTS, type VeloxNetworkOptions } from './velox-options.js';

const BETA1 = 0.9;
const BETA2 = 0.999;
const EPSILON = 1e-8;

/**
 * The network of Velox (method §11): P(r | text and type of both ends), by a softmax. Its features are the first columns
 * of x_v: t_v and s_v, without the profile. Every step uses all examples.
 */
export class VeloxNetwork {
  readonly shape: VeloxShape;
  readonly weights: Float64Array;
  /** Number of interactions in training. */
  readonly examples: number;
  /** Updates of the weights. */
  readonly steps: number;

  private constructor(shape: VeloxShape, weights: Float64Array, examples: number, steps: number) {
    this.shape = shape;
    this.weights = weights;
    this.examples = examples;
    this.steps = steps;
  }

  static fit(examples: VeloxExamples, options: Partial<VeloxNetworkOptions> = {}): VeloxNetwork {
    const { steps: wanted, rate, hidden, dropout, seed } = { ...VELOX_DEFAULTS, seed: 0, ...options };
    const { relationCount, width, total, rows, pairs } = examples;
    const random = new Random(seed).stream('velox');
    const shape = { relationCount, width, hidden };
    const weights = firstWeights(shape, random.stream('weights'));
    const steps = total > 0 ? wanted : 0;
    const adam = new Adam(weights.length, rate);
    const gradient = new Float64Array(weights.length);
    const drops = random.stream('dropout');
    for (let step = 0; step < steps; step++) {
      const ends = [dropInputs(rows, dropout, drops), dropInputs(rows, dropout, drops)] as const;
      veloxGradient(shape, weights, pairs, ends, gradient);
      adam.step(weights, gradient);
    }
    // Rounded to float32, the precision of the features.
    return new VeloxNetwork(shape, Float64Array.from(Float32Array.from(weights)), total, steps);
  }

  /** −ln P(r | s, o) of each interaction. An unknown relation has probability 1 / (examples + 1). */
  losses({ planned, interactions }: GraphView): Float64Array {
    const layers = new VeloxLayers(this.shape, this.weights, planned.graph.features);
    return Float64Array.from({ length: interactions.length }, (_, i) => {
      const relation = interactions.relation[i];
      if (relation >= this.shape.relationCount) return Math.log(this.examples + 1);
      const total = layers.run(interactions.subject[i], interactions.object[i]);
      return total - layers.logits[relation];
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

/** Zeros for one linear layer, whose loss is convex. Hidden units must differ to learn different things. */
function firstWeights(shape: VeloxShape, random: Random): Float64Array {
  const weights = new Float64Array(countWeights(shape));
  const { width, hidden } = shape;
  if (hidden === 0) return weights;
  const columns = 2 * width + 1;
  return weights.map((_, i) => {
    const scale = 1 / Math.sqrt(i < columns * hidden ? columns : hidden);
    return (2 * random.float() - 1) * scale;
  });
}

/** Sets a share of the values to 0 and enlarges the others, so that their expectation stays. */
function dropInputs(rows: SparseMatrix, share: number, random: Random): SparseMatrix {
  if (share === 0) return rows;
  const scale = 1 / (1 - share);
  return { ...rows, values: rows.values.map((value) => (random.float() < share ? 0 : value * scale)) };
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
