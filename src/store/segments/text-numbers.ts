import { randomInt } from 'node:crypto';
import { enlarge } from '../../base/enlarge.js';

const FIRST_CAPACITY = 1 << 12;
const MAX_LOAD = 0.5;
const FIRST_BYTES = 1 << 16;

/** Stands for an absent text. */
export const NO_TEXT = 0;

/**
 * Interns texts, given as bytes: numbers them from 1 in the order of their first call. Logs repeat the same few names
 * millions of times; a number costs a tenth of a string, and only distinct texts are decoded.
 *
 * The seed is random, because attackers choose part of the texts and could make them collide under a known seed. It
 * does not affect the numbers.
 */
export class TextNumbers {
  readonly #seed = randomInt(2 ** 32 - 1) | 0;
  #bytes = new Uint8Array(FIRST_BYTES);
  #used = 0;
  /** End of each text; a text starts at the end of the previous one. */
  #ends = new Float64Array(FIRST_CAPACITY);
  #hashes = new Int32Array(FIRST_CAPACITY);
  #slots = new Uint32Array(FIRST_CAPACITY / MAX_LOAD);
  #size = 0;

  /** The number of texts, which is also the highest number given out. */
  get size(): number {
    return this.#size;
  }

  /** Total length of all texts in bytes. */
  get byteLength(): number {
    return this.#used;
  }

  /** Returns the number of the text in `from` at `start`; a new text gets the next number. */
  number(from: Uint8Array, start: number, length: number): number {
    const hash = this.#hash(from, start, length);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const number = slots[slot];
      if (number === 0) break;
      if (this.#hashes[number] === hash && this.#equals(number, from, start, length)) return number;
      slot = (slot + 1) & mask;
    }
    return this.#add(hash, slot, from, start, length);
  }

  text(number: number): string {
    const start = this.#ends[number - 1];
    return Buffer.from(this.#bytes.buffer, start, this.#ends[number] - start).toString('utf8');
  }

  #hash(bytes: Uint8Array, start: number, length: number): number {
    let hash = this.#seed ^ length;
    for (let i = start; i < start + length; i++) {
      hash = Math.imul(hash ^ bytes[i], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  #equals(number: number, from: Uint8Array, start: number, length: number): boolean {
    const at = this.#ends[number - 1];
    if (this.#ends[number] - at !== length) return false;
    const bytes = this.#bytes;
    for (let i = 0; i < length; i++) if (bytes[at + i] !== from[start + i]) return false;
    return true;
  }

  #add(hash: number, slot: number, from: Uint8Array, start: number, length: number): number {
    if (this.#size + 2 > this.#ends.length) {
      this.#grow();
      slot = this.#freeSlot(hash);
    }
    if (this.#used + length > this.#bytes.length) {
      this.#bytes = enlarge(this.#bytes, Math.max(this.#bytes.length * 2, this.#used + length));
    }
    this.#bytes.set(from.subarray(start, start + length), this.#used);
    this.#used += length;
    const number = ++this.#size;
    this.#ends[number] = this.#used;
    this.#hashes[number] = hash;
    this.#slots[slot] = number;
    return number;
  }

  #freeSlot(hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const capacity = this.#ends.length * 2;
    this.#ends = enlarge(this.#ends, capacity);
    this.#hashes = enlarge(this.#hashes, capacity);
    this.#slots = new Uint32Array(capacity / MAX_LOAD);
    for (let number = 1; number <= this.#size; number++) {
      this.#slots[this.#freeSlot(this.#hashes[number])] = number;
    }
  }
}
