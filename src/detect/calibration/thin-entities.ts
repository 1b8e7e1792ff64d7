import type { KeyTable } from '../../store/key-table.js';
import { stableHashes } from '../evidence/stable-hash.js';

/** Separates this choice from those of masked inference and of halves, which hash the same entities. */
const PURPOSE = 0x7f4a7c15;

/**
 * Chooses a share of the entities of a split by a hash of their ids (method §10): all instances of an entity stay or go
 * together, and a smaller share is a part of a larger one. At least one entity stays.
 */
export function thinEntities(keys: KeyTable, share: number, seed: number): (node: number) => boolean {
  if (share >= 1) return () => true;
  const nodes = Int32Array.from({ length: keys.size }, (_, node) => node);
  const hashes = stableHashes(keys, nodes, seed ^ PURPOSE);
  const count = Math.max(1, Math.ceil(share * keys.size));
  const last = hashes.slice().sort()[count - 1];
  return (node) => hashes[node] <= last;
}
