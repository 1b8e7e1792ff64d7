import { finishMix, mixWord } from '../../../base/integer-mix.js';

/** The labels of Weisfeiler and Lehman for a stream of edges: each edge changes the labels of its target alone. */
export class StreamingLabels {
  readonly #hops: number;
  /** By node, hop 0 to R. */
  readonly #labels: Uint32Array;

  constructor(kinds: ArrayLike<number>, hops: number) {
    this.#hops = hops;
    this.#labels = new Uint32Array(kinds.length * (hops + 1));
    for (let node = 0; node < kinds.length; node++) {
      this.#labels.fill(finishMix(mixWord(1, kinds[node])) >>> 0, node * (hops + 1), (node + 1) * (hops + 1));
    }
  }

  labelOf(node: number, hop: number): number {
    return this.#labels[node * (this.#hops + 1) + hop];
  }

  /**
   * Adds an edge. The label at hop j takes in the relation and the source's label at hop j − 1. The events of a log are
   * in the order of cause and effect, so that what the target has caused before stays as it is. Gives the labels that are
   * new in the graph.
   */
  add(source: number, target: number, relation: number): number[] {
    const width = this.#hops + 1;
    const found = [this.labelOf(target, 0)];
    // From the last hop to the first, so that a self-loop reads labels from before the edge.
    for (let hop = this.#hops; hop > 0; hop--) {
      const at = target * width + hop;
      const edge = mixWord(mixWord(hop, relation), this.labelOf(source, hop - 1));
      this.#labels[at] = finishMix(mixWord(this.#labels[at], edge)) >>> 0;
      found.push(this.#labels[at]);
    }
    return found;
  }
}
