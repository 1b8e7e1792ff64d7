import type { Random } from '../../../base/random.js';
import type { Reals } from '../learning/products.js';
import type { ThreatraceGraph } from './threatrace-graph.js';
import type { ThreatraceNetwork } from './threatrace-network.js';
import type { ThreatraceOptions } from './threatrace-options.js';

/** Nodes in one prediction, so that memory does not grow with the graph. */
const PREDICTED = 20_000;

/** What a cascade reports while it learns. */
export interface CascadeWatch {
  /** Called between steps. It may throw to stop. */
  stepped?(): Promise<void>;
  /** The share of nodes that some sub-model classifies right. */
  progress?(done: number): void;
}

/**
 * The sub-models of THREATRACE. One network learns on; after every round its weights are kept as a sub-model, and the
 * nodes that it classifies right and clearly leave the training.
 */
export class Cascade {
  readonly #network: ThreatraceNetwork;
  readonly #options: ThreatraceOptions;
  readonly #models: Reals[][] = [];
  #epochs = 0;

  constructor(network: ThreatraceNetwork, options: ThreatraceOptions) {
    this.#network = network;
    this.#options = options;
  }

  get models(): number {
    return this.#models.length;
  }

  get epochs(): number {
    return this.#epochs;
  }

  /** `most`: the most steps. */
  async fit(
    graphs: readonly ThreatraceGraph[],
    random: Random,
    { most = Number.POSITIVE_INFINITY, watch = {} }: { most?: number | undefined; watch?: CascadeWatch } = {},
  ): Promise<void> {
    const { epochs, laterEpochs, enough, patience, models } = this.#options;
    let left: Int32Array[] = graphs.map(({ kinds }) => Int32Array.from(kinds.keys()));
    const all = left.reduce((sum, nodes) => sum + nodes.length, 0);
    const isSpent = () => this.#network.parameters.steps >= most;
    for (let epoch = 0; epoch < epochs && !isSpent(); epoch++) await this.#epoch(graphs, left, random, watch);
    for (let idle = 0; ; ) {
      const wrong = graphs.map((graph, g) => this.#wrong(graph, left[g]));
      const [before, after] = [left, wrong].map((lists) =>
        lists.reduce((sum, nodes) => sum + nodes.length, 0),
      );
      idle = after < before ? 0 : idle + 1;
      if (after < before || this.models === 0) this.#models.push(this.#network.parameters.copy());
      left = wrong;
      watch.progress?.(1 - after / Math.max(all, 1));
      if (after === 0 || idle >= patience || this.models >= models || isSpent()) return;
      for (let epoch = 0; epoch < laterEpochs && !isSpent(); epoch++) {
        if ((await this.#epoch(graphs, left, random, watch)) < enough) break;
      }
    }
  }

  /** By node: see `nodeScore`; the lowest over the sub-models. Above 1 / ratio, no sub-model classifies the node right. */
  scores(graph: ThreatraceGraph): Float64Array {
    const scores = new Float64Array(graph.mean.nodes).fill(Number.POSITIVE_INFINITY);
    let left: Int32Array = Int32Array.from(scores.keys());
    for (const weights of this.#models) {
      this.#network.parameters.restore(weights);
      this.#each(graph, left, (node, score) => {
        if (score < scores[node]) scores[node] = score;
      });
      // As in the original, a node that one sub-model classifies right is not looked at again.
      left = left.filter((node) => scores[node] > 1 / this.#options.ratio);
    }
    return scores;
  }

  async #epoch(
    graphs: readonly ThreatraceGraph[],
    left: readonly Int32Array[],
    random: Random,
    watch: CascadeWatch,
  ): Promise<number> {
    const { batch, rate, decay } = this.#options;
    const { parameters } = this.#network;
    let [sum, nodes] = [0, 0];
    for (const [g, graph] of graphs.entries()) {
      for (let first = 0; first < left[g].length; first += batch) {
        const chosen = left[g].subarray(first, first + batch);
        parameters.clearGradients();
        const loss = this.#network.learn(graph, chosen, random.stream(`dropout ${parameters.steps}`));
        parameters.step({ rate, decay });
        sum += loss * chosen.length;
        nodes += chosen.length;
        await watch.stepped?.();
      }
    }
    this.#epochs++;
    return nodes === 0 ? 0 : sum / nodes;
  }

  #wrong(graph: ThreatraceGraph, nodes: Int32Array): Int32Array {
    const wrong: number[] = [];
    this.#each(graph, nodes, (node, score) => {
      if (score > 1 / this.#options.ratio) wrong.push(node);
    });
    return Int32Array.from(wrong);
  }

  #each(graph: ThreatraceGraph, nodes: Int32Array, visit: (node: number, score: number) => void): void {
    for (let first = 0; first < nodes.length; first += PREDICTED) {
      const chosen = nodes.subarray(first, first + PREDICTED);
      const predicted = this.#network.predict(graph, chosen);
      const kinds = predicted.length / chosen.length;
      chosen.forEach((node, i) => {
        visit(node, nodeScore(predicted.subarray(i * kinds, (i + 1) * kinds), graph.kinds[node]));
      });
    }
  }
}

/**
 * How far a prediction is from right and clear: p₂/p₁ if the likeliest kind is the node's own, so that a ratio below
 * 1.5 is a score above 1/1.5; else 1 plus how much less likely its own kind is.
 */
export function nodeScore(probabilities: ArrayLike<number>, kind: number): number {
  let [best, first, second] = [-1, 0, 0];
  for (let k = 0; k < probabilities.length; k++) {
    if (probabilities[k] > first || best < 0) {
      second = first;
      [best, first] = [k, probabilities[k]];
    } else if (probabilities[k] > second) second = probabilities[k];
  }
  return best === kind ? second / first : 1 + first - (probabilities[kind] ?? 0);
}
