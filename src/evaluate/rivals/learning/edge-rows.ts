/** Edges by destination: the edges into node v are `offsets[v]` to `offsets[v + 1]`. */
export interface EdgeRows {
  readonly nodes: number;
  /** Length nodes + 1. */
  readonly offsets: Uint32Array;
  readonly sources: Int32Array;
  /** The relation of each edge. */
  readonly relations: Uint16Array;
}

/** Edges as columns, in any order. */
export interface EdgeList {
  readonly length: number;
  readonly source: ArrayLike<number>;
  readonly target: ArrayLike<number>;
  readonly relation: ArrayLike<number>;
}

/** Sorts edges by destination. Edges into the same node keep their order. */
export function gatherEdges(nodes: number, { length, source, target, relation }: EdgeList): EdgeRows {
  const offsets = new Uint32Array(nodes + 1);
  for (let e = 0; e < length; e++) offsets[target[e] + 1]++;
  for (let v = 0; v < nodes; v++) offsets[v + 1] += offsets[v];
  const next = offsets.slice(0, nodes);
  const sources = new Int32Array(length);
  const relations = new Uint16Array(length);
  for (let e = 0; e < length; e++) {
    const at = next[target[e]]++;
    sources[at] = source[e];
    relations[at] = relation[e];
  }
  return { nodes, offsets, sources, relations };
}
