import type { EntityKey } from './entity-key.js';

const SLOTS = 1 << 14;

/** What a memo has to say about a statement. */
export const SAID_NEW = 0;
export const SAID_AGAIN = 1;
/** Other than what is remembered, but earlier in time: what is remembered still holds, and has to be said again. */
export const SAID_LATE = 2;

/**
 * Remembers what was last said of an entity within a block, so that a name repeated on every event becomes one
 * upsert and not a million. It forgets on collision, which costs a redundant upsert and nothing else.
 */
export class Memo {
  /** What is remembered, after SAID_LATE: its bytes, whether they are the text as it stands, and its event. */
  start = 0;
  stop = 0;
  plain = true;
  row = 0;
  readonly #keys = new Int32Array(SLOTS * 4);
  readonly #field = new Uint8Array(SLOTS);
  readonly #start = new Uint32Array(SLOTS);
  readonly #length = new Uint32Array(SLOTS);
  readonly #plain = new Uint8Array(SLOTS);
  readonly #row = new Int32Array(SLOTS);
  readonly #time = new Float64Array(SLOTS);
  readonly #block = new Uint32Array(SLOTS);
  #current = 0;

  /** Offsets into the last block mean nothing in the next one. */
  beginBlock(): void {
    this.#current++;
  }

  /**
   * Notes that the bytes from `start` to `stop` were said of this field of this entity by event `row`. `time` may be
   * rounded (a double holds nanoseconds to 256): it only has to tell a late record.
   */
  note(
    key: EntityKey,
    field: number,
    buf: Uint8Array,
    start: number,
    stop: number,
    plain: boolean,
    time: number,
    row: number,
  ): number {
    const mixed = Math.imul(key.w0 ^ (key.w1 << 7) ^ key.w2 ^ (key.w3 >>> 3) ^ (field << 24), 0x9e3779b1);
    const slot = (mixed ^ (mixed >>> 15)) & (SLOTS - 1);
    const k = slot * 4;
    const keys = this.#keys;
    const length = stop - start;
    const known =
      this.#block[slot] === this.#current &&
      this.#field[slot] === field &&
      keys[k] === key.w0 &&
      keys[k + 1] === key.w1 &&
      keys[k + 2] === key.w2 &&
      keys[k + 3] === key.w3;
    if (known) {
      const late = time < this.#time[slot];
      const same = this.#length[slot] === length && equal(buf, this.#start[slot], start, length);
      if (same && !late) {
        this.#time[slot] = time;
        this.#row[slot] = row;
        return SAID_AGAIN;
      }
      if (late && same) return SAID_NEW; // said earlier than known: its beginning moves back
      if (late) {
        this.start = this.#start[slot];
        this.stop = this.start + this.#length[slot];
        this.plain = this.#plain[slot] === 1;
        this.row = this.#row[slot];
        return SAID_LATE;
      }
    }
    this.#block[slot] = this.#current;
    this.#field[slot] = field;
    keys[k] = key.w0;
    keys[k + 1] = key.w1;
    keys[k + 2] = key.w2;
    keys[k + 3] = key.w3;
    this.#start[slot] = start;
    this.#length[slot] = length;
    this.#plain[slot] = plain ? 1 : 0;
    this.#time[slot] = time;
    this.#row[slot] = row;
    return SAID_NEW;
  }
}

function equal(buf: Uint8Array, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (buf[a + i] !== buf[b + i]) return false;
  return true;
}
