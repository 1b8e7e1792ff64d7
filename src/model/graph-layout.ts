import { type FeatureLayout, layOutFeatures, rowNorms } from '../compute/feature-layout.js';
import { planWork, type WorkList } from '../compute/work-list.js';
import type { NeighbourRows } from '../graph/adjacency.js';
import type { RelationNeighbours } from '../graph/relation-neighbours.js';
import type { ModelGraph } from './model-input.js';

/** A graph arranged for the kernels; it depends on nothing that is learned or drawn, so it is made once per graph. */
export interface GraphLayout {
  readonly features: FeatureLayout;
  /** The same object as `features` where input and target are the same. */
  readonly target: FeatureLayout;
  readonly norms: Float64Array;
  readonly entries: EntryLayout;
  /** (node, decoder) pairs with their neighbours: per relation, or one list of all for `w/o BL`. */
  readonly pairs: RelationNeighbours;
  /** For each node the pairs it is a neighbour in: what its embedding is read by. */
  readonly readers: { readonly work: WorkList; readonly pairs: Uint32Array };
}

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
  known[key] ??= makeLayout(graph, balanced, targets);
  return known[key];
}

/** Bytes that a graph's layout holds in typed arrays, about: features again, entries both ways, work lists, readers. */
export function layoutBytes({ features, target, adjacency, neighbours, nodeCount }: ModelGraph): number {
  const values = features.indices.length + (target === features ? 0 : target.indices.length);
  return (
    8 * values +
    nodeCount * (16 + 8 + 2 * (4 + 16)) +
    24 * adjacency.neighbours.length +
    4 * neighbours.neighbours.length
  );
}

function makeLayout(graph: ModelGraph, balanced: boolean, targets: Uint8Array | undefined): GraphLayout {
  const features = layOutFeatures(graph.features);
  const entries = layOutEntries(graph);
  const pairs = balanced ? graph.neighbours : mergeNeighbours(entries, graph.nodeCount, targets);
  return {
    ...{ features, entries, pairs },
    target: graph.target === graph.features ? features : layOutFeatures(graph.target),
    norms: rowNorms(graph.target),
    readers: findReaders(pairs, graph.nodeCount),
  };
}

export function layOutEntries({ adjacency, nodeCount, relationCount }: ModelGraph): EntryLayout {
  const half = relationCount + 1;
  const offsets = new Uint32Array(nodeCount + 1);
  for (let v = 0; v < nodeCount; v++) {
    offsets[v + 1] += adjacency.offsets[v + 1] - adjacency.offsets[v];
    for (let e = adjacency.offsets[v]; e < adjacency.offsets[v + 1]; e++)
      offsets[adjacency.neighbours[e] + 1]++;
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
  const { order, target } = sortByRelation(adjacency, half);
  const forward = new Uint32Array(order.length);
  order.forEach((e, i) => {
    forward[i] = place(target[e], adjacency.neighbours[e], adjacency.relations[e]);
  });
  order.forEach((e, i) => {
    const backward = place(adjacency.neighbours[e], target[e], adjacency.relations[e] + half);
    places[backward] = forward[i];
    places[forward[i]] = backward;
  });
  return { work: planRows(offsets), offsets, neighbours, relations, places, half };
}

/** Entries of the adjacency by relation, within one as they came; and the row of each. */
function sortByRelation(adjacency: NeighbourRows, relationCount: number) {
  const { offsets, relations } = adjacency;
  const next = new Uint32Array(relationCount + 1);
  for (const r of relations) next[r + 1]++;
  for (let r = 0; r < relationCount; r++) next[r + 1] += next[r];
  const order = new Uint32Array(relations.length);
  const target = new Uint32Array(relations.length);
  for (let v = 0; v + 1 < offsets.length; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      target[e] = v;
      order[next[relations[e]]++] = e;
    }
  }
  return { order, target };
}

function planRows(offsets: Uint32Array): WorkList {
  const rows = offsets.length - 1;
  return planWork(rows, offsets.subarray(0, rows), offsets.subarray(1));
}

/** The nodes that each decoder is for: those with a neighbour under its relation, or for `w/o BL` with any. */
export function decodedPairs(
  { adjacency, neighbours, nodeCount }: ModelGraph,
  balanced: boolean,
): Pick<RelationNeighbours, 'nodeOffsets' | 'nodes'> {
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
function mergeNeighbours(
  entries: EntryLayout,
  nodeCount: number,
  targets: Uint8Array | undefined,
): RelationNeighbours {
  const nodes: number[] = [];
  const starts: number[] = [];
  const neighbours = new Int32Array(entries.neighbours.length);
  let length = 0;
  for (let v = 0; v < nodeCount; v++) {
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

function findReaders(pairs: RelationNeighbours, nodeCount: number): GraphLayout['readers'] {
  const offsets = new Uint32Array(nodeCount + 1);
  for (const u of pairs.neighbours) offsets[u + 1]++;
  for (let v = 0; v < nodeCount; v++) offsets[v + 1] += offsets[v];
  const next = offsets.slice(0, nodeCount);
  const readers = new Uint32Array(offsets[nodeCount]);
  for (let pair = 0; pair < pairs.nodes.length; pair++) {
    for (let e = pairs.offsets[pair]; e < pairs.offsets[pair + 1]; e++) {
      readers[next[pairs.neighbours[e]]++] = pair;
    }
  }
  return { work: planRows(offsets), pairs: readers };
}
