import { hash } from 'node:crypto';

/**
 * Entities are known by 128-bit keys: a UUID is its own key (so labels and SQL can name it), any other identifier
 * is the first half of its SHA-256. Identifiers are partly chosen by attackers, hence no weaker hash: a collision
 * would let one entity hide behind another.
 *
 * A key is four words, most significant first; all zero means "absent", as in the logs themselves.
 */
export class EntityKey {
  w0 = 0;
  w1 = 0;
  w2 = 0;
  w3 = 0;

  get absent(): boolean {
    return (this.w0 | this.w1 | this.w2 | this.w3) === 0;
  }

  clear(): void {
    this.w0 = this.w1 = this.w2 = this.w3 = 0;
  }

  /** The key of an identifier that is no UUID. */
  hash(id: string): void {
    const digest = hash('sha256', id, 'hex');
    this.w0 = Number.parseInt(digest.slice(0, 8), 16) | 0;
    this.w1 = Number.parseInt(digest.slice(8, 16), 16) | 0;
    this.w2 = Number.parseInt(digest.slice(16, 24), 16) | 0;
    this.w3 = Number.parseInt(digest.slice(24, 32), 16) | 0;
  }
}

/** A key as UUID text in upper case, the way the E3 release and its label lists write it. */
export function formatKey(w0: number, w1: number, w2: number, w3: number): string {
  const hex = [w0, w1, w2, w3]
    .map((w) => (w >>> 0).toString(16).padStart(8, '0'))
    .join('')
    .toUpperCase();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
