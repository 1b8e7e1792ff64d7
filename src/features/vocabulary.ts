import { enlarge } from '../base/enlarge.js';
import { type Sentences, SentenceTable } from './sentences.js';

/** Stands for all tokens that are not in the vocabulary (method §2). It is token 0 of every vocabulary. */
export const UNKNOWN = '<unk>';
/** A token in fewer training entities becomes `<unk>`. */
const MIN_ENTITIES = 2;

/**
 * After this many distinct tokens, new tokens become `<unk>` at once. A JavaScript Map is limited to 2^24 entries, and
 * logs with so many tokens consist of random names, which become `<unk>` anyway.
 */
const MAX_DISTINCT = 1 << 23;

/** Tokens by number; 0 is `<unk>`. The order of the training entities does not affect the numbers. */
export class Vocabulary {
  readonly tokens: readonly string[];
  /** Number of training entities with each token. For `<unk>`, the sum over all other tokens. */
  readonly counts: Uint32Array;
  readonly #numbers: ReadonlyMap<string, number>;

  constructor(tokens: readonly string[], counts: Uint32Array) {
    this.tokens = tokens;
    this.counts = counts;
    this.#numbers = new Map(tokens.map((token, number) => [token, number]));
    if (tokens[0] !== UNKNOWN) throw new RangeError(`the first token of a vocabulary must be ${UNKNOWN}`);
    if (this.#numbers.size !== tokens.length) throw new RangeError('the vocabulary contains a token twice');
    if (counts.length !== tokens.length) {
      throw new RangeError(`the vocabulary has ${tokens.length} tokens but ${counts.length} counts`);
    }
  }

  get size(): number {
    return this.tokens.length;
  }

  /** The number of a token, or 0 (`<unk>`) if it is not in the vocabulary. */
  numberOf(token: string): number {
    return this.#numbers.get(token) ?? 0;
  }
}

/** Learns a vocabulary from the tokens of entities, which may come in any order, and converts them to sentences. */
export class VocabularyBuilder {
  readonly #table: SentenceTable;
  readonly #ids = new Map<string, number>();
  readonly #names: string[] = [];
  #entities = new Uint32Array(1024);
  /** The last entity with each token, plus one, so that an entity counts once if it repeats a token. */
  #latest = new Uint32Array(1024);

  /** `rows` entities, numbered from 0. */
  constructor(rows: number) {
    this.#table = new SentenceTable(rows, (token) => this.#intern(token));
  }

  /** Adds the tokens of an entity. Call it at most once per entity. */
  add(row: number, tokens: readonly string[]): void {
    for (const id of this.#table.set(row, tokens)) {
      if (this.#latest[id] === row + 1) continue;
      this.#latest[id] = row + 1;
      this.#entities[id]++;
    }
  }

  /** Returns the vocabulary, most frequent tokens first, ties by text, and the sentences with its numbers. */
  finish(): { vocabulary: Vocabulary; sentences: Sentences } {
    const names = this.#names;
    const counts = this.#entities;
    const kept: number[] = [];
    let unknown = 0;
    for (let id = 0; id < names.length; id++) {
      // A file named `<unk>` gives the same token.
      if (counts[id] >= MIN_ENTITIES && names[id] !== UNKNOWN) kept.push(id);
      else unknown += counts[id];
    }
    kept.sort((a, b) => counts[b] - counts[a] || (names[a] < names[b] ? -1 : 1));
    const vocabulary = new Vocabulary(
      [UNKNOWN, ...kept.map((id) => names[id])],
      Uint32Array.from([unknown, ...kept.map((id) => counts[id])]),
    );
    const renumbered = Uint32Array.from(names, (name) => vocabulary.numberOf(name));
    return { vocabulary, sentences: this.#table.finish(renumbered) };
  }

  #intern(token: string): number {
    const known = this.#ids.get(token);
    if (known !== undefined) return known;
    if (this.#names.length >= MAX_DISTINCT && token !== UNKNOWN) return this.#intern(UNKNOWN);
    const id = this.#names.length;
    this.#ids.set(token, id);
    this.#names.push(token);
    if (id === this.#entities.length) {
      this.#entities = enlarge(this.#entities);
      this.#latest = enlarge(this.#latest);
    }
    return id;
  }
}
