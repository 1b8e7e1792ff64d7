import { randomInt } from 'node:crypto';
import { enlarge } from '../../base/enlarge.js';
import { Batch } from '../batch.js';
import { NONE, TEXT_WORDS } from './act.js';
import { isCleanPath, joinPath } from './path-join.js';
import { TextKeys } from './text-keys.js';

const FIRST_CAPACITY = 1 << 13;
/** The most pairs of folder and name whose path is kept. */
const JOINS_KEPT = 1 << 14;

/**
 * The texts of a block by number, in the batch of the block. The seed of the hash is random, because attackers choose part
 * of the texts. It does not affect the numbers.
 */
export class BlockTexts {
  readonly #seed = randomInt(2 ** 32 - 1) | 0;
  readonly #keys = new TextKeys();
  #batch = new Batch();
  #slots = new Int32Array(FIRST_CAPACITY * 2).fill(-1);
  #hashes = new Int32Array(FIRST_CAPACITY);
  /** TEXT_WORDS words for each text: offset, length, entity key. */
  words = new Int32Array(FIRST_CAPACITY * TEXT_WORDS);
  /** The absolute path of a text that is an absolute name, by number. 0 if not known yet, otherwise its number plus one. */
  #paths = new Int32Array(FIRST_CAPACITY);
  readonly #joined = new Map<number, number>();
  size = 0;

  begin(batch: Batch): void {
    this.#batch = batch;
    this.#slots.fill(-1);
    this.#joined.clear();
    this.size = 0;
  }

  /** Returns the number of a text. Invalid UTF-8 becomes U+FFFD, and is counted. */
  number(bytes: Uint8Array, start: number, stop: number): number {
    let hash = this.#seed ^ (stop - start);
    let high = 0;
    for (let i = start; i < stop; i++) {
      const byte = bytes[i];
      hash = Math.imul(hash ^ byte, 0x9e3779b1);
      hash ^= hash >>> 15;
      high |= byte;
    }
    if (high < 0x80) return this.#intern(hash, bytes, start, stop);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, stop - start).toString('utf8');
    return this.numberOf(text);
  }

  numberOf(text: string): number {
    if (!text.isWellFormed() || text.includes('\ufffd')) this.#batch.badText++;
    const bytes = Buffer.from(text);
    let hash = this.#seed ^ bytes.length;
    for (const byte of bytes) {
      hash = Math.imul(hash ^ byte, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return this.#intern(hash, bytes, 0, bytes.length);
  }

  text(number: number): string {
    const at = number * TEXT_WORDS;
    const { buffer, byteOffset } = this.#batch.text;
    return Buffer.from(buffer, byteOffset + this.words[at], this.words[at + 1]).toString('utf8');
  }

  /** Returns the text of the absolute path of `name`, and makes its entity key. NONE if it needs an unknown folder. */
  path(folder: number, name: number): number {
    if (name === NONE) return NONE;
    const known = this.#paths[name];
    if (known > 0) return known - 1;
    const at = name * TEXT_WORDS;
    const [start, length] = [this.words[at], this.words[at + 1]];
    const { text } = this.#batch;
    if (isCleanPath(text, start, start + length)) {
      this.#paths[name] = name + 1;
      return this.keyed(name);
    }
    const absolute = length > 0 && text[start] === 0x2f;
    if (!absolute && folder === NONE) return NONE;
    const pair = absolute ? -1 - name : folder * 0x1000000 + name;
    const joined = this.#joined.get(pair);
    if (joined !== undefined) return joined;
    const path = this.keyed(this.numberOf(joinPath(absolute ? '/' : this.text(folder), this.text(name))));
    if (this.#joined.size < JOINS_KEPT) this.#joined.set(pair, path);
    return path;
  }

  /** Makes the entity key of a text, in the thread that parses. Returns the text. */
  keyed(number: number): number {
    const at = number * TEXT_WORDS;
    const { words } = this;
    if ((words[at + 2] | words[at + 3] | words[at + 4] | words[at + 5]) !== 0) return number;
    this.#keys.write(words, at, this.#batch.text, this.#hashes[number]);
    return number;
  }

  #intern(hash: number, bytes: Uint8Array, start: number, stop: number): number {
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 16)) & mask;
    for (;;) {
      const number = this.#slots[slot];
      if (number < 0) break;
      if (this.#hashes[number] === hash && this.#equals(number, bytes, start, stop)) return number;
      slot = (slot + 1) & mask;
    }
    const number = this.size++;
    if (number >= this.#hashes.length) this.#grow();
    this.#hashes[number] = hash;
    this.#place(number);
    this.#paths[number] = 0;
    const at = number * TEXT_WORDS;
    const { words } = this;
    words[at] = this.#batch.appendText(bytes, start, stop);
    words[at + 1] = stop - start;
    words[at + 2] = words[at + 3] = words[at + 4] = words[at + 5] = 0;
    return number;
  }

  #equals(number: number, bytes: Uint8Array, start: number, stop: number): boolean {
    const at = number * TEXT_WORDS;
    if (this.words[at + 1] !== stop - start) return false;
    const { text } = this.#batch;
    for (let i = start, o = this.words[at]; i < stop; i++, o++) if (text[o] !== bytes[i]) return false;
    return true;
  }

  #place(number: number): void {
    const mask = this.#slots.length - 1;
    const hash = this.#hashes[number];
    let slot = (hash ^ (hash >>> 16)) & mask;
    while (this.#slots[slot] >= 0) slot = (slot + 1) & mask;
    this.#slots[slot] = number;
  }

  #grow(): void {
    this.#hashes = enlarge(this.#hashes);
    this.#paths = enlarge(this.#paths);
    this.words = enlarge(this.words);
    this.#slots = new Int32Array(this.#hashes.length * 2).fill(-1);
    for (let number = 0; number < this.size - 1; number++) this.#place(number);
  }
}
