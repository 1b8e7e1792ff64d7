import { EntityKey } from '../entity-key.js';
import { TEXT_WORDS } from './act.js';

const ENTRIES = 1 << 13;
/** Longer texts are rare. */
const LONGEST = 128;
/** The offset of the key in the words of a text. */
const KEY = 2;

/**
 * Keeps the entity keys of texts from block to block, because SHA-256 takes far longer than comparing a text. A text has one
 * place, and takes it from the text that had it before.
 */
export class TextKeys {
  readonly #lengths = new Uint8Array(ENTRIES);
  readonly #texts = new Uint8Array(ENTRIES * LONGEST);
  readonly #keys = new Int32Array(ENTRIES * 4);
  readonly #key = new EntityKey();

  /** Writes the key of the text that begins at `words[at]`. `hash` chooses its place. */
  write(words: Int32Array, at: number, text: Uint8Array, hash: number): void {
    const [start, length] = [words[at], words[at + 1]];
    const entry = (hash ^ (hash >>> 16)) & (ENTRIES - 1);
    if (!this.#has(entry, text, start, length)) {
      this.#key.hash(text.subarray(start, start + length));
      const { w0, w1, w2, w3 } = this.#key;
      words[at + KEY] = w0;
      words[at + KEY + 1] = w1;
      words[at + KEY + 2] = w2;
      words[at + KEY + 3] = w3;
      this.#put(entry, words, at, text);
      return;
    }
    const keys = this.#keys;
    for (let i = KEY, from = entry * 4; i < TEXT_WORDS; i++, from++) words[at + i] = keys[from];
  }

  #has(entry: number, text: Uint8Array, start: number, length: number): boolean {
    if (length === 0 || this.#lengths[entry] !== length) return false;
    const texts = this.#texts;
    for (let i = 0, at = entry * LONGEST; i < length; i++, at++)
      if (texts[at] !== text[start + i]) return false;
    return true;
  }

  #put(entry: number, words: Int32Array, at: number, text: Uint8Array): void {
    const [start, length] = [words[at], words[at + 1]];
    if (length > LONGEST) return;
    this.#lengths[entry] = length;
    for (let i = 0; i < length; i++) this.#texts[entry * LONGEST + i] = text[start + i];
    for (let i = 0; i < 4; i++) this.#keys[entry * 4 + i] = words[at + KEY + i];
  }
}
