import { finishMix, mixWord } from '../../base/integer-mix.js';
import type { KeyTable } from '../../store/key-table.js';

/**
 * A hash of each entity that does not depend on the selection. It draws the groups of masked inference and the halves of a
 * single calibration graph (method §6, §9).
 */
export function stableHashes(keys: KeyTable, nodes: Int32Array, seed: number): Uint32Array {
  const words = new Uint32Array(4);
  return Uint32Array.from(nodes, (node) => {
    keys.keyAt(node, words);
    let hash = seed | 0;
    for (const word of words) hash = mixWord(hash, word);
    return finishMix(hash) >>> 0;
  });
}

/** The round of masked inference that masks each node. */
export function maskedGroups(keys: KeyTable, nodes: Int32Array, seed: number, rounds: number): Uint8Array {
  return Uint8Array.from(stableHashes(keys, nodes, seed), (hash) => hash % rounds);
}
