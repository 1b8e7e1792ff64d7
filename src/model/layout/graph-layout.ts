import { type FeatureLayout, layOutFeatures, rowNorms } from '../../compute/feature-layout.js';
import type { WorkList } from '../../compute/work-list.js';
import type { RelationNeighbours } from '../../graph/relation-neighbours.js';
import type { ModelGraph } from '../model-input.js';
import type { DecodedPairs } from './decoded-pairs.js';
import { type EntryLayout, layOutEntries, planRows } from './entry-layout.js';
import { putHubsLast } from './hubs.js';
import type { NodeOrder } from './node-order.js';

/**
 * A graph arranged for the kernels. It depends only on the graph, so it is made once. A node is identified by its place
 * in `order`; (node, decoder) pairs keep their order in the graph.
 */
export interface GraphLayout {
  readonly order: NodeOrder;
  readonly features: FeatureLayout;
  /** The same object as `features` if input and target are the same. */
  readonly target: FeatureLayout;
  readonly norms: Float64Array;
  readonly entries: EntryLayout;
  /** (node, decoder) pairs with their neighbours: one list per relation, or a single list for `w/o BL`. */
  readonly pairs: RelationNeighbours;
  /** For each pair, where the hubs among its neighbours begin. They come last. */
  readonly hubStarts: Uint32Array;
  /** The same pairs with the node numbers of the graph. */
  readonly decoded: DecodedPairs;
  /** For each node, the pairs that read its embedding. */
  readonly readers: {
    readonly work: WorkList;
    /** The work without hubs. Its row 0 is the first node after the hubs. */
    readonly nonHubWork: WorkList;
    readonly pairs: Uint32Array;
  };
}

/** Arranges a graph in the given order of nodes. */
export function arrangeGraph(
  graph: ModelGraph,
  order: NodeOrder,
  decoded: RelationNeighbours = graph.neighbours,
): GraphLayout {
  const features = layOutFeatures(graph.features, order.nodes);
  const pairs = replaceByPlaces(decoded, order.places);
  const hubStarts = putHubsLast(pairs, order.hubCount);
  return {
    order,
    features,
    entries: layOutEntries(graph, order),
    pairs,
    decoded,
    hubStarts,
    target: graph.target === graph.features ? features : layOutFeatures(graph.target, order.nodes),
    norms: rowNorms(graph.target, order.nodes),
    readers: findReaders(pairs, order),
  };
}

/** The approximate number of bytes that the layout of a graph holds in typed arrays. */
export function layoutBytes({ features, target, adjacency, neighbours, nodeCount }: ModelGraph): number {
  const values = features.indices.length + (target === features ? 0 : target.indices.length);
  return (
    8 * values +
    nodeCount * (8 + 16 + 8 + 4 + 4 * 16 + 2 * 4) +
    24 * adjacency.neighbours.length +
    8 * neighbours.nodes.length +
    8 * neighbours.neighbours.length
  );
}

function replaceByPlaces(pairs: RelationNeighbours, places: Uint32Array): RelationNeighbours {
  return {
    ...pairs,
    nodes: pairs.nodes.map((v) => places[v]),
    neighbours: pairs.neighbours.map((u) => places[u]),
  };
}

function findReaders(
  pairs: RelationNeighbours,
  { nodes, connectedCount, hubCount }: NodeOrder,
): GraphLayout['readers'] {
  const offsets = new Uint32Array(nodes.length + 1);
  for (const u of pairs.neighbours) offsets[u + 1]++;
  for (let v = 0; v < nodes.length; v++) offsets[v + 1] += offsets[v];
  const next = offsets.slice(0, nodes.length);
  const readers = new Uint32Array(offsets[nodes.length]);
  for (let pair = 0; pair < pairs.nodes.length; pair++) {
    for (let e = pairs.offsets[pair]; e < pairs.offsets[pair + 1]; e++) {
      readers[next[pairs.neighbours[e]]++] = pair;
    }
  }
  const nonHubWork = planRows(offsets.subarray(hubCount), connectedCount - hubCount);
  return { work: planRows(offsets, connectedCount), nonHubWork, pairs: readers };
}
