import type { ModelConfig } from '../config.js';
import type { ModelGraph } from '../model-input.js';
import { layOutParameters } from '../parameters.js';
import { type MaskConfig, maskRates } from '../training/masking.js';

/** The memory that the WASM device can address, less a reserve for fragmentation. */
export const DEVICE_MEMORY = 4 * 2 ** 30 - 96 * 2 ** 20;
/** Tables, command lists, and the scratch memory that does not grow with D. */
const FIXED = 32 * 2 ** 20;
/** The number of threads whose scratch memory is counted. */
const THREADS = 32;
/** Limits of the device on partial results (src/compute/wasm/kernel-call.ts and cosine-calls.ts). */
const MAX_PARTS = 16;
const MAX_CHUNKS = 256;
const PAIR_PARTS = 8;
const PART_PAIRS = 4032;

/** The numbers that determine how much memory a graph or a block needs. */
export interface GraphSize {
  readonly nodes: number;
  /** Edges, counted once per direction. */
  readonly entries: number;
  /** (node, relation) pairs to decode. */
  readonly pairs: number;
  /** The most pairs that a step masks. */
  readonly maskedPairs: number;
  /** Nonzero values of the input, and of the target if it is another matrix. */
  readonly values: number;
}

export function sizeOf(graph: ModelGraph, maskedPairs = graph.neighbours.nodes.length): GraphSize {
  const { features, target } = graph;
  return {
    nodes: graph.nodeCount,
    entries: 2 * graph.adjacency.neighbours.length,
    pairs: graph.neighbours.nodes.length,
    maskedPairs,
    values: features.indices.length + (target === features ? 0 : target.indices.length),
  };
}

/** The most bytes of device memory that training on a graph needs, including the parameters. */
export function memoryNeed(config: ModelConfig, size: GraphSize): number {
  const { hidden: H, heads, layers, relations, features: D } = config;
  const { nodes: N, entries, pairs, maskedPairs, values } = size;
  const row = 4 * H;
  const narrow = 4 * heads;
  // z and the value before PReLU; s, d, peak and inverse sum. The gradient of a layer's output replaces the output.
  const perLayer = 2 * row + 4 * narrow;
  // x, norms, mask, read nodes, and the work lists of entries, of folded and unfolded rows, and of readers.
  const perNode = layers * perLayer + (layers - 1) * row + 2 * 16 + 4 + 4 + 4 + 48 + 20;
  // z, s and d of each (node, ρ), at most one per entry, and their gradients; v and its gradient; index arrays.
  const columns = 2 * 2 * (relations + 1) * (D + (layers - 1) * H) * narrow;
  const isRgat = config.encoder === 'rgat';
  const rgat = isRgat ? layers * entries * (2 * row + 4 * narrow) + columns + entries * (48 + 16) : 0;
  return (
    FIXED +
    THREADS * D * (4 * row + 16) + // gradients of a section of pairs, and dense columns or x̂ (kernels/learn/cosine.ts)
    5 * 4 * layOutParameters(config).length + // with the gradient, two moments, and the sum over blocks
    8 * values +
    N * perNode +
    entries * 20 +
    rgat +
    pairs * 4 +
    maskedPairs * (row + 32) +
    (layers > 1 ? maskedPairs * (2 * row + 64) + pairs * 4 : 0) + // means of the last layer's input (residual-means.ts)
    Math.max(
      N * (160 + row) +
        entries * (isRgat ? 128 : 64) +
        (MAX_CHUNKS + MAX_PARTS) * (2 * (relations + 1) * row + 4 * row),
      MAX_PARTS * (D + 2) * row,
      (Math.min(PAIR_PARTS * relations, relations + maskedPairs / PART_PAIRS) + 1) *
        (D * (row + 4) + H * row),
    )
  );
}

/** Predicts how many pairs a step masks: the pairs of each node times the probability that it is masked (method §3). */
export class MaskForecast {
  readonly #pairs: Uint16Array;
  readonly #probability: Float32Array;

  constructor(graph: ModelGraph, frequencies: ArrayLike<number>, mask: MaskConfig) {
    const { nodes, nodeOffsets, relationCount } = graph.neighbours;
    const rates = maskRates(frequencies, mask);
    this.#pairs = new Uint16Array(graph.nodeCount);
    const unmasked = new Float32Array(graph.nodeCount).fill(1);
    for (let r = 0; r < relationCount; r++) {
      for (let pair = nodeOffsets[r]; pair < nodeOffsets[r + 1]; pair++) {
        this.#pairs[nodes[pair]]++;
        unmasked[nodes[pair]] *= mask.balanced ? 1 - rates[r] : 1;
      }
    }
    this.#probability = unmasked.map((share) => (mask.balanced ? 1 - share : mask.p0));
  }

  /** The pairs of some nodes, and the most that a step masks: six standard deviations above the expected number. */
  of(nodes: Iterable<number>): { pairs: number; maskedPairs: number } {
    let [pairs, expected, variance] = [0, 0, 0];
    for (const v of nodes) {
      const [k, p] = [this.#pairs[v], this.#probability[v]];
      pairs += k;
      expected += k * p;
      variance += k * k * p * (1 - p);
    }
    return { pairs, maskedPairs: Math.min(pairs, Math.ceil(expected + 6 * Math.sqrt(variance) + 64)) };
  }
}
