import { type FeatureLayout, layOutFeatures, rowNorms } from '../../compute/feature-layout.js';
import { planWork, type WorkList } from '../../compute/work-list.js';
import type { NeighbourRows } from '../../graph/adjacency.js';
import type { RelationNeighbours } from '../../graph/relation-neighbours.js';
import type { ModelGraph } from '../model-input.js';
import { chooseHubs, countReaders, putHubsFirst, putHubsLast } from './hubs.js';
import { joinNodes, type NodeOrder, orderByNearness } from './node-order.js';

/**
 * A graph arranged for the kernels; it depends on nothing that is learned or drawn, so it is made once per graph. Nodes
 * go by their place in `order`; (node, decoder) pairs keep the order they have in the graph.
 */
export interface GraphLayout {
  readonly order: NodeOrder;
  readonly features: FeatureLayout;
  /** The same object as `features` where input and target are the same. */
  readonly target: FeatureLayout;
  readonly norms: Float64Array;
  readonly entries: EntryLayout;
  /** (node, decoder) pairs with their neighbours: per relation, or one list of all for `w/o BL`. */
  readonly pairs: RelationNeighbours;
  /** Of each pair, where among its neighbours the hubs begin, which come last. */
  readonly hubStarts: Uint32Array;
  /** The same with the graph's own numbers for nodes. */
  readonly decoded: DecodedPairs;
  /** For each node the pairs it is a neighbour in: what its embedding is read by. */
  readonly readers: {
    readonly work: WorkList;
    /** Without hubs: its first row is the first node that is none. */
    readonly workOfOthers: WorkList;
    readonly pairs: Uint32Array;
  };
}

/** The nodes of each decoder, ascending: those of r are nodeOffsets[r] to nodeOffsets[r + 1]. */
export type DecodedPairs = Pick<RelationNeighbours, 'nodeOffsets' | 'nodes'>;

/** Both directions of every edge, by destination (method §4). */
export interface EntryLayout {
  readonly work: WorkList;
  readonly offsets: Uint32Array;
  readonly neighbours: Uint32Array;
  readonly relations: Uint32Array;
  /** For each entry its reverse, which stands for the same entry listed by source. */
  readonly places: Uint32Array;
  /** R + 1: relations and `<new>`; r⁻¹ is r + half. */
  readonly half: number;
  /** Where some fold: their rows, all others, and where in each row the entries from them end, which then come first. */
  readonly folded: FoldedRows | undefined;
}

interface FoldedRows {
  readonly workOfFolding: WorkList;
  readonly workOfOthers: WorkList;
  readonly foldedEnds: Uint32Array;
}

const layouts = new WeakMap<ModelGraph, { balanced?: GraphLayout; shared?: GraphLayout }>();

/**
 * Kept as long as the graph is: graphs come back every epoch. `targets`, one byte per node, says which nodes the shared
 * decoder is for, where not for all.
 */
export function layOutGraph(graph: ModelGraph, balanced: boolean, targets?: Uint8Array): GraphLayout {
  const known = layouts.get(graph) ?? {};
  layouts.set(graph, known);
  const key = balanced ? 'balanced' : 'shared';
  known[key] ??= arrangeForSpeed(graph, balanced, targets);
  return known[key];
}

function arrangeForSpeed(graph: ModelGraph, balanced: boolean, targets?: Uint8Array): GraphLayout {
  const decoded = balanced ? graph.neighbours : mergeNeighbours(graph, targets);
  const readers = countReaders(decoded, graph.nodeCount);
  const joined = joinNodes(graph.adjacency);
  const choice = chooseHubs(decoded, readers, joined, graph.relationCount);
  const order = putHubsFirst(orderByNearness(joined), readers, choice, joined);
  return arrangeGraph(graph, order, decoded);
}

/** Bytes that a graph's layout holds in typed arrays, about: features again, order, entries both ways, work lists, pairs, readers. */
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

/** In any order. */
export function arrangeGraph(
  graph: ModelGraph,
  order: NodeOrder,
  decoded: RelationNeighbours = graph.neighbours,
): GraphLayout {
  const features = layOutFeatures(graph.features, order.nodes);
  const entries = layOutEntries(graph, order);
  const pairs = renamePairs(decoded, order.places);
  const hubStarts = putHubsLast(pairs, order.hubs);
  return {
    order,
    features,
    entries,
    pairs,
    decoded,
    hubStarts,
    target: graph.target === graph.features ? features : layOutFeatures(graph.target, order.nodes),
    norms: rowNorms(graph.target, order.nodes),
    readers: findReaders(pairs, order),
  };
}

