import { createHash } from 'node:crypto';

const NEWLINE = 0x0a;
/** The first checkpoint. Each further one is twice as far. */
export const FIRST_CHECKPOINT = 256;

/** Identifies bytes and their beginnings, so that a log is recognised after it has grown, moved or been compressed. */
export interface Fingerprint {
  readonly bytes: number;
  /** SHA-256 (hex) of all bytes. */
  readonly sha256: string;
  /** SHA-256 of the first 256, 512, 1024, … bytes, as far as there are so many. */
  readonly checkpoints: readonly string[];
  /** The bytes up to the last newline. */
  readonly lines: { readonly bytes: number; readonly sha256: string };
  /** SHA-256 of the first bytes, for each further position that was asked for and reached. */
  readonly at: ReadonlyMap<number, string>;
}

/** Hashes bytes, and notes the hashes of their beginnings. */
export class ContentHash {
  readonly #hash = createHash('sha256');
  readonly #checkpoints: string[] = [];
  /** Positions still to note, in ascending order. */
  readonly #wanted: number[];
  readonly #at = new Map<number, string>();
  #bytes = 0;
  #lines = { bytes: 0, hash: this.#hash.copy() };

  constructor(positions: Iterable<number> = []) {
    this.#wanted = [...new Set(positions)].sort((a, b) => a - b);
    this.#note();
  }

  update(bytes: Uint8Array): void {
    const newline = bytes.lastIndexOf(NEWLINE);
    this.#take(bytes.subarray(0, newline + 1));
    if (newline >= 0) this.#lines = { bytes: this.#bytes, hash: this.#hash.copy() };
    this.#take(bytes.subarray(newline + 1));
  }

  finish(): Fingerprint {
    const { bytes, hash } = this.#lines;
    return {
      bytes: this.#bytes,
      sha256: this.#digest(),
      checkpoints: this.#checkpoints,
      lines: { bytes, sha256: hash.digest('hex') },
      at: this.#at,
    };
  }

  #take(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      const checkpoint = FIRST_CHECKPOINT * 2 ** this.#checkpoints.length;
      const stop = Math.min(checkpoint, this.#wanted[0] ?? checkpoint) - this.#bytes;
      const part = bytes.subarray(from, Math.min(bytes.length, from + stop));
      this.#hash.update(part);
      from += part.length;
      this.#bytes += part.length;
      if (this.#bytes === checkpoint) this.#checkpoints.push(this.#digest());
      this.#note();
    }
  }

  #note(): void {
    if (this.#wanted[0] !== this.#bytes) return;
    this.#wanted.shift();
    this.#at.set(this.#bytes, this.#digest());
  }

  #digest(): string {
    return this.#hash.copy().digest('hex');
  }
}
