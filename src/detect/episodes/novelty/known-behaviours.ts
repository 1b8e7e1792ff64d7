import { PairTable } from '../../evidence/pair-table.js';
import { type HostArrays, KnownHosts } from '../fleet/known-hosts.js';
import type { BehaviourKey } from './behaviour-key.js';

export interface KnownArrays extends Partial<HostArrays> {
  readonly high: Int32Array;
  readonly low: Int32Array;
}

/** A set of behaviours, programs, places and addresses that were seen. What is not in it is new. */
export class KnownBehaviours {
  readonly #keys = new PairTable();
  #hosts: KnownHosts | undefined;

  get size(): number {
    return this.#keys.size;
  }

  /** The hosts that each was seen on; undefined if that was not recorded, as for a single host. */
  get hosts(): KnownHosts | undefined {
    return this.#hosts;
  }

  /** Starts to record hosts. What was added before counts as seen everywhere. */
  recordHosts(): KnownHosts {
    this.#hosts ??= new KnownHosts();
    return this.#hosts;
  }

  /** `host` is a number of `hosts`. */
  add({ high, low }: BehaviourKey, host = -1): void {
    const row = this.#keys.intern(high, low);
    if (host >= 0) this.#hosts?.see(row, host);
  }

  has({ high, low }: BehaviourKey): boolean {
    return this.#keys.find(high, low) >= 0;
  }

  /** The row of a key in `hosts`; -1 if it was not seen. */
  find({ high, low }: BehaviourKey): number {
    return this.#keys.find(high, low);
  }

  addAll(other: KnownBehaviours): void {
    const [highs, lows] = [other.#keys.firsts, other.#keys.seconds];
    const rows = new Int32Array(other.size);
    for (let i = 0; i < rows.length; i++) rows[i] = this.#keys.intern(highs[i], lows[i]);
    if (other.#hosts !== undefined) this.recordHosts().addAll(other.#hosts, rows);
  }

  toArrays(): KnownArrays {
    return {
      high: this.#keys.firsts.slice(),
      low: this.#keys.seconds.slice(),
      ...this.#hosts?.toArrays(this.size),
    };
  }

  /** Throws a RangeError if the arrays differ in length. */
  static fromArrays({ high, low, ...hosts }: KnownArrays): KnownBehaviours {
    if (high.length !== low.length) throw new RangeError('the known behaviours differ in length');
    const known = new KnownBehaviours();
    for (let i = 0; i < high.length; i++) known.#keys.intern(high[i], low[i]);
    if (hosts.masks !== undefined) {
      if (known.size !== high.length) throw new RangeError('a known behaviour is stored twice');
      known.#hosts = KnownHosts.fromArrays(hosts as HostArrays, known.size);
    }
    return known;
  }
}
