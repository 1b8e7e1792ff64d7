/** Scored nodes that incidents are formed of, one row per node and graph. */
export interface SuspiciousNodes {
  readonly length: number;
  readonly node: Int32Array;
  readonly score: Float64Array;
  /** The order of incidents. */
  readonly prominence: Float64Array;
  readonly host: Int32Array;
  /** The first and last event of the node in its graph, in nanoseconds. */
  readonly first: BigInt64Array;
  readonly last: BigInt64Array;
}

export interface SuspiciousNode {
  readonly node: number;
  readonly score: number;
  /** Default: the score. */
  readonly prominence?: number;
  readonly host: number;
  readonly first: bigint;
  readonly last: bigint;
}

/** Turns rows into columns. */
export function toColumns(members: readonly SuspiciousNode[]): SuspiciousNodes {
  return {
    length: members.length,
    node: Int32Array.from(members, ({ node }) => node),
    score: Float64Array.from(members, ({ score }) => score),
    prominence: Float64Array.from(members, ({ score, prominence = score }) => prominence),
    host: Int32Array.from(members, ({ host }) => host),
    first: BigInt64Array.from(members, ({ first }) => first),
    last: BigInt64Array.from(members, ({ last }) => last),
  };
}

/** Turns columns into rows. */
export function rowsOf(members: SuspiciousNodes): SuspiciousNode[] {
  const { node, score, prominence, host, first, last } = members;
  return Array.from(node, (each, i) => ({
    node: each,
    score: score[i],
    prominence: prominence[i],
    host: host[i],
    first: first[i],
    last: last[i],
  }));
}
