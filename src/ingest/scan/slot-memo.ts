import type { JsonScan } from './json-scan.js';
import type { Slot } from './shape.js';

const ENTRIES = 1 << 13;
const ARENA_BYTES = 1 << 20;
/** Longer fields rarely recur. */
const LONGEST = 2048;
/** Before the bytes of each slot: its tag and its length. */
const HEAD = 8;

/**
 * Keeps what a reader made of some fields of a record, by their bytes. Logs repeat the same process or file in record after
 * record, so that a reader decodes and describes it once. Bounded: a full memo starts anew.
 */
export class SlotMemo<T> {
  readonly #scan: JsonScan;
  readonly #slots: readonly Slot[];
  readonly #values: (T | undefined)[] = new Array<T | undefined>(ENTRIES);
  readonly #starts = new Uint32Array(ENTRIES);
  readonly #arena = new Uint8Array(ARENA_BYTES);
  readonly #view = new DataView(this.#arena.buffer);
  #used = 0;

  constructor(scan: JsonScan, slots: readonly Slot[]) {
    this.#scan = scan;
    this.#slots = slots;
  }

  /** Returns what `make` made of the same fields, or calls it. It must depend on these fields only. */
  of(make: () => T): T {
    const entry = this.#entry();
    if (entry < 0) return make();
    const known = this.#values[entry];
    if (known !== undefined && this.#isSame(this.#starts[entry])) return known;
    const made = make();
    this.#keep(entry, made);
    return made;
  }

  /** Returns where the fields belong, or -1 if they are too long. */
  #entry(): number {
    const { view } = this.#scan;
    let hash = 0;
    let total = 0;
    for (const slot of this.#slots) {
      const tag = this.#scan.tag(slot);
      hash = Math.imul(hash ^ tag, 0x9e3779b1) ^ (hash >>> 15);
      if (tag === 0) continue;
      const start = this.#scan.start(slot);
      const length = this.#scan.stop(slot) - start;
      total += length;
      if (total > LONGEST) return -1;
      hash = Math.imul(hash ^ length, 0x9e3779b1);
      // Four bytes at a time; the last four overlap those before them.
      if (length < 4) for (let i = 0; i < length; i++) hash = mix(hash, view.getUint8(start + i));
      else {
        for (let i = 0; i < length - 4; i += 4) hash = mix(hash, view.getInt32(start + i, true));
        hash = mix(hash, view.getInt32(start + length - 4, true));
      }
    }
    return (hash ^ (hash >>> 16)) & (ENTRIES - 1);
  }

  #isSame(from: number): boolean {
    const kept = this.#view;
    const { view } = this.#scan;
    let at = from;
    for (const slot of this.#slots) {
      const tag = this.#scan.tag(slot);
      if (kept.getUint32(at, true) !== tag) return false;
      const start = this.#scan.start(slot);
      const length = tag === 0 ? 0 : this.#scan.stop(slot) - start;
      if (kept.getUint32(at + 4, true) !== length) return false;
      at += HEAD;
      let i = 0;
      for (; i + 4 <= length; i += 4)
        if (kept.getInt32(at + i, true) !== view.getInt32(start + i, true)) return false;
      for (; i < length; i++) if (kept.getUint8(at + i) !== view.getUint8(start + i)) return false;
      at += length;
    }
    return true;
  }

  #keep(entry: number, value: T): void {
    if (this.#used + LONGEST + this.#slots.length * HEAD > ARENA_BYTES) {
      this.#values.fill(undefined);
      this.#used = 0;
    }
    let at = this.#used;
    this.#values[entry] = value;
    this.#starts[entry] = at;
    for (const slot of this.#slots) {
      const tag = this.#scan.tag(slot);
      const start = this.#scan.start(slot);
      const length = tag === 0 ? 0 : this.#scan.stop(slot) - start;
      this.#view.setUint32(at, tag, true);
      this.#view.setUint32(at + 4, length, true);
      at += HEAD;
      for (let i = 0; i < length; i++) this.#arena[at + i] = this.#scan.bytes[start + i];
      at += length;
    }
    this.#used = at;
  }
}

function mix(hash: number, word: number): number {
  return Math.imul((hash ^ word) + (hash >>> 15), 0x9e3779b1);
}
