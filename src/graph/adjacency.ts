/** The columns of raw or reduced edges. Both give the same adjacency. */
export interface EdgeColumns {
  readonly length: number;
  readonly src: Int32Array;
  readonly dst: Int32Array;
  readonly relation: Uint16Array;
}

/** Compressed rows: the entries of node v are `offsets[v]` to `offsets[v + 1]`, sorted by neighbour, then relation. */
export interface NeighbourRows {
  readonly offsets: Uint32Array;
  readonly neighbours: Int32Array;
  readonly relations: Uint16Array;
}

/** One entry per distinct (src, dst, r), indexed from both ends (method §1). */
export interface Adjacency {
  readonly nodeCount: number;
  readonly relationCount: number;
  /** Distinct (src, dst, r). */
  readonly length: number;
  /** Rows are destinations, neighbours are sources. */
  readonly byDestination: NeighbourRows;
  /** Rows are sources, neighbours are destinations. */
  readonly bySource: NeighbourRows;
}

/** Builds the adjacency without self-loops (method §1). The order of the edges does not matter. */
export function buildAdjacency(edges: EdgeColumns, nodeCount: number, relationCount: number): Adjacency {
  const { src, dst, relation } = edges;
  let order = withoutSelfLoops(edges);
  // Stable counting sorts, last key first: the result is sorted by destination, then source, then relation.
  order = sortBy(order, relation, relationCount);
  order = sortBy(order, src, nodeCount);
  order = sortBy(order, dst, nodeCount);

  let length = 0;
  for (let i = 0; i < order.length; i++) {
    const e = order[i];
    const previous = length > 0 ? order[length - 1] : -1;
    const repeats =
      previous >= 0 &&
      dst[previous] === dst[e] &&
      src[previous] === src[e] &&
      relation[previous] === relation[e];
    if (!repeats) order[length++] = e;
  }
  const distinct = order.slice(0, length);
  return {
    nodeCount,
    relationCount,
    length,
    byDestination: gatherRows(distinct, dst, src, relation, nodeCount),
    // The sort is stable, so the order by destination and relation remains within a source.
    bySource: gatherRows(sortBy(distinct, src, nodeCount), src, dst, relation, nodeCount),
  };
}

/** The numbers of the edges that are not self-loops. */
function withoutSelfLoops(edges: EdgeColumns): Int32Array {
  const chosen = new Int32Array(edges.length);
  let length = 0;
  for (let e = 0; e < edges.length; e++) {
    if (edges.src[e] !== edges.dst[e]) chosen[length++] = e;
  }
  return chosen.subarray(0, length);
}

/** Sorts the edge numbers in `order` by key. Equal keys keep their order. */
function sortBy(order: Int32Array, key: Int32Array | Uint16Array, keyCount: number): Int32Array {
  const next = countOffsets(order, key, keyCount);
  const sorted = new Int32Array(order.length);
  for (const e of order) sorted[next[key[e]]++] = e;
  return sorted;
}

/** The start of each key's run, and the end of the last run. */
function countOffsets(order: Int32Array, key: Int32Array | Uint16Array, keyCount: number): Uint32Array {
  const offsets = new Uint32Array(keyCount + 1);
  for (const e of order) offsets[key[e] + 1]++;
  for (let k = 0; k < keyCount; k++) offsets[k + 1] += offsets[k];
  return offsets;
}

function gatherRows(
  order: Int32Array,
  row: Int32Array,
  neighbour: Int32Array,
  relation: Uint16Array,
  nodeCount: number,
): NeighbourRows {
  const neighbours = new Int32Array(order.length);
  const relations = new Uint16Array(order.length);
  for (let i = 0; i < order.length; i++) {
    neighbours[i] = neighbour[order[i]];
    relations[i] = relation[order[i]];
  }
  return { offsets: countOffsets(order, row, nodeCount), neighbours, relations };
}
