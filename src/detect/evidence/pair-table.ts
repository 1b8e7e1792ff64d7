import { enlarge } from '../../base/enlarge.js';
import { finishMix, mixWord } from '../../base/integer-mix.js';

const FIRST_CAPACITY = 1 << 8;
const MAX_LOAD = 0.6;
const SEED = 0x51ed270b;

/**
 * Numbers pairs of integers from 0 on, in the order in which they first come. Counts of names are keyed by such pairs,
 * and a busy site has millions of them: 8 bytes a pair and 4 a slot, no object each.
 */
export class PairTable {
  #first = new Int32Array(FIRST_CAPACITY);
  #second = new Int32Array(FIRST_CAPACITY);
  #slots = new Int32Array(FIRST_CAPACITY * 2).fill(-1);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The first number of each pair, by the pair's own number. Valid until the next change, as is `seconds`. */
  get firsts(): Int32Array {
    return this.#first.subarray(0, this.#size);
  }

  get seconds(): Int32Array {
    return this.#second.subarray(0, this.#size);
  }

  /** The number of a pair, or -1. */
  find(a: number, b: number): number {
    return this.#slots[this.#slot(a, b)];
  }

  /** The number of a pair, a new one if it has none. */
  intern(a: number, b: number): number {
    const slot = this.#slot(a, b);
    if (this.#slots[slot] >= 0) return this.#slots[slot];
    if (this.#size === this.#first.length) {
      this.#first = enlarge(this.#first);
      this.#second = enlarge(this.#second);
    }
    const number = this.#size++;
    this.#first[number] = a;
    this.#second[number] = b;
    this.#slots[slot] = number;
    if (this.#size > this.#slots.length * MAX_LOAD) this.#rehash();
    return number;
  }

  /** Where a pair is, or where it would be put. */
  #slot(a: number, b: number): number {
    const mask = this.#slots.length - 1;
    let slot = finishMix(mixWord(mixWord(SEED, a), b)) & mask;
    for (;;) {
      const at = this.#slots[slot];
      if (at < 0 || (this.#first[at] === a && this.#second[at] === b)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1);
    for (let i = 0; i < this.#size; i++) this.#slots[this.#slot(this.#first[i], this.#second[i])] = i;
  }
}
