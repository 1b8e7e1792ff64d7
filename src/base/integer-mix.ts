/**
 * The integer hash for open-addressing tables: the 32-bit steps of MurmurHash3. Every word of a key is mixed in full,
 * because real keys differ in few bits (counters, addresses) and linear probing suffers from clustering.
 */

/** Mixes one 32-bit word into the hash. */
export function mixWord(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  const h = hash ^ Math.imul(k, 0x1b873593);
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

/** Spreads every input bit to the low bits, which select the slot in a table of a power-of-two size. */
export function finishMix(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
