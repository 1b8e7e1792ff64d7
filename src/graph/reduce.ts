import type { EventTable } from '../store/event-table.js';
import type { RawEdges } from './edges.js';
import { LatestEdges } from './latest-edges.js';

/**
 * Edges that may stand for several events. For path search an edge is usable from arrival a iff a < lastRank, arriving
 * at max(a, firstRank); backwards, before deadline d iff firstRank < d, leaving at min(d, lastRank).
 */
export interface ReducedEdges {
  readonly length: number;
  readonly src: Int32Array;
  readonly dst: Int32Array;
  readonly relation: Uint16Array;
  /** Raw edges in this one; they sum to `rawLength`. */
  readonly count: Uint32Array;
  readonly firstTs: BigInt64Array;
  readonly firstSeq: BigInt64Array;
  readonly lastTs: BigInt64Array;
  readonly lastSeq: BigInt64Array;
  /** Positions of the first and last raw edge in the ordered list: o as one integer, without ties. */
  readonly firstRank: Int32Array;
  readonly lastRank: Int32Array;
  readonly rawLength: number;
  /** Raw edges for each edge kept: 1 where nothing merged. */
  readonly ratio: number;
}

/**
 * Causality-preserving reduction (method §1; Xu et al. 2016): a new edge u → v joins the open edge of the same
 * (u, v, r) iff nothing has come into u and nothing has left v since that edge's latest event. Then no path can tell
 * the two apart, so forward and backward reachability from any node at any time stay as they were.
 *
 * o is the position of an edge, not its (time, sequence), which logs repeat. With tied o another edge could have the o
 * of the latest event, pass the rule's ≤ and let path search by rank find a path that never was. With positions
 * equality can only mean the latest event itself, where it is a self-loop; so runs of self-loops merge too.
 *
 * `nodeCount` bounds the endpoints; the columns of `edges` must be in order of events.
 */
export function reduceEdges(edges: RawEdges, table: EventTable, nodeCount: number): ReducedEdges {
  const { src, dst, length } = edges;
  const lastIn = new Int32Array(nodeCount).fill(-1);
  const lastOut = new Int32Array(nodeCount).fill(-1);
  const open = new LatestEdges(edges);
  const keptAs = new Int32Array(length);
  let kept = 0;
  for (let o = 0; o < length; o++) {
    const u = src[o];
    const v = dst[o];
    const latest = open.replace(o);
    const merges = latest >= 0 && lastIn[u] <= latest && lastOut[v] <= latest;
    keptAs[o] = merges ? keptAs[latest] : kept++;
    lastIn[v] = o;
    lastOut[u] = o;
  }
  return gatherEdges(edges, table, keptAs, kept);
}

/** Every raw edge as an edge of its own, in the same columns. */
export function keepAllEdges(edges: RawEdges, table: EventTable): ReducedEdges {
  const keptAs = Int32Array.from({ length: edges.length }, (_, o) => o);
  return gatherEdges(edges, table, keptAs, edges.length);
}

/** Fills columns of the exact size, now that it is known which edge each raw edge went to. */
function gatherEdges(edges: RawEdges, table: EventTable, keptAs: Int32Array, length: number): ReducedEdges {
  const firstRank = new Int32Array(length);
  const lastRank = new Int32Array(length);
  const count = new Uint32Array(length);
  for (let o = 0; o < edges.length; o++) {
    const k = keptAs[o];
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