export function layOutEntries(
  { adjacency, nodeCount, relationCount }: ModelGraph,
  order: NodeOrder,
): EntryLayout {
  const half = relationCount + 1;
  const offsets = new Uint32Array(nodeCount + 1);
  for (let v = 0; v < nodeCount; v++) {
    offsets[order.places[v] + 1] += adjacency.offsets[v + 1] - adjacency.offsets[v];
    for (let e = adjacency.offsets[v]; e < adjacency.offsets[v + 1]; e++)
      offsets[order.places[adjacency.neighbours[e]] + 1]++;
  }
  for (let v = 0; v < nodeCount; v++) offsets[v + 1] += offsets[v];
  const next = offsets.slice(0, nodeCount);
  const neighbours = new Uint32Array(offsets[nodeCount]);
  const relations = new Uint32Array(offsets[nodeCount]);
  const places = new Uint32Array(offsets[nodeCount]);
  const place = (row: number, neighbour: number, rho: number) => {
    neighbours[next[row]] = neighbour;
    relations[next[row]] = rho;
    return next[row]++;
  };
  // Relation by relation, so that each row comes out sorted by it: the kernels treat runs of one relation together.
  const edges = sortByRelation(adjacency, half, order);
  const [forward, backward] = [0, 0].map(() => new Uint32Array(edges.length));
  const placeThoseFrom = (first: number, end: number) => {
    const isWanted = (neighbour: number) => neighbour >= first && neighbour < end;
    for (let i = 0; i < edges.length; i++) {
      const source = edges.sources[i];
      if (isWanted(source)) forward[i] = place(edges.targets[i], source, edges.relations[i]);
    }
    for (let i = 0; i < edges.length; i++) {
      const target = edges.targets[i];
      if (isWanted(target)) backward[i] = place(edges.sources[i], target, edges.relations[i] + half);
    }
  };
  if (order.folding > 0) placeThoseFrom(0, order.folding);
  const foldedEnds = next.slice();
  placeThoseFrom(order.folding, nodeCount);
  forward.forEach((e, i) => {
    places[e] = backward[i];
    places[backward[i]] = e;
  });
  const folded = order.folding > 0 ? { ...planFolded(offsets, order), foldedEnds } : undefined;
  const work = planRows(offsets, order.connected);
  return { work, offsets, neighbours, relations, places, half, folded };
}

function planFolded(offsets: Uint32Array, { folding, connected }: NodeOrder) {
  const others = Uint32Array.from({ length: connected - folding }, (_, i) => folding + i);
  return {
    workOfFolding: planRows(offsets, folding),
    workOfOthers: planWork(others.length, offsets.subarray(folding), offsets.subarray(folding + 1), others),
  };
}

/** The adjacency's entries by relation, within one by the row's place. Nodes go by their places. */
function sortByRelation(adjacency: NeighbourRows, relationCount: number, { nodes, places }: NodeOrder) {
  const { offsets } = adjacency;
  const length = adjacency.relations.length;
  const next = new Uint32Array(relationCount + 1);
  for (const r of adjacency.relations) next[r + 1]++;
  for (let r = 0; r < relationCount; r++) next[r + 1] += next[r];
  const [sources, targets, relations] = [0, 0, 0].map(() => new Uint32Array(length));
  nodes.forEach((v, place) => {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      const i = next[adjacency.relations[e]]++;
      sources[i] = places[adjacency.neighbours[e]];
      targets[i] = place;
      relations[i] = adjacency.relations[e];
    }
  });
  return { length, sources, targets, relations };
}

function planRows(offsets: Uint32Array, rows: number): WorkList {
  return planWork(rows, offsets.subarray(0, rows), offsets.subarray(1));
}

/** The nodes that each decoder is for: those with a neighbour under its relation, or for `w/o BL` with any. */
export function decodedPairs(
  { adjacency, neighbours, nodeCount }: ModelGraph,
  balanced: boolean,
): DecodedPairs {
  if (balanced) return neighbours;
  const touched = new Uint8Array(nodeCount);
  for (let v = 0; v < nodeCount; v++) {
    if (adjacency.offsets[v + 1] > adjacency.offsets[v]) touched[v] = 1;
  }
  for (const u of adjacency.neighbours) touched[u] = 1;
  const nodes = Int32Array.from(touched.keys()).filter((v) => touched[v] === 1);
  return { nodeOffsets: Uint32Array.of(0, nodes.length), nodes };
}

/** All distinct neighbours of a node as one relation: the shared decoder of `w/o BL` (method §10). */
function mergeNeighbours(graph: ModelGraph, targets: Uint8Array | undefined): RelationNeighbours {
  const entries = joinNodes(graph.adjacency);
  const nodes: number[] = [];
  const starts: number[] = [];
  const neighbours = new Int32Array(entries.neighbours.length);
  let length = 0;
  for (let v = 0; v < graph.nodeCount; v++) {
    if (targets !== undefined && targets[v] === 0) continue;
    const row = entries.neighbours.slice(entries.offsets[v], entries.offsets[v + 1]).sort();
    if (row.length === 0) continue;
    nodes.push(v);
    starts.push(length);
    row.forEach((u, i) => {
      if (i === 0 || row[i - 1] !== u) neighbours[length++] = u;
    });
  }
  return {
    relationCount: 1,
    nodeOffsets: Uint32Array.of(0, nodes.length),
    nodes: Int32Array.from(nodes),
    offsets: Uint32Array.from([...starts, length]),
    neighbours: neighbours.subarray(0, length),
  };
}

/** The same pairs, with places for nodes. */
function renamePairs(pairs: RelationNeighbours, places: Uint32Array): RelationNeighbours {
  return {
    ...pairs,
    nodes: pairs.nodes.map((v) => places[v]),
    neighbours: pairs.neighbours.map((u) => places[u]),
  };
}

function findReaders(
  pairs: RelationNeighbours,
  { nodes, connected, hubs }: NodeOrder,
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
  const workOfOthers = planRows(offsets.subarray(hubs), connected - hubs);
  return { work: planRows(offsets, connected), workOfOthers, pairs: readers };
}
