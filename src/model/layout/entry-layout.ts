import { planWork, type WorkList } from '../../compute/work-list.js';
import type { NeighbourRows } from '../../graph/adjacency.js';
import type { ModelGraph } from '../model-input.js';
import type { NodeOrder } from './node-order.js';

/** Both directions of every edge, by destination (method §4). Nodes are places. */
export interface EntryLayout {
  readonly work: WorkList;
  readonly offsets: Uint32Array;
  readonly neighbours: Uint32Array;
  readonly relations: Uint32Array;
  /** The reverse of each entry. It is also the position of the entry in the list by source. */
  readonly places: Uint32Array;
  /** R + 1: the relations and `<new>`. r⁻¹ is r + half. */
  readonly half: number;
  /** Only if some nodes fold their attention. */
  readonly folded: FoldedRows | undefined;
}

interface FoldedRows {
  readonly foldedWork: WorkList;
  readonly unfoldedWork: WorkList;
  /** For each row, where its entries from folded nodes end. They come first. */
  readonly foldedEnds: Uint32Array;
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
  // Relation by relation, so that each row is sorted by relation: the kernels process runs of one relation together.
  const edges = sortByRelation(adjacency, half, order);
  const [forward, backward] = [0, 0].map(() => new Uint32Array(edges.length));
  const placeNeighbours = (first: number, end: number) => {
    const isInRange = (neighbour: number) => neighbour >= first && neighbour < end;
    for (let i = 0; i < edges.length; i++) {
      const source = edges.sources[i];
      if (isInRange(source)) forward[i] = place(edges.targets[i], source, edges.relations[i]);
    }
    for (let i = 0; i < edges.length; i++) {
      const target = edges.targets[i];
      if (isInRange(target)) backward[i] = place(edges.sources[i], target, edges.relations[i] + half);
    }
  };
  if (order.foldedCount > 0) placeNeighbours(0, order.foldedCount);
  const foldedEnds = next.slice();
  placeNeighbours(order.foldedCount, nodeCount);
  forward.forEach((e, i) => {
    places[e] = backward[i];
    places[backward[i]] = e;
  });
  const folded = order.foldedCount > 0 ? { ...planFolded(offsets, order), foldedEnds } : undefined;
  const work = planRows(offsets, order.connectedCount);
  return { work, offsets, neighbours, relations, places, half, folded };
}

function planFolded(offsets: Uint32Array, { foldedCount, connectedCount }: NodeOrder) {
  const others = Uint32Array.from({ length: connectedCount - foldedCount }, (_, i) => foldedCount + i);
  const [starts, ends] = [offsets.subarray(foldedCount), offsets.subarray(foldedCount + 1)];
  return {
    foldedWork: planRows(offsets, foldedCount),
    unfoldedWork: planWork(others.length, starts, ends, others),
  };
}

/** The edges by relation, then by the place of the destination. Nodes are places. */
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

/** The work of the first `rows` rows, where row i has the entries offsets[i] to offsets[i + 1]. */
export function planRows(offsets: Uint32Array, rows: number): WorkList {
  return planWork(rows, offsets.subarray(0, rows), offsets.subarray(1));
}
