import { EntityKey } from '../../entity-key.js';

const MOST_KEYS = 1 << 16;
/** Longer identifiers are kept for one block only, so that the cache stays small. */
const LONGEST_ID = 512;

/** The generations of all caches so far: an entity that two readers share must not take the identity of the other one. */
let generations = 0;

/** An identifier: its key, and what the current block has written about it. */
export class Identity<T> {
  readonly key = new EntityKey();
  /** True if the identifier is a UUID without braces, which is its own key. */
  readonly uuid: boolean;
  /** The block that wrote about it last, and what. */
  block = 0;
  written: T | undefined = undefined;
  host = 0;
  /** The row of its upsert. */
  at = 0;

  constructor(id: string) {
    const isUuid = this.key.fromText(id);
    this.uuid = isUuid && !id.startsWith('{');
  }
}

/** Keeps the identities of entities, because SHA-256 would take half of the time of a reader. */
export class KeyCache<T> {
  readonly #known = new Map<string, Identity<T>>();
  readonly #long = new Map<string, Identity<T>>();
  /** Goes up when the cache starts anew. Identities from before must not be used then. */
  generation = ++generations;
  /** The number of the block. */
  block = 0;

  /** Starts a block. Within a block, an identifier has one identity. */
  beginBlock(): void {
    this.block++;
    this.#long.clear();
    if (this.#known.size <= MOST_KEYS) return;
    this.#known.clear();
    this.generation = ++generations;
  }

  of(id: string): Identity<T> {
    const cache = isLong(id) ? this.#long : this.#known;
    let identity = cache.get(id);
    if (identity === undefined) {
      identity = new Identity<T>(id);
      cache.set(id, identity);
    }
    return identity;
  }
}

/** Tells whether an identifier is kept for one block only. */
export function isLong(id: string): boolean {
  return id.length > LONGEST_ID;
}
