import { finishMix, mixWord } from '../../base/integer-mix.js';

const SIZE = 1 << 16;
const SEED = 0x3c6ef372;

/** Remembers pairs of integers from 0 on that came lately, in constant memory. It may forget a pair. */
export class RecentPairs {
  readonly #first = new Int32Array(SIZE).fill(-1);
  readonly #second = new Int32Array(SIZE).fill(-1);

  /** Whether the pair is remembered. From now on it is, in place of another one. */
  has(a: number, b: number): boolean {
    const at = finishMix(mixWord(mixWord(SEED, a), b)) & (SIZE - 1);
    if (this.#first[at] === a && this.#second[at] === b) return true;
    this.#first[at] = a;
    this.#second[at] = b;
    return false;
  }
}
