import { KeyTable } from '../../store/key-table.js';
import { type Confusion, countConfusion, ratesOf } from './confusion.js';

/**
 * Groups of nodes that behave the same, identified by a hash of their features and relations. Most labelled nodes of the
 * public traces repeat one behaviour, so finding it once looks like finding thousands of nodes (method §10).
 */
export interface Behaviours {
  readonly count: number;
  /** The behaviour of each node, numbered in node order; -1 for ignored nodes. */
  readonly of: Int32Array;
}

export interface BehaviourMetrics extends Confusion {
  readonly precision: number | null;
  readonly recall: number | null;
}

/** `hashes` holds two words per node. With 64 bits, a million behaviours collide with a probability below 1e-7. */
export function groupBehaviours(hashes: Uint32Array, ignored?: Uint8Array | undefined): Behaviours {
  const table = new KeyTable();
  const of = new Int32Array(hashes.length >>> 1);
  for (let v = 0; v < of.length; v++) {
    const out = ignored !== undefined && ignored[v] !== 0;
    of[v] = out ? -1 : table.intern(0, hashes[2 * v], hashes[2 * v + 1], 0, 0);
  }
  return { count: table.size, of };
}

/** A behaviour is positive if any of its nodes is positive, and flagged if any of its nodes is flagged. */
export function behaviourMetrics(
  behaviours: Behaviours,
  flagged: Uint8Array,
  positives: Uint8Array,
): BehaviourMetrics {
  const anyFlagged = new Uint8Array(behaviours.count);
  const anyPositive = new Uint8Array(behaviours.count);
  behaviours.of.forEach((behaviour, v) => {
    if (behaviour < 0) return;
    if (flagged[v] !== 0) anyFlagged[behaviour] = 1;
    if (positives[v] !== 0) anyPositive[behaviour] = 1;
  });
  const confusion = countConfusion(anyFlagged, anyPositive);
  const { precision, recall } = ratesOf(confusion);
  return { ...confusion, precision, recall };
}
