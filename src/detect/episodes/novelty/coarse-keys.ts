import { enlarge } from '../../../base/enlarge.js';
import { PairTable } from '../../evidence/pair-table.js';
import { type BehaviourKey, formatBehaviour } from './behaviour-key.js';

/** Keys of behaviours, each with how coarse it is; 0 is the coarsest. An incident may have millions. */
export class CoarseKeys {
  readonly #keys = new PairTable();
  #levels = new Uint8Array(256);

  get size(): number {
    return this.#keys.size;
  }

  /** A key that comes again keeps the coarsest level. */
  add({ high, low }: BehaviourKey, level: number): void {
    const before = this.#keys.size;
    const number = this.#keys.intern(high, low);
    if (number === this.#levels.length) this.#levels = enlarge(this.#levels);
    if (number === before || level < this.#levels[number]) this.#levels[number] = level;
  }

  /** The first keys as texts, from coarse to fine, and in the order of their texts. */
  first(most: number): string[] {
    const found: string[] = [];
    const levels = this.#levels.subarray(0, this.size);
    for (const level of new Set(levels.slice().sort())) {
      for (const key of this.#sortedAt(level)) {
        if (found.length === most) return found;
        found.push(formatBehaviour({ high: Number(key >> 32n), low: Number(key & 0xffffffffn) }));
      }
    }
    return found;
  }

  #sortedAt(level: number): BigUint64Array {
    const levels = this.#levels.subarray(0, this.size);
    const [highs, lows] = [this.#keys.firsts, this.#keys.seconds];
    const found: bigint[] = [];
    for (let i = 0; i < levels.length; i++)
      if (levels[i] === level) found.push((BigInt(highs[i] >>> 0) << 32n) | BigInt(lows[i] >>> 0));
    return BigUint64Array.from(found).sort();
  }
}
