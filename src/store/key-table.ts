import { RecalError } from '../base/errors.js';
import { finishMix, mixWord } from '../base/integer-mix.js';

const WORDS = 5; // four key words and the host; one probe reads one cache line
const PAGE_BITS = 14;
const PAGE_ROWS = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_ROWS - 1;
const FIRST_CAPACITY = 1 << 10;
const LAST_CAPACITY = 1 << 30;
const MAX_LOAD = 0.6; // linear probing: about 1.8 probes for a hit, 3.6 for a miss
const SEED = 0x5ca1ab1e;

/**
 * A hash table that interns entity keys: it numbers them 0..n-1 in the order of their first call. A key is 128 bits (a
 * UUID, or the hash of a longer identifier) plus a host number, because two hosts may use the same identifier.
 *
 * A JavaScript Map is limited to 2^24 entries and needs 100 bytes for a string key. This table needs 20 bytes for a key
 * and at most 13.4 for its slots. Keys lie in pages, so growing copies none of them; slots are rebuilt from the pages.
 *
 * Numbers depend only on the order of calls, not on the hash. The seed is constant, so callers must hash identifiers
 * that an attacker chooses with a keyed or cryptographic hash.
 */
export class KeyTable {
  readonly #pages: Uint32Array[] = [];
  #slots = new Int32Array(FIRST_CAPACITY).fill(-1);
  #mask = FIRST_CAPACITY - 1;
  #limit = Math.floor(FIRST_CAPACITY * MAX_LOAD);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the number of a key; a new key gets the next number. */
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

  /** Returns the number of a key, or -1 if the table does not contain it. */
  find(host: number, w0: number, w1: number, w2: number, w3: number): number {
    return this.#slots[this.#slotOf(host, w0, w1, w2, w3)];
  }

  /** Copies the four words of a key to `out`. */
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
      throw new RangeError(`key ${index} does not exist; the table contains ${this.#size} keys`);
    }
    return this.#pages[index >>> PAGE_BITS];
  }

  #hash(host: number, w0: number, w1: number, w2: number, w3: number): number {
    return finishMix(mixWord(mixWord(mixWord(mixWord(mixWord(SEED, w0), w1), w2), w3), host));
  }

  /** The slot of a key, or the empty slot for it. */
  #slotOf(host: number, w0: number, w1: number, w2: number, w3: number): number {
    let slot = this.#hash(host, w0, w1, w2, w3) & this.#mask;
    for (;;) {
      const index = this.#slots[slot];
      if (index < 0) return slot;
      const page = this.#pages[index >>> PAGE_BITS];
      const at = (index & PAGE_MASK) * WORDS;
      // Pages store unsigned words; callers may pass signed ones.
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
      throw new RecalError('too-many-entities', `the selected events have more than ${this.#size} entities`, {
        hint: 'select fewer hosts with --host, or a shorter time range with --from and --to',
      });
    }
    this.#slots = new Int32Array(0); // free the old slots before allocating the new ones
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
