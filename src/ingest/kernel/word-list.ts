import { enlarge } from '../../base/enlarge.js';

/** A list of 32-bit words. It keeps its memory when it is cleared, because a reader fills it again for each act. */
export class WordList {
  words = new Int32Array(64);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  /** Adds this many words, and returns the position of the first. The caller fills them. */
  extend(words: number): number {
    const at = this.length;
    this.length += words;
    if (this.length > this.words.length) this.words = enlarge(this.words, this.length * 2);
    return at;
  }

  /** Copies the words to `target`, and returns the position after them. */
  copyTo(target: Int32Array, at: number): number {
    const { words, length } = this;
    for (let i = 0; i < length; i++) target[at + i] = words[i];
    return at + length;
  }
}
