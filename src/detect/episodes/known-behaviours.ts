import { PairTable } from '../evidence/pair-table.js';
import type { BehaviourKey } from './behaviour-key.js';

/** A set of behaviours, programs, places and addresses that were seen. What is not in it is new. */
export class KnownBehaviours {
  readonly #keys = new PairTable();

  get size(): number {
    return this.#keys.size;
  }

  add({ high, low }: BehaviourKey): void {
    this.#keys.intern(high, low);
  }

  has({ high, low }: BehaviourKey): boolean {
    return this.#keys.find(high, low) >= 0;
  }

  addAll(other: KnownBehaviours): void {
    const { high, low } = other.toArrays();
    for (let i = 0; i < high.length; i++) this.#keys.intern(high[i], low[i]);
  }

  toArrays(): { readonly high: Int32Array; readonly low: Int32Array } {
    return { high: this.#keys.firsts.slice(), low: this.#keys.seconds.slice() };
  }

  /** Throws a RangeError if the arrays differ in length. */
  static fromArrays({ high, low }: { high: Int32Array; low: Int32Array }): KnownBehaviours {
    if (high.length !== low.length) throw new RangeError('the known behaviours differ in length');
    const known = new KnownBehaviours();
    for (let i = 0; i < high.length; i++) known.#keys.intern(high[i], low[i]);
    return known;
  }
}
