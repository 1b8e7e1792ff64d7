/** Token numbers of entities, one sentence a row, in compressed rows. */
export interface Sentences {
  readonly offsets: Uint32Array;
  readonly tokens: Uint32Array;
}

/** Once more than this lies unused, and more than half of all, sentences are moved together. */
const TOLERATED_WASTE = 1 << 16;

/**
 * Sentences that arrive in any order, grow in number and may be replaced. All of them lie in one array: there may be
 * millions of entities, and an array each would cost more than what is in it.
 */
export class SentenceTable {
  readonly #numberOf: (token: string) => number;
  #starts: Uint32Array<ArrayBuffer>;
  #lengths: Uint16Array<ArrayBuffer>;
  #flat = new Uint32Array(4096);
  #used = 0;
  #waste = 0;

  /** `rows` entities to begin with, numbered from 0; one that is never set has no tokens. */
  constructor(rows: number, numberOf: (token: string) => number) {
    this.#starts = new Uint32Array(rows);
    this.#lengths = new Uint16Array(rows);
    this.#numberOf = numberOf;
  }

  /** An entity's tokens, at most 65,535, in place of those it had. Gives the numbers, valid until the next call. */
  set(row: number, tokens: readonly string[]): Uint32Array {
    this.#growRows(row + 1);
    this.#waste += this.#lengths[row];
    this.#lengths[row] = 0;
    if (this.#waste > TOLERATED_WASTE && this.#waste > this.#used / 2) this.#moveTogether();
    this.#growTokens(tokens.length);
    this.#starts[row] = this.#used;
    this.#lengths[row] = tokens.length;
    for (const token of tokens) this.#flat[this.#used++] = this.#numberOf(token);
    return this.get(row);
  }

  /** An entity's token numbers, valid until the next change. */
  get(row: number): Uint32Array {
    if (row >= this.#starts.length) return this.#flat.subarray(0, 0);
    return this.#flat.subarray(this.#starts[row], this.#starts[row] + this.#lengths[row]);
  }

  /** All sentences by row, their numbers renamed if a table is given. */
  finish(rename?: Uint32Array): Sentences {
    const rows = this.#starts.length;
    const offsets = new Uint32Array(rows + 1);
    const tokens = new Uint32Array(this.#used - this.#waste);
    let at = 0;
    for (let row = 0; row < rows; row++) {
      for (const token of this.get(row)) tokens[at++] = rename === undefined ? token : rename[token];
      offsets[row + 1] = at;
    }
    return { offsets, tokens };
  }

  #moveTogether(): void {
    const { offsets, tokens } = this.finish();
    this.#starts = offsets.slice(0, -1);
    this.#flat = tokens.slice();
    this.#used = tokens.length;
    this.#waste = 0;
  }

  #growRows(rows: number): void {
    if (rows <= this.#starts.length) return;
    const room = Math.max(rows, this.#starts.length * 2);
    const starts = new Uint32Array(room);
    const lengths = new Uint16Array(room);
    starts.set(this.#starts);
    lengths.set(this.#lengths);
    this.#starts = starts;
    this.#lengths = lengths;
  }

  #growTokens(more: number): void {
    if (this.#used + more <= this.#flat.length) return;
    const larger = new Uint32Array(Math.max(this.#flat.length * 2, this.#used + more));
    larger.set(this.#flat.subarray(0, this.#used));
    this.#flat = larger;
  }
}
