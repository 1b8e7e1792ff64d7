import { EntityKey } from '../../entity-key.js';

const MOST_KEYS = 1 << 16;
/** Longer identifiers are hashed each time, so that the cache stays small. */
const LONGEST_ID = 512;

/** The key of an identifier. */
export interface KnownKey {
  readonly key: EntityKey;
  /** True if the identifier is a UUID, which is its own key. */
  readonly uuid: boolean;
}

const UUID_TEXT = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Keeps the keys of identifiers, because SHA-256 would take half of the time of a reader. */
export class KeyCache {
  readonly #keys = new Map<string, KnownKey>();

  of(id: string): KnownKey {
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    const key = new EntityKey();
    key.fromText(id);
    const made = { key, uuid: UUID_TEXT.test(id) };
    if (id.length <= LONGEST_ID) {
      if (this.#keys.size === MOST_KEYS) this.#keys.clear();
      this.#keys.set(id, made);
    }
    return made;
  }
}
