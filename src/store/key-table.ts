import { RecalError } from '../base/errors.js';
import { finishMix, mixWord } from '../base/integer-mix.js';

const WORDS = 5; // four key words and the host, side by side: a probe touches one cache line
const PAGE_BITS = 14;
const PAGE_ROWS = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_ROWS - 1;
const FIRST_CAPACITY = 1 << 10;
const LAST_CAPACITY = 1 << 30;
const MAX_LOAD = 0.6; // linear probing: about 1.8 probes for a hit, 3.6 for a miss
const SEED = 0x5ca1ab1e;

/**
 * Numbers entities 0..n-1 in order of first sight. A key is 128 bits (a UUID, or a hash of a longer identifier) and a
 * host number, because two hosts may use the same identifier.
 *
 * A JavaScript Map ends at 2^24 entries and pays 100 bytes for a string key; this table takes 20 bytes for the key
 * and at most 13.4 for its slots. Keys live in pages, so that growing never copies or over-allocates them, and slots
 * are rebuilt from the pages, so that the old ones can be let go first.
 *
 * The numbering depends on the order of the calls alone, never on the hash. The seed is a constant, so identifiers
 * that an attacker may choose freely should come here through a keyed or cryptographic hash.
 */
export class KeyTable {
  readonly #seed: number;
  readonly #pages: Uint32Array[] = [];
  #slots: Int32Array;
  #mask: number;
  #limit: number;
  #size = 0;

  constructor(seed: number = SEED) {
    this.#seed = seed | 0;
    this.#slots = new Int32Array(FIRST_CAPACITY).fill(-1);
    this.#mask = FIRST_CAPACITY - 1;
    this.#limit = Math.floor(FIRST_CAPACITY * MAX_LOAD);
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes held in typed arrays. */
  get byteLength(): number {
    return this.#slots.byteLength + this.#pages.length * PAGE_ROWS * WORDS * 4;
  }

  /** The number of this key, given out now if it is new. */
  intern(host: number, w0: number, w1: number, w2: number, w3: number): number {
    let slot = this.#slotOf(host, w0, w1, w2, w3);
    const known = this.#slots[slot];
    if (known >= 0) return known;
    if (this.#size >= this.#limit) {
      this.#grow();
      slot = this.#slotOf(host, w0, w1, w2, w3);
    }
    const index = this.#size++;
    if ((index & PAGE_MASK) === 0) this.#pages.push(new Uint32Array(PAGE_ROWS * WORDS));
    const page = this.#pages[index >>> PAGE_BITS];
    const at = (index & PAGE_MASK) * WORDS;
    page[at] = w0;
    page[at + 1] = w1;
    page[at + 2] = w2;
    page[at + 3] = w3;
    page[at + 4] = host;
    this.#slots[slot] = index;
    return index;
  }

  /** The number of this key, or -1. */
  find(host: number, w0: number, w1: number, w2: number, w3: number): number {
    return this.#slots[this.#slotOf(host, w0, w1, w2, w3)];
  }

  /**
   * Interns a column of keys of one host, four words a row. The all-zero key stands for an absent entity and gives -1:
   * logs fill empty object slots with it, and a node for it would join everything.
   */
  internColumn(words: Uint32Array, host: number, rows: number, out: Int32Array): void {
    if (words.length < rows * 4 || out.length < rows) {
      throw new RangeError(
        `internColumn of ${rows} rows needs ${rows * 4} words and ${rows} places, ` +
          `got ${words.length} and ${out.length}`,
      );
    }
    for (let row = 0, at = 0; row < rows; row++, at += 4) {
      const w0 = words[at];
      const w1 = words[at + 1];
      const w2 = words[at + 2];
      const w3 = words[at + 3];
      out[row] = (w0 | w1 | w2 | w3) === 0 ? -1 : this.intern(host, w0, w1, w2, w3);
    }
  }

  /** Writes the four words of a key to `out`. */
  keyAt(index: number, out: Uint32Array): void {
    const page = this.#pageOf(index);
    const at = (index & PAGE_MASK) * WORDS;
    for (let k = 0; k < 4; k++) out[k] = page[at + k];
  }

  hostAt(index: number): number {
    return this.#pageOf(index)[(index & PAGE_MASK) * WORDS + 4];
  }

  #pageOf(index: number): Uint32Array {
    if (!Number.isInteger(index) || index < 0 || index >= this.#size) {
      throw new RangeError(`entity ${index} is not one of the ${this.#size} interned`);
    }
    return this.#pages[index >>> PAGE_BITS];
  }

  #hash(host: number, w0: number, w1: number, w2: number, w3: number): number {
    return finishMix(mixWord(mixWord(mixWord(mixWord(mixWord(this.#seed, w0), w1), w2), w3), host));
  }

  /** The slot that holds this key, or the empty one where it belongs. */
  #slotOf(host: number, w0: number, w1: number, w2: number, w3: number): number {
    let slot = this.#hash(host, w0, w1, w2, w3) & this.#mask;
    for (;;) {
      const index = this.#slots[slot];
      if (index < 0) return slot;
      const page = this.#pages[index >>> PAGE_BITS];
      const at = (index & PAGE_MASK) * WORDS;
      // Words are unsigned in the pages; callers may hold them signed.
      if (
        page[at] === w0 >>> 0 &&
        page[at + 1] === w1 >>> 0 &&
        page[at + 2] === w2 >>> 0 &&
        page[at + 3] === w3 >>> 0 &&
        page[at + 4] === host >>> 0
      ) {
        return slot;
      }
      slot = (slot + 1) & this.#mask;
    }
  }

  #grow(): void {
    const capacity = this.#slots.length * 2;
    if (capacity > LAST_CAPACITY) {
      throw new RecalError('too-many-entities', `more than ${this.#size} entities in one table`, {
        hint: 'take fewer hosts or a shorter time at once',
      });
    }
    this.#slots = new Int32Array(0); // let the old slots go before the new ones come
    this.#slots = new Int32Array(capacity).fill(-1);
    this.#mask = capacity - 1;
    this.#limit = Math.floor(capacity * MAX_LOAD);
    for (let index = 0; index < this.#size; index++) {
      const page = this.#pages[index >>> PAGE_BITS];
      const at = (index & PAGE_MASK) * WORDS;
      let slot = this.#hash(page[at + 4], page[at], page[at + 1], page[at + 2], page[at + 3]) & this.#mask;
      while (this.#slots[slot] >= 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = index;
    }
  }
}
