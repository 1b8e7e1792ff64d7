import type { EventTable } from '../store/event-table.js';
import type { RawEdges } from './edges.js';
import { LatestEdges } from './latest-edges.js';

/**
 * Edges that may represent several raw edges. In a forward path search, an edge is usable after arrival a iff a <
 * lastRank, and arrives at max(a, firstRank). Backwards, it is usable before deadline d iff firstRank < d, and leaves
 * at min(d, lastRank).
 */
export interface ReducedEdges {
  readonly length: number;
  readonly src: Int32Array;
  readonly dst: Int32Array;
  readonly relation: Uint16Array;
  /** Number of raw edges in each edge; they sum to `rawLength`. */
  readonly count: Uint32Array;
  readonly firstTs: BigInt64Array;
  readonly firstSeq: BigInt64Array;
  readonly lastTs: BigInt64Array;
  readonly lastSeq: BigInt64Array;
  /** Positions of the first and the last raw edge: o as one integer, without ties. */
  readonly firstRank: Int32Array;
  readonly lastRank: Int32Array;
  readonly rawLength: number;
  /** Raw edges per edge; 1 if no edges merged. */
  readonly ratio: number;
}

/**
 * Causality-preserving reduction (method §1; Xu et al. 2016): a new edge u → v merges with the latest edge of the same
 * (u, v, r) iff no edge has entered u and no edge has left v since then. Forward and backward reachability from any
 * node at any time stay the same.
 *
 * o is the position of an edge, not its (time, sequence), which logs repeat. With tied o, another edge could pass the ≤
 * of the rule, and path search would find paths that do not exist. Equal positions occur only for self-loops, which
 * merge.
 *
 * Endpoints must be below `nodeCount`, and `edges` must be in the order of events.
 */
export function reduceEdges(edges: RawEdges, table: EventTable, nodeCount: number): ReducedEdges {
  const { src, dst, length } = edges;
  const lastIn = new Int32Array(nodeCount).fill(-1);
  const lastOut = new Int32Array(nodeCount).fill(-1);
  const latestEdges = new LatestEdges(edges);
  const mergedInto = new Int32Array(length);
  let kept = 0;
  for (let o = 0; o < length; o++) {
    const u = src[o];
    const v = dst[o];
    const latest = latestEdges.replace(o);
    const merges = latest >= 0 && lastIn[u] <= latest && lastOut[v] <= latest;
    mergedInto[o] = merges ? mergedInto[latest] : kept++;
    lastIn[v] = o;
    lastOut[u] = o;
  }
  return gatherEdges(edges, table, mergedInto, kept);
}

/** The raw edges in the same columns, without merging. */
export function keepAllEdges(edges: RawEdges, table: EventTable): ReducedEdges {
  const mergedInto = Int32Array.from({ length: edges.length }, (_, o) => o);
  return gatherEdges(edges, table, mergedInto, edges.length);
}

/** Fills the columns of `length` edges. `mergedInto` gives the edge of each raw edge. */
function gatherEdges(
  edges: RawEdges,
  table: EventTable,
  mergedInto: Int32Array,
  length: number,
): ReducedEdges {
  const firstRank = new Int32Array(length);
  const lastRank = new Int32Array(length);
  const count = new Uint32Array(length);
  for (let o = 0; o < edges.length; o++) {
    const k = mergedInto[o];
    if (count[k]++ === 0) firstRank[k] = o;
    lastRank[k] = o;
  }
  const src = new Int32Array(length);
  const dst = new Int32Array(length);
  const relation = new Uint16Array(length);
  const firstTs = new BigInt64Array(length);
  const firstSeq = new BigInt64Array(length);
  const lastTs = new BigInt64Array(length);
  const lastSeq = new BigInt64Array(length);
  for (let k = 0; k < length; k++) {
    src[k] = edges.src[firstRank[k]];
    dst[k] = edges.dst[firstRank[k]];
    relation[k] = edges.relation[firstRank[k]];
    const first = edges.event[firstRank[k]];
    const last = edges.event[lastRank[k]];
    firstTs[k] = table.ts[first];
    firstSeq[k] = table.seq[first];
    lastTs[k] = table.ts[last];
    lastSeq[k] = table.seq[last];
  }
  return {
    length,
    src,
    dst,
    relation,
    count,
    firstTs,
    firstSeq,
    lastTs,
    lastSeq,
    firstRank,
    lastRank,
    rawLength: edges.length,
    ratio: length === 0 ? 1 : edges.length / length,
  };
}
