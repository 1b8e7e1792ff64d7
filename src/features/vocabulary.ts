import { enlarge } from '../base/enlarge.js';
import { type Sentences, SentenceTable } from './sentences.js';

/** What stands for every token that training did not keep (method §2). Row 0 of every vocabulary. */
export const UNKNOWN = '<unk>';
/** A token in fewer training entities than this becomes `<unk>`. */
const MIN_ENTITIES = 2;

/**
 * A JavaScript Map ends at 2^24 entries. Logs with more distinct tokens than this are full of random names, and those
 * become `<unk>` anyway: from here on, new ones do so at once.
 */
const MAX_DISTINCT = 1 << 23;

/** Tokens by number, 0 being `<unk>`: the same for the same training entities, whatever order they came in. */
export class Vocabulary {
  readonly tokens: readonly string[];
  /** Training entities that hold each token; `<unk>` has the sum over all tokens that were not kept. */
  readonly counts: Uint32Array;
  readonly #numbers: ReadonlyMap<string, number>;

  constructor(tokens: readonly string[], counts: Uint32Array) {
    this.tokens = tokens;
    this.counts = counts;
    this.#numbers = new Map(tokens.map((token, number) => [token, number]));
    if (tokens[0] !== UNKNOWN) throw new RangeError(`a vocabulary begins with ${UNKNOWN}`);
    if (this.#numbers.size !== tokens.length) throw new RangeError('a vocabulary names a token twice');
    if (counts.length !== tokens.length) throw new RangeError('a vocabulary counts each of its tokens');
  }

  get size(): number {
    return this.tokens.length;
  }

  /** The token's number; that of `<unk>` where training did not keep it. */
  numberOf(token: string): number {
    return this.#numbers.get(token) ?? 0;
  }
}

/** Learns a vocabulary: takes the tokens of entities in any order, then says which are kept and numbers sentences. */
export class VocabularyBuilder {
  readonly #table: SentenceTable;
  readonly #ids = new Map<string, number>();
  readonly #names: string[] = [];
  #entities = new Uint32Array(1024);
  /** The last entity that held each token, plus one: an entity counts once however often it repeats a token. */
  #latest = new Uint32Array(1024);

  /** `rows` entities, numbered from 0. */
  constructor(rows: number) {
    this.#table = new SentenceTable(rows, (token) => this.#intern(token));
  }

  /** An entity's tokens; each entity at most once. */
  add(row: number, tokens: readonly string[]): void {
    for (const id of this.#table.set(row, tokens)) {
      if (this.#latest[id] === row + 1) continue;
      this.#latest[id] = row + 1;
      this.#entities[id]++;
    }
  }

  /** The tokens that enough entities share, most frequent first, ties by their text; and the sentences in them. */
  finish(minEntities = MIN_ENTITIES): { vocabulary: Vocabulary; sentences: Sentences } {
    const names = this.#names;
    const counts = this.#entities;
    const kept: number[] = [];
    let unknown = 0;
    for (let id = 0; id < names.length; id++) {
      // A file that is called `<unk>` is unknown like any other.
      if (counts[id] >= minEntities && names[id] !== UNKNOWN) kept.push(id);
      else unknown += counts[id];
    }
    kept.sort((a, b) => counts[b] - counts[a] || (names[a] < names[b] ? -1 : 1));
    const vocabulary = new Vocabulary(
      [UNKNOWN, ...kept.map((id) => names[id])],
      Uint32Array.from([unknown, ...kept.map((id) => counts[id])]),
    );
    const rename = Uint32Array.from(names, (name) => vocabulary.numberOf(name));
    return { vocabulary, sentences: this.#table.finish(rename) };
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
