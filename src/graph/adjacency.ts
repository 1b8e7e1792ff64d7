/** The columns adjacency is made from: raw or reduced edges, which give the same. */
export interface EdgeColumns {
  readonly length: number;
  readonly src: Int32Array;
  readonly dst: Int32Array;
  readonly relation: Uint16Array;
}

/** Compressed rows: the entries of node v are `offsets[v]` to `offsets[v + 1]`, by neighbour, then relation. */
export interface NeighbourRows {
  readonly offsets: Uint32Array;
  readonly neighbours: Int32Array;
  readonly relations: Uint16Array;
}

/** One entry per distinct (src, dst, r), seen from either end (method §1). */
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

/** Self-loops are left out: a node is no neighbour of itself (method §1). The order of the edges does not matter. */
export function buildAdjacency(edges: EdgeColumns, nodeCount: number, relationCount: number): Adjacency {
  const { src, dst, relation } = edges;
  let order = selectProper(edges);
  // Stable counting sorts from the least key to the greatest: by destination, then source, then relation.
  order = sortBy(order, relation, relationCount);
  order = sortBy(order, src, nodeCount);
  order = sortBy(order, dst, nodeCount);

  let length = 0;
  for (let i = 0; i < order.length; i++) {
    const e = order[i];
    const before = length > 0 ? order[length - 1] : -1;
    const repeats =
      before >= 0 && dst[before] === dst[e] && src[before] === src[e] && relation[before] === relation[e];
    if (!repeats) order[length++] = e;
  }
  const distinct = order.slice(0, length);
  return {
    nodeCount,
    relationCount,
    length,
    byDestination: gatherRows(distinct, dst, src, relation, nodeCount),
    // Already by destination and relation within a source, and the sort is stable.
    bySource: gatherRows(sortBy(distinct, src, nodeCount), src, dst, relation, nodeCount),
  };
}

/** Edge numbers, without self-loops. */
function selectProper(edges: EdgeColumns): Int32Array {
  const chosen = new Int32Array(edges.length);
  let length = 0;
  for (let e = 0; e < edges.length; e++) {
    if (edges.src[e] !== edges.dst[e]) chosen[length++] = e;
  }
  return chosen.subarray(0, length);
}

/** The edge numbers of `order` by their key, equal keys in the order they came. */
function sortBy(order: Int32Array, key: Int32Array | Uint16Array, keyCount: number): Int32Array {
  const next = countOffsets(order, key, keyCount);
  const sorted = new Int32Array(order.length);
  for (const e of order) sorted[next[key[e]]++] = e;
  return sorted;
}

/** Where each key's run begins, and the end of the last. */
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
