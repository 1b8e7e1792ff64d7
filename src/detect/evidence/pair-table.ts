import { enlarge } from '../../base/enlarge.js';
import { finishMix, mixWord } from '../../base/integer-mix.js';

const FIRST_CAPACITY = 1 << 8;
const MAX_LOAD = 0.6;
const SEED = 0x51ed270b;

/**
 * Numbers pairs of integers from 0 on, in the order of their first use. A busy site has millions of pairs, so the table
 * uses 8 bytes per pair and 4 per bucket, and no objects.
 */
export class PairTable {
  #first = new Int32Array(FIRST_CAPACITY);
  #second = new Int32Array(FIRST_CAPACITY);
  #buckets = new Int32Array(FIRST_CAPACITY * 2).fill(-1);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The first integer of each pair, by pair number. Valid until the next change, like `seconds`. */
  get firsts(): Int32Array {
    return this.#first.subarray(0, this.#size);
  }

  get seconds(): Int32Array {
    return this.#second.subarray(0, this.#size);
  }

  /** The first integer of a pair, by pair number. Cheaper than `firsts` for one pair. */
  firstAt(pair: number): number {
    return this.#first[pair];
  }

  secondAt(pair: number): number {
    return this.#second[pair];
  }

  /** The number of a pair, or -1. */
  find(a: number, b: number): number {
    return this.#buckets[this.#bucket(a, b)];
  }

  /** The number of a pair. Adds the pair if it is new. */
  intern(a: number, b: number): number {
    const bucket = this.#bucket(a, b);
    if (this.#buckets[bucket] >= 0) return this.#buckets[bucket];
    if (this.#size === this.#first.length) {
      this.#first = enlarge(this.#first);
      this.#second = enlarge(this.#second);
    }
    const number = this.#size++;
    this.#first[number] = a;
    this.#second[number] = b;
    this.#buckets[bucket] = number;
    if (this.#size > this.#buckets.length * MAX_LOAD) this.#rehash();
    return number;
  }

  /** The bucket of a pair, or the free bucket for it. */
  #bucket(a: number, b: number): number {
    const mask = this.#buckets.length - 1;
    let bucket = finishMix(mixWord(mixWord(SEED, a), b)) & mask;
    for (;;) {
      const at = this.#buckets[bucket];
      if (at < 0 || (this.#first[at] === a && this.#second[at] === b)) return bucket;
      bucket = (bucket + 1) & mask;
    }
  }

  #rehash(): void {
    this.#buckets = new Int32Array(this.#buckets.length * 2).fill(-1);
    for (let i = 0; i < this.#size; i++) this.#buckets[this.#bucket(this.#first[i], this.#second[i])] = i;
  }
}
