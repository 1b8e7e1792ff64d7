import type { SparseMatrix } from '../features/sparse.js';
import type { NeighbourRows } from '../graph/adjacency.js';
import type { ProvenanceGraph } from '../graph/provenance-graph.js';
import type { RelationNeighbours } from '../graph/relation-neighbours.js';

/** A graph as input of the model: node features, and relations as numbers in the model's vocabulary. */
export interface ModelGraph {
  readonly nodeCount: number;
  /** R, the number of relations in the model. The adjacency uses the number R for `<new>` (method §1). */
  readonly relationCount: number;
  /** x_v for the encoder. */
  readonly features: SparseMatrix;
  /** x_v as the target of the decoders: the same object as `features` unless its blocks are scaled differently (method §2). */
  readonly target: SparseMatrix;
  /** By destination: one entry per distinct (src, dst, r). The neighbours are sources. */
  readonly adjacency: NeighbourRows;
  /** Distinct neighbours in both directions, per relation of the model. */
  readonly neighbours: RelationNeighbours;
  /** f_r of the relations of the model. */
  readonly frequencies: Uint32Array;
}

/** `relations` is the model's vocabulary. A relation of the graph that it lacks becomes `<new>`. */
export function makeModelGraph(
  graph: ProvenanceGraph,
  relations: readonly string[],
  features: SparseMatrix,
  target: SparseMatrix = features,
): ModelGraph {
  const known = new Map(relations.map((name, r) => [name, r]));
  const numbers = Uint16Array.from(graph.relations, (name) => known.get(name) ?? relations.length);
  const frequencies = new Uint32Array(relations.length);
  for (let r = 0; r < numbers.length; r++) {
    if (numbers[r] < relations.length) frequencies[numbers[r]] = graph.frequencies[r];
  }
  return {
    nodeCount: graph.nodeCount,
    relationCount: relations.length,
    features,
    target,
    frequencies,
    adjacency: renumberRows(graph.adjacency.byDestination, numbers, relations.length),
    neighbours: renumberNeighbours(graph.relationNeighbours, numbers, relations.length),
  };
}

/** Merges several new relations between the same two nodes into one entry, because `<new>` is one relation. */
function renumberRows(rows: NeighbourRows, numbers: Uint16Array, unknown: number): NeighbourRows {
  const offsets = new Uint32Array(rows.offsets.length);
  const neighbours = new Int32Array(rows.neighbours.length);
  const relations = new Uint16Array(rows.neighbours.length);
  let length = 0;
  for (let v = 0; v + 1 < offsets.length; v++) {
    let newFrom = -1;
    for (let e = rows.offsets[v]; e < rows.offsets[v + 1]; e++) {
      const r = numbers[rows.relations[e]];
      const u = rows.neighbours[e];
      if (r === unknown && newFrom === u) continue;
      if (r === unknown) newFrom = u;
      neighbours[length] = u;
      relations[length++] = r;
    }
    offsets[v + 1] = length;
  }
  return { offsets, neighbours: neighbours.subarray(0, length), relations: relations.subarray(0, length) };
}

function renumberNeighbours(
  all: RelationNeighbours,
  numbers: Uint16Array,
  relationCount: number,
): RelationNeighbours {
  const from = new Int32Array(relationCount).fill(-1);
  for (let r = 0; r < numbers.length; r++) if (numbers[r] < relationCount) from[numbers[r]] = r;
  const nodeOffsets = new Uint32Array(relationCount + 1);
  let pairs = 0;
  let entries = 0;
  from.forEach((r, at) => {
    if (r >= 0) {
      pairs += all.nodeOffsets[r + 1] - all.nodeOffsets[r];
      entries += all.offsets[all.nodeOffsets[r + 1]] - all.offsets[all.nodeOffsets[r]];
    }
    nodeOffsets[at + 1] = pairs;
  });
  const nodes = new Int32Array(pairs);
  const offsets = new Uint32Array(pairs + 1);
  const neighbours = new Int32Array(entries);
  let pair = 0;
  let entry = 0;
  for (const r of from) {
    if (r < 0) continue;
    const [start, end] = [all.nodeOffsets[r], all.nodeOffsets[r + 1]];
    nodes.set(all.nodes.subarray(start, end), pair);
    neighbours.set(all.neighbours.subarray(all.offsets[start], all.offsets[end]), entry);
    for (let p = start; p < end; p++) offsets[pair++] = entry + all.offsets[p] - all.offsets[start];
    entry += all.offsets[end] - all.offsets[start];
  }
  offsets[pairs] = entries;
  return { relationCount, nodeOffsets, nodes, offsets, neighbours };
}
