import type { NeighbourRows } from '../../graph/adjacency.js';
import { type Confusion, countConfusion } from './confusion.js';

/** How flagged nodes are compared with labels (method §10). Only `node` compares each node with its own label. */
export const MATCHING_PROTOCOLS = ['node', 'threatrace-2hop', 'flash-2hop'] as const;
export type MatchingProtocol = (typeof MATCHING_PROTOCOLS)[number];

export interface MatchedCounts extends Confusion {
  /** False positives that the protocol does not count, because a labelled node is within two hops. */
  readonly forgiven: number;
  /** Labelled nodes that the protocol counts as found, because a flagged node is within two hops. */
  readonly rescued: number;
}

type Rows = Pick<NeighbourRows, 'offsets' | 'neighbours'>;

/** The part of an `Adjacency` that the protocols use. */
export interface HopRows {
  /** Rows are destinations, neighbours are sources: one hop towards ancestors. */
  readonly byDestination: Rows;
  /** Rows are sources, neighbours are destinations: one hop towards descendants. */
  readonly bySource: Rows;
}

const HOPS = 2;

/**
 * Counts flagged nodes under a protocol. Ignored nodes do not count, but hops lead through them.
 *
 * - `node`: a flagged node is a true positive if it is labelled.
 * - `threatrace-2hop`: a flagged node also finds every labelled node among its ancestors (two hops against the edges) and
 *   its descendants (two hops along them). A false positive near such a node counts as a true negative.
 * - `flash-2hop`: hops ignore directions, only true positives find other nodes, and a false positive within two hops of
 *   a labelled node is not counted at all.
 */
export function matchFlagged(
  protocol: MatchingProtocol,
  flagged: Uint8Array,
  positives: Uint8Array,
  rows: HopRows,
  ignored?: Uint8Array | undefined,
): MatchedCounts {
  if (protocol === 'node') {
    return { ...countConfusion(flagged, positives, ignored), forgiven: 0, rescued: 0 };
  }
  const counted = (mask: Uint8Array, also?: Uint8Array): Uint8Array =>
    mask.map((byte, v) => (byte !== 0 && !ignored?.[v] && (also === undefined || also[v] !== 0) ? 1 : 0));
  const alerts = counted(flagged);
  const labelled = counted(positives);
  const { byDestination, bySource } = rows;
  // A labelled node is an ancestor of a flagged node exactly if the flagged node is a descendant of the labelled node. So
  // one walk from all labelled nodes and one from all flagged nodes cover every pair.
  const near =
    protocol === 'threatrace-2hop'
      ? (from: Uint8Array) => union(reach(from, [byDestination]), reach(from, [bySource]))
      : (from: Uint8Array) => reach(from, [byDestination, bySource]);
  const nearLabel = near(labelled);
  const nearFlagged = near(protocol === 'threatrace-2hop' ? alerts : counted(flagged, positives));

  let [tp, fp, fn, tn, forgiven, rescued] = [0, 0, 0, 0, 0, 0];
  for (let v = 0; v < alerts.length; v++) {
    if (ignored !== undefined && ignored[v] !== 0) continue;
    if (labelled[v] !== 0) {
      if (alerts[v] !== 0) tp++;
      else if (nearFlagged[v] !== 0) rescued++;
      else fn++;
    } else if (alerts[v] === 0) tn++;
    else if (nearLabel[v] !== 0) forgiven++;
    else fp++;
  }
  if (protocol === 'threatrace-2hop') tn += forgiven;
  return { tp: tp + rescued, fp, fn, tn, forgiven, rescued };
}

/** One byte per node, 1 for the sources and all nodes within two hops. Each hop may use any of the rows. */
function reach(sources: Uint8Array, allRows: readonly Rows[]): Uint8Array {
  const reached = sources.slice();
  let frontier: number[] = [];
  for (let v = 0; v < sources.length; v++) if (sources[v] !== 0) frontier.push(v);
  for (let hop = 0; hop < HOPS; hop++) {
    const next: number[] = [];
    for (const v of frontier) {
      for (const { offsets, neighbours } of allRows) {
        for (let i = offsets[v]; i < offsets[v + 1]; i++) {
          const u = neighbours[i];
          if (reached[u] !== 0) continue;
          reached[u] = 1;
          next.push(u);
        }
      }
    }
    frontier = next;
  }
  return reached;
}

function union(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, v) => byte | b[v]);
}
