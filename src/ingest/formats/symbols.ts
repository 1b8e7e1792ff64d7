import { symbolText } from '../scan/symbol-text.js';

/** Batches store symbols in 16 bits, and the last number means "absent". */
const MAX_SYMBOLS = 0xffff;

/** The numbers of relations, hosts and kinds, for readers that take them from texts. The list only grows. */
export class Symbols {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The symbols by number, as a batch needs them. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Returns the number of a symbol, or -1 if there are too many. */
  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const symbol = symbolText(text);
    const number = this.#numbers.get(symbol) ?? this.#texts.length;
    if (number === MAX_SYMBOLS) return -1;
    if (number === this.#texts.length) {
      this.#texts.push(symbol);
      this.#numbers.set(symbol, number);
    }
    return number;
  }
}
