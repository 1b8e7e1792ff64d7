import { Random } from '../dist/base/random.js';
import { buildAdjacency } from '../dist/graph/adjacency.js';
import { collectNeighbours } from '../dist/graph/relation-neighbours.js';
import type { ModelGraph } from '../dist/model/model-input.js';

export interface TrainShape {
  nodes: number;
  edges: number;
  /** Number of graphs that share the nodes and edges. */
  graphs: number;
}

export const RELATIONS = 24;
const TYPES = 4;
const TEXT = 32;
const HISTORY = 16;
export const FEATURES = TYPES + TEXT + RELATIONS * RELATIONS;

/** The graph of bench/peers/recal_torch.py: hubs, relation counts that span five decades, sparse transition profiles. */
export function makeTrainGraph({ nodes, edges }: Omit<TrainShape, 'graphs'>, seed = 0): ModelGraph {
  const random = new Random(seed).stream('bench graph');
  const hubs = Math.max(64, Math.floor(nodes / 200));
  const weights = Float64Array.from({ length: RELATIONS }, (_, r) => 10 ** ((-5 * r) / (RELATIONS - 1)));
  const draw = cumulative(weights);
  const src = new Int32Array(edges);
  const dst = new Int32Array(edges);
  const relation = new Uint16Array(edges);
  for (let e = 0; e < edges; e++) {
    src[e] = Math.floor(random.float() ** 3 * hubs);
    dst[e] = random.below(nodes);
    relation[e] = draw(random.float());
  }
  const adjacency = buildAdjacency({ length: edges, src, dst, relation }, nodes, RELATIONS);
  const frequencies = new Uint32Array(RELATIONS);
  for (const r of adjacency.byDestination.relations) frequencies[r]++;
  const features = makeFeatures(nodes, draw, random.stream('features'));
  return {
    nodeCount: nodes,
    relationCount: RELATIONS,
    features,
    target: features,
    frequencies,
    adjacency: adjacency.byDestination,
    neighbours: collectNeighbours(adjacency),
  };
}

function makeFeatures(nodes: number, draw: (u: number) => number, random: Random): ModelGraph['features'] {
  const most = nodes * (1 + TEXT + HISTORY);
  const offsets = new Uint32Array(nodes + 1);
  const indices = new Uint32Array(most);
  const values = new Float32Array(most);
  let length = 0;
  for (let v = 0; v < nodes; v++) {
    indices[length] = random.below(TYPES);
    values[length++] = 1;
    for (let k = 0; k < TEXT; k++) {
      // The sum of four uniform numbers is close enough to a normal number.
      const normal = (random.float() + random.float() + random.float() + random.float() - 2) * Math.sqrt(3);
      indices[length] = TYPES + k;
      values[length++] = 0.3 * normal;
    }
    const profile = new Map<number, number>();
    for (let k = 0; k < HISTORY; k++) {
      const cell = draw(random.float()) * RELATIONS + draw(random.float());
      profile.set(cell, (profile.get(cell) ?? 0) + random.float());
    }
    for (const cell of [...profile.keys()].sort((a, b) => a - b)) {
      indices[length] = TYPES + TEXT + cell;
      values[length++] = profile.get(cell) as number;
    }
    offsets[v + 1] = length;
  }
  return {
    rows: nodes,
    cols: FEATURES,
    offsets,
    indices: indices.subarray(0, length),
    values: values.subarray(0, length),
  };
}

function cumulative(weights: Float64Array): (u: number) => number {
  const total = weights.reduce((sum, w) => sum + w, 0);
  return (u) => {
    let rest = u * total;
    let i = 0;
    while (i + 1 < weights.length && rest >= weights[i]) rest -= weights[i++];
    return i;
  };
}
