import type { Batch } from '../batch.js';
import type { EntityKey } from '../entity-key.js';

const SLOTS = 1 << 14;

/**
 * Remembers what was last said of an entity within a block, so that a name repeated on every event becomes one
 * upsert and not a million. The upsert keeps the first and the last event that said so. It forgets on collision, which
 * costs a redundant upsert and nothing else.
 */
export class UpsertCache {
  readonly #keys = new Int32Array(SLOTS * 4);
  readonly #what = new Uint32Array(SLOTS);
  readonly #start = new Uint32Array(SLOTS);
  readonly #length = new Uint32Array(SLOTS);
  readonly #upsert = new Uint32Array(SLOTS);
  readonly #block = new Uint32Array(SLOTS);
  #current = 0;
  #slot = 0;

  /** Offsets into the last block mean nothing in the next one. */
  beginBlock(): void {
    this.#current++;
  }

  /**
   * True if the bytes from `start` to `stop` are what was last said of this entity; then `extend` notes the new event.
   * `what` tells hosts and fields apart.
   */
  knows(key: EntityKey, what: number, buf: Uint8Array, start: number, stop: number): boolean {
    const mixed = Math.imul(key.w0 ^ (key.w1 << 7) ^ key.w2 ^ (key.w3 >>> 3) ^ (what << 20), 0x9e3779b1);
    const slot = (mixed ^ (mixed >>> 15)) & (SLOTS - 1);
    const k = slot * 4;
    const keys = this.#keys;
    const length = stop - start;
    this.#slot = slot;
    return (
      this.#block[slot] === this.#current &&
      this.#what[slot] === what &&
      keys[k] === key.w0 &&
      keys[k + 1] === key.w1 &&
      keys[k + 2] === key.w2 &&
      keys[k + 3] === key.w3 &&
      this.#length[slot] === length &&
      equal(buf, this.#start[slot], start, length)
    );
  }

  /** What is known was said again, by event `row`: the last time so far, or the first, as the log may be out of order. */
  extend(batch: Batch, row: number): void {
    const at = this.#upsert[this.#slot];
    if (isBefore(batch, batch.upsertLast[at], row)) batch.upsertLast[at] = row;
    else if (isBefore(batch, row, batch.upsertRow[at])) batch.upsertRow[at] = row;
  }

  /** Remembers what `knows` did not: said first by the upsert `at`. */
  remember(key: EntityKey, what: number, start: number, stop: number, at: number): void {
    const slot = this.#slot;
    const k = slot * 4;
    const keys = this.#keys;
    this.#block[slot] = this.#current;
    this.#what[slot] = what;
    keys[k] = key.w0;
    keys[k + 1] = key.w1;
    keys[k + 2] = key.w2;
    keys[k + 3] = key.w3;
    this.#start[slot] = start;
    this.#length[slot] = stop - start;
    this.#upsert[slot] = at;
  }
}

function equal(buf: Uint8Array, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (buf[a + i] !== buf[b + i]) return false;
  return true;
}

/** True if event `a` comes before event `b`, or at the same (time, sequence). */
function isBefore(batch: Batch, a: number, b: number): boolean {
  const { tsWords, seqWords } = batch;
  const time = compareWords(tsWords, a, b);
  return time < 0 || (time === 0 && compareWords(seqWords, a, b) <= 0);
}

/** The order of two 64-bit integers, signed: the high halves decide, or else the low ones. */
function compareWords(words: Uint32Array, a: number, b: number): number {
  const high = (words[a * 2 + 1] | 0) - (words[b * 2 + 1] | 0);
  return high !== 0 ? high : words[a * 2] - words[b * 2];
}
