import { finishMix, mixWord } from '../base/integer-mix.js';

const FIRST_CAPACITY = 1 << 10;
const MAX_LOAD = 0.6;
const SEED = 0x2545f491;

/** The columns with the keys, one edge per row. */
interface EdgeKeys {
  readonly src: Int32Array;
  readonly dst: Int32Array;
  readonly relation: Uint16Array;
}

/**
 * A hash table with the latest edge of each (u, v, r). A slot contains only the row of that edge, 4 bytes, because the
 * key is read from the columns.
 */
export class LatestEdges {
  readonly #keys: EdgeKeys;
  #slots = new Int32Array(FIRST_CAPACITY).fill(-1);
  #mask = FIRST_CAPACITY - 1;
  #size = 0;

  constructor(keys: EdgeKeys) {
    this.#keys = keys;
  }

  /** Makes `row` the latest edge of its key. Returns the previous latest edge, or -1. */
  replace(row: number): number {
    const { src, dst, relation } = this.#keys;
    const u = src[row];
    const v = dst[row];
    const r = relation[row];
    let slot = this.#hash(u, v, r) & this.#mask;
    for (;;) {
      const latest = this.#slots[slot];
      if (latest < 0) break;
      if (src[latest] === u && dst[latest] === v && relation[latest] === r) {
        this.#slots[slot] = row;
        return latest;
      }
      slot = (slot + 1) & this.#mask;
    }
    this.#slots[slot] = row;
    if (++this.#size > this.#slots.length * MAX_LOAD) this.#grow();
    return -1;
  }

  #hash(u: number, v: number, r: number): number {
    return finishMix(mixWord(mixWord(mixWord(SEED, u), v), r));
  }

  #grow(): void {
    const { src, dst, relation } = this.#keys;
    const old = this.#slots;
    const slots = new Int32Array(old.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (const row of old) {
      if (row < 0) continue;
      let slot = this.#hash(src[row], dst[row], relation[row]) & mask;
      while (slots[slot] >= 0) slot = (slot + 1) & mask;
      slots[slot] = row;
    }
    this.#slots = slots;
    this.#mask = mask;
  }
}
