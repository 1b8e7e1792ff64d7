import { enlarge } from '../base/enlarge.js';

/** Token numbers of entities in compressed rows, one sentence per row. */
export interface Sentences {
  readonly offsets: Uint32Array;
  readonly tokens: Uint32Array;
}

/**
 * Collects sentences in any order. All tokens lie in one array, because an array for each of millions of entities would
 * cost more than its tokens.
 */
export class SentenceTable {
  readonly #numberOf: (token: string) => number;
  readonly #starts: Uint32Array;
  readonly #lengths: Uint16Array;
  #tokens = new Uint32Array(4096);
  #used = 0;

  /** Rows are numbered from 0; a row that is never set has no tokens. */
  constructor(rows: number, numberOf: (token: string) => number) {
    this.#starts = new Uint32Array(rows);
    this.#lengths = new Uint16Array(rows);
    this.#numberOf = numberOf;
  }

  /** Sets the tokens of a row, once, at most 65,535. Returns their numbers, valid until the next call. */
  set(row: number, tokens: readonly string[]): Uint32Array {
    const end = this.#used + tokens.length;
    if (end > this.#tokens.length) {
      this.#tokens = enlarge(this.#tokens, Math.max(this.#tokens.length * 2, end));
    }
    this.#starts[row] = this.#used;
    this.#lengths[row] = tokens.length;
    for (const token of tokens) this.#tokens[this.#used++] = this.#numberOf(token);
    return this.#get(row);
  }

  /** All sentences in row order. `renumbered` maps the numbers to new ones. */
  finish(renumbered?: Uint32Array): Sentences {
    const rows = this.#starts.length;
    const offsets = new Uint32Array(rows + 1);
    const tokens = new Uint32Array(this.#used);
    let at = 0;
    for (let row = 0; row < rows; row++) {
      for (const token of this.#get(row)) tokens[at++] = renumbered === undefined ? token : renumbered[token];
      offsets[row + 1] = at;
    }
    return { offsets, tokens };
  }

  #get(row: number): Uint32Array {
    return this.#tokens.subarray(this.#starts[row], this.#starts[row] + this.#lengths[row]);
  }
}
