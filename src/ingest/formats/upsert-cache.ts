import type { Batch } from '../batch.js';
import type { EntityKey } from '../entity-key.js';

const SLOTS = 1 << 14;

/**
 * Caches the last upsert of each attribute of an entity in a block, so that a name repeated on every event becomes one
 * upsert. The upsert keeps the first and the last event with that name. A hash collision evicts an entry, which only
 * costs a redundant upsert.
 */
export class UpsertCache {
  readonly #keys = new Int32Array(SLOTS * 4);
  readonly #attribute = new Uint32Array(SLOTS);
  readonly #start = new Uint32Array(SLOTS);
  readonly #length = new Uint32Array(SLOTS);
  readonly #upsert = new Uint32Array(SLOTS);
  readonly #block = new Uint32Array(SLOTS);
  #current = 0;
  #slot = 0;

  /** Empties the cache, because its offsets are valid in one block only. */
  beginBlock(): void {
    this.#current++;
  }

  /**
   * Tells whether the bytes from `start` to `stop` equal the last value of this attribute of the entity. Call `extend` or
   * `add` next. `attribute` identifies the host, the field and the rank.
   */
  find(key: EntityKey, attribute: number, bytes: Uint8Array, start: number, stop: number): boolean {
    const mixed = Math.imul(key.w0 ^ (key.w1 << 7) ^ key.w2 ^ (key.w3 >>> 3) ^ (attribute << 20), 0x9e3779b1);
    const slot = (mixed ^ (mixed >>> 15)) & (SLOTS - 1);
    const k = slot * 4;
    const keys = this.#keys;
    const length = stop - start;
    this.#slot = slot;
    return (
      this.#block[slot] === this.#current &&
      this.#attribute[slot] === attribute &&
      keys[k] === key.w0 &&
      keys[k + 1] === key.w1 &&
      keys[k + 2] === key.w2 &&
      keys[k + 3] === key.w3 &&
      this.#length[slot] === length &&
      equal(bytes, this.#start[slot], start, length)
    );
  }

  /** Extends the upsert found to event `row`, which may be the last or the first, as logs can be out of order. */
  extend(batch: Batch, row: number): void {
    extendUpsert(batch, this.#upsert[this.#slot], row);
  }

  /** Adds the upsert `at` after `find` returned false. */
  add(key: EntityKey, attribute: number, start: number, stop: number, at: number): void {
    const slot = this.#slot;
    const k = slot * 4;
    const keys = this.#keys;
    this.#block[slot] = this.#current;
    this.#attribute[slot] = attribute;
    keys[k] = key.w0;
    keys[k + 1] = key.w1;
    keys[k + 2] = key.w2;
    keys[k + 3] = key.w3;
    this.#start[slot] = start;
    this.#length[slot] = stop - start;
    this.#upsert[slot] = at;
  }
}

/** Extends an upsert to event `row`. */
export function extendUpsert(batch: Batch, at: number, row: number): void {
  if (isBefore(batch, batch.upsertLast[at], row)) batch.upsertLast[at] = row;
  else if (isBefore(batch, row, batch.upsertRow[at])) batch.upsertRow[at] = row;
}

function equal(bytes: Uint8Array, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}

/** Tells whether event `a` is before event `b` or has the same time and sequence number. */
function isBefore(batch: Batch, a: number, b: number): boolean {
  const { tsWords, seqWords } = batch;
  const time = compareWords(tsWords, a, b);
  return time < 0 || (time === 0 && compareWords(seqWords, a, b) <= 0);
}

/** Compares two signed 64-bit integers. */
function compareWords(words: Uint32Array, a: number, b: number): number {
  const high = (words[a * 2 + 1] | 0) - (words[b * 2 + 1] | 0);
  return high !== 0 ? high : words[a * 2] - words[b * 2];
}
