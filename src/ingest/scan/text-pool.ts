const SLOTS = 1 << 14;
/** Longer texts rarely recur. */
const LONGEST = 240;
const ARENA_BYTES = 1 << 20;

/**
 * Keeps the decoded form of texts that recur in a log, such as names of programs and users. The same bytes give the same
 * string object, which makes lookups by it fast. Bounded: a full pool starts anew.
 */
export class TextPool {
  readonly #texts: (string | undefined)[] = new Array<string | undefined>(SLOTS);
  readonly #start = new Uint32Array(SLOTS);
  readonly #length = new Uint32Array(SLOTS);
  readonly #arena = new Uint8Array(ARENA_BYTES);
  readonly #arenaView = new DataView(this.#arena.buffer);
  #used = 0;
  /** Where the text that was looked for last belongs, or -1. */
  #slot = -1;

  /** Returns the text of these bytes, or undefined if the pool does not have it: then call `keep`. */
  find(bytes: DataView, start: number, stop: number): string | undefined {
    const length = stop - start;
    this.#slot = -1;
    if (length > LONGEST || length === 0) return undefined;
    const slot = slotOf(bytes, start, length);
    this.#slot = slot;
    if (this.#length[slot] !== length) return undefined;
    return equal(this.#arenaView, this.#start[slot], bytes, start, length) ? this.#texts[slot] : undefined;
  }

  /** Keeps the text of the bytes that `find` was called with last, and returns it. */
  keep(bytes: DataView, start: number, stop: number, text: string): string {
    const slot = this.#slot;
    const length = stop - start;
    if (slot < 0) return text;
    if (this.#used + length > ARENA_BYTES) {
      this.#texts.fill(undefined);
      this.#used = 0;
    }
    for (let i = 0; i < length; i++) this.#arena[this.#used + i] = bytes.getUint8(start + i);
    this.#texts[slot] = text;
    this.#start[slot] = this.#used;
    this.#length[slot] = length;
    this.#used += length;
    return text;
  }
}

// Four bytes at a time; the last four overlap those before them.

function slotOf(bytes: DataView, start: number, length: number): number {
  let hash = length;
  if (length < 4)
    for (let i = 0; i < length; i++) hash = Math.imul(hash ^ bytes.getUint8(start + i), 0x9e3779b1);
  else {
    for (let i = 0; i < length - 4; i += 4)
      hash = Math.imul((hash ^ bytes.getInt32(start + i, true)) + (hash >>> 15), 0x9e3779b1);
    hash = Math.imul((hash ^ bytes.getInt32(start + length - 4, true)) + (hash >>> 15), 0x9e3779b1);
  }
  return (hash ^ (hash >>> 16)) & (SLOTS - 1);
}

function equal(a: DataView, from: number, b: DataView, start: number, length: number): boolean {
  if (length < 4) {
    for (let i = 0; i < length; i++) if (a.getUint8(from + i) !== b.getUint8(start + i)) return false;
    return true;
  }
  for (let i = 0; i < length - 4; i += 4)
    if (a.getInt32(from + i, true) !== b.getInt32(start + i, true)) return false;
  return a.getInt32(from + length - 4, true) === b.getInt32(start + length - 4, true);
}
