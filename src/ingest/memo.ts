import type { EntityKey } from './entity-key.js';

const SLOTS = 1 << 14;

/**
 * Remembers what was last said of an entity within a block, so that a name repeated on every event becomes one
 * upsert and not a million. It forgets on collision, which costs a redundant upsert and nothing else.
 *
 * A repetition earlier in time than what is remembered is passed on, so that a late record cannot lose a name.
 */
export class Memo {
  readonly #keys = new Int32Array(SLOTS * 4);
  readonly #field = new Uint8Array(SLOTS);
  readonly #start = new Uint32Array(SLOTS);
  readonly #length = new Uint32Array(SLOTS);
  readonly #time = new Float64Array(SLOTS);
  readonly #block = new Uint32Array(SLOTS);
  #current = 0;

  /** Offsets into the last block mean nothing in the next one. */
  beginBlock(): void {
    this.#current++;
  }

  /**
   * True if these bytes, said of this field of this entity, are nothing new. `time` may be rounded (a double holds
   * nanoseconds to 256): it only has to tell a late record.
   */
  repeats(
    key: EntityKey,
    field: number,
    buf: Uint8Array,
    start: number,
    stop: number,
    time: number,
  ): boolean {
    const mixed = Math.imul(key.w0 ^ (key.w1 << 7) ^ key.w2 ^ (key.w3 >>> 3) ^ (field << 24), 0x9e3779b1);
    const slot = (mixed ^ (mixed >>> 15)) & (SLOTS - 1);
    const k = slot * 4;
    const keys = this.#keys;
    const length = stop - start;
    const same =
      this.#block[slot] === this.#current &&
      this.#field[slot] === field &&
      keys[k] === key.w0 &&
      keys[k + 1] === key.w1 &&
      keys[k + 2] === key.w2 &&
      keys[k + 3] === key.w3 &&
      this.#length[slot] === length &&
      time >= this.#time[slot] &&
      equal(buf, this.#start[slot], start, length);
    this.#time[slot] = time;
    if (same) return true;
    this.#block[slot] = this.#current;
    this.#field[slot] = field;
    keys[k] = key.w0;
    keys[k + 1] = key.w1;
    keys[k + 2] = key.w2;
    keys[k + 3] = key.w3;
    this.#start[slot] = start;
    this.#length[slot] = length;
    return false;
  }
}

function equal(buf: Uint8Array, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (buf[a + i] !== buf[b + i]) return false;
  return true;
}
