import type { ModelConfig } from './config.js';
import type { ModelGraph } from './model-input.js';
import { layOutParameters } from './parameters.js';

/** Room for parts of results, tables and scratch beside what grows with the graph. */
const FIXED = 128 * 2 ** 20;

/**
 * Bytes of device memory that training on a graph takes, parameters included: an upper bound, because how many nodes
 * will be masked is not known before (method §3). `maskedShare` is the largest share of (node, relation) pairs expected.
 */
export function memoryNeed(config: ModelConfig, graph: ModelGraph, maskedShare = 1): number {
  const { hidden: H, heads, layers } = config;
  const N = graph.nodeCount;
  const row = 4 * H;
  const entries = 2 * graph.adjacency.neighbours.length;
  const pairs = graph.neighbours.nodes.length;
  const features = (x: ModelGraph['features']) => 8 * x.indices.length + 4 * x.rows;
  const target = graph.target === graph.features ? 0 : features(graph.target);
  // Rows of (node, ρ) are at most entries; each layer has z and its gradient, and four numbers.
  const rgat =
    config.encoder === 'rgat' ? entries * (layers * (2 * row + 16) + 40) + N * layers * 2 * row : 0;
  const perLayer = 5 * row + 4 * 4 * heads; // z, pre, out, att, attλ; s, d, peak, inverse
  return (
    FIXED +
    16 * layOutParameters(config).length +
    features(graph.features) +
    target +
    N * (layers * perLayer + 2 * row + 80 + 40) + // gradients of embeddings, destinations' records, work lists
    entries * 16 +
    rgat +
    pairs * (maskedShare * (2 * row + 32) + 4)
  );
}
