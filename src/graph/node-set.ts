/**
 * A set of table node numbers that numbers its members 0..n-1, in ascending order. It stores one bit per node and a
 * running count per 32 bits, so a window of a few thousand nodes out of ten million needs 2.5 MB and no hashing.
 */
export class NodeSet {
  readonly #bits: Uint32Array;
  /** Number of members before each word. */
  readonly #before: Uint32Array;
  /** The members in ascending order: local → table. */
  readonly members: Int32Array;

  /** The columns contain node numbers; negative numbers are ignored. */
  constructor(tableNodeCount: number, columns: readonly Int32Array[]) {
    const words = (tableNodeCount + 31) >>> 5;
    this.#bits = new Uint32Array(words);
    this.#before = new Uint32Array(words);
    for (const column of columns) {
      for (const node of column) {
        if (node >= 0) this.#bits[node >>> 5] |= 1 << (node & 31);
      }
    }
    let size = 0;
    for (let w = 0; w < words; w++) {
      this.#before[w] = size;
      size += countBits(this.#bits[w]);
    }
    this.members = new Int32Array(size);
    let next = 0;
    for (let w = 0; w < words; w++) {
      for (let rest = this.#bits[w]; rest !== 0; rest &= rest - 1) {
        this.members[next++] = w * 32 + (31 - Math.clz32(rest & -rest));
      }
    }
  }

  /** Table → local, or -1 for a node outside the set. */
  localOf(node: number): number {
    const w = node >>> 5;
    if (node < 0 || w >= this.#bits.length) return -1;
    const bit = 1 << (node & 31);
    if ((this.#bits[w] & bit) === 0) return -1;
    return this.#before[w] + countBits(this.#bits[w] & (bit - 1));
  }
}

/** Counts the set bits of a 32-bit word. */
function countBits(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
