import type { ModelConfig } from '../config.js';
import type { ModelGraph } from '../model-input.js';
import { layOutParameters } from '../parameters.js';
import { type MaskConfig, maskRates } from '../training/masking.js';

/** The most that the WASM device can address, less what a fragmented memory may not be able to hand out. */
export const DEVICE_MEMORY = 4 * 2 ** 30 - 96 * 2 ** 20;
/** Tables, command lists, and scratch that does not grow with D. */
const FIXED = 32 * 2 ** 20;
/** Threads whose scratch is counted. */
const THREADS = 32;
/** The device's bounds on parts of results (src/compute/wasm/calls.ts and cosine-calls.ts). */
const MOST_PARTS = 16;
const MOST_CHUNKS = 256;
const SLOT_PARTS = 8;
const PART_SLOTS = 4032;

/** What decides how much memory a graph, or a part of one, takes. */
export interface GraphSize {
  readonly nodes: number;
  /** Both directions. */
  readonly entries: number;
  /** (node, relation) pairs to decode, and how many of them are masked in a step at most. */
  readonly pairs: number;
  readonly slots: number;
  /** Numbers of x that are not zero, in input and, where it is another matrix, target. */
  readonly values: number;
}

export function sizeOf(graph: ModelGraph, slots = graph.neighbours.nodes.length): GraphSize {
  const { features, target } = graph;
  return {
    nodes: graph.nodeCount,
    entries: 2 * graph.adjacency.neighbours.length,
    pairs: graph.neighbours.nodes.length,
    slots,
    values: features.indices.length + (target === features ? 0 : target.indices.length),
  };
}

/** Bytes of device memory that training on a graph takes at most, parameters included. */
export function memoryNeed(config: ModelConfig, size: GraphSize): number {
  const { hidden: H, heads, layers, relations, features: D } = config;
  const { nodes: N, entries, pairs, slots, values } = size;
  const row = 4 * H;
  const narrow = 4 * heads;
  // z and what is before PReLU; s, d, peak and inverse sum; what layers pass on, whose gradient takes its place.
  const perLayer = 2 * row + 4 * narrow;
  // x, norms, mask, who is read, and the work lists of entries, of those that fold or do not, and of readers.
  const perNode = layers * perLayer + (layers - 1) * row + 2 * 16 + 4 + 4 + 4 + 48 + 20;
  // A row of z for each (node, ρ), at most one an entry, and its gradient; the nodes' own z with its gradient; scores.
  const rgat =
    config.encoder === 'rgat' ? layers * (entries + N) * (2 * row + 2 * narrow) + entries * (40 + 16) : 0;
  return (
    FIXED +
    THREADS * D * (4 * row + 16) + // gradients of a section of slots, and dense columns or x̂ (kernels/learn/cosine.ts)
    5 * 4 * layOutParameters(config).length + // with gradient, two moments, and a sum over blocks
    8 * values +
    N * perNode +
    entries * 20 +
    rgat +
    pairs * 4 +
    slots * (row + 32) +
    (layers > 1 ? slots * (2 * row + 64) + pairs * 4 : 0) + // means of the last layer's input (residual-means.ts)
    Math.max(
      N * (160 + row) + entries * 64 + (MOST_CHUNKS + MOST_PARTS) * (2 * (relations + 1) * row + 4 * row),
      MOST_PARTS * (D + 2) * row,
      (Math.min(SLOT_PARTS * relations, relations + slots / PART_SLOTS) + 1) * (D * (row + 4) + H * row),
    )
  );
}

/** How many pairs of each node a step masks: its pairs times the probability that it is drawn under any (method §3). */
export class SlotForecast {
  readonly #pairs: Uint16Array;
  readonly #chance: Float32Array;

  constructor(graph: ModelGraph, frequencies: ArrayLike<number>, mask: MaskConfig) {
    const { nodes, nodeOffsets, relationCount } = graph.neighbours;
    const rates = maskRates(frequencies, mask);
    this.#pairs = new Uint16Array(graph.nodeCount);
    const kept = new Float32Array(graph.nodeCount).fill(1);
    for (let r = 0; r < relationCount; r++) {
      for (let pair = nodeOffsets[r]; pair < nodeOffsets[r + 1]; pair++) {
        this.#pairs[nodes[pair]]++;
        kept[nodes[pair]] *= mask.balanced ? 1 - rates[r] : 1;
      }
    }
    this.#chance = kept.map((share) => (mask.balanced ? 1 - share : mask.p0));
  }

  /** Pairs of some nodes, and slots of theirs: six deviations above what is expected. */
  of(nodes: Iterable<number>): { pairs: number; slots: number } {
    let [pairs, expected, variance] = [0, 0, 0];
    for (const v of nodes) {
      const [k, p] = [this.#pairs[v], this.#chance[v]];
      pairs += k;
      expected += k * p;
      variance += k * k * p * (1 - p);
    }
    return { pairs, slots: Math.min(pairs, Math.ceil(expected + 6 * Math.sqrt(variance) + 64)) };
  }
}
