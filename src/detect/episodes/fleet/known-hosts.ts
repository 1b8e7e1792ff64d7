import { PairTable } from '../../evidence/pair-table.js';
import { type BehaviourKey, keyOfText } from '../novelty/behaviour-key.js';

const BITS = 32;
/** The most hosts of a model. */
const MOST_HOSTS = 65_536;

/** Hosts as arrays: keys of their identifiers and roles, and for each row one bit per host. */
export interface HostArrays {
  readonly hostHigh: Int32Array;
  readonly hostLow: Int32Array;
  readonly roleHigh: Int32Array;
  readonly roleLow: Int32Array;
  readonly masks: Uint32Array;
}

/** The number of hosts that know something, of those that could. */
export interface HostCount {
  readonly role: number;
  readonly fleet: number;
}

export const hostKey = (host: string): BehaviourKey => keyOfText('host', host);
export const roleKey = (role: string): BehaviourKey => keyOfText('role', role);

/** Which hosts of a fleet saw each row of the known behaviours. */
export class KnownHosts {
  readonly #hosts = new PairTable();
  readonly #roles: BehaviourKey[] = [];
  readonly #seen = new PairTable();

  get size(): number {
    return this.#hosts.size;
  }

  /** The number of a host, which is added. Its role is the first one given. */
  intern(host: BehaviourKey, role: BehaviourKey): number {
    const number = this.#hosts.intern(host.high, host.low);
    this.#roles[number] ??= role;
    return number;
  }

  /** -1 for a host without history. */
  find(host: BehaviourKey): number {
    return this.#hosts.find(host.high, host.low);
  }

  see(row: number, host: number): void {
    this.#seen.intern(row, host);
  }

  isSeen(row: number, host: number): boolean {
    return this.#seen.find(row, host) >= 0;
  }

  /** The number of other hosts that saw a row, in the role of a host and in the fleet. -1 stands for every host. */
  countOthers(row: number, host: number): HostCount {
    const own = this.#roles[host];
    let [role, fleet] = [0, 0];
    for (let other = 0; other < this.size; other++) {
      if (other === host || (row >= 0 && !this.isSeen(row, other))) continue;
      fleet++;
      const { high, low } = this.#roles[other];
      if (high === own.high && low === own.low) role++;
    }
    return { role, fleet };
  }

  /** `rows[i]` is the row here of row i of the other. */
  addAll(other: KnownHosts, rows: Int32Array): void {
    const numbers = Int32Array.from({ length: other.size }, (_, i) =>
      this.intern({ high: other.#hosts.firsts[i], low: other.#hosts.seconds[i] }, other.#roles[i]),
    );
    const [firsts, seconds] = [other.#seen.firsts, other.#seen.seconds];
    for (let i = 0; i < firsts.length; i++) this.see(rows[firsts[i]], numbers[seconds[i]]);
  }

  toArrays(rows: number): HostArrays {
    const words = Math.ceil(this.size / BITS);
    const masks = new Uint32Array(rows * words);
    const [firsts, seconds] = [this.#seen.firsts, this.#seen.seconds];
    for (let i = 0; i < firsts.length; i++)
      masks[firsts[i] * words + (seconds[i] >>> 5)] |= 1 << (seconds[i] & 31);
    return {
      hostHigh: this.#hosts.firsts.slice(),
      hostLow: this.#hosts.seconds.slice(),
      roleHigh: Int32Array.from(this.#roles, ({ high }) => high),
      roleLow: Int32Array.from(this.#roles, ({ low }) => low),
      masks,
    };
  }

  /** Throws a RangeError if the arrays are inconsistent. */
  static fromArrays({ hostHigh, hostLow, roleHigh, roleLow, masks }: HostArrays, rows: number): KnownHosts {
    const { length } = hostHigh;
    const words = Math.ceil(length / BITS);
    if (length === 0 || length > MOST_HOSTS) throw new RangeError('the number of known hosts is wrong');
    if ([hostLow, roleHigh, roleLow].some((each) => each?.length !== length) || masks.length !== rows * words)
      throw new RangeError('the hosts of the known behaviours differ in length');
    const known = new KnownHosts();
    for (let i = 0; i < length; i++)
      known.intern({ high: hostHigh[i], low: hostLow[i] }, { high: roleHigh[i], low: roleLow[i] });
    if (known.size !== length) throw new RangeError('a known host is stored twice');
    for (let at = 0; at < masks.length; at++) {
      for (let mask = masks[at]; mask !== 0; mask &= mask - 1) {
        const host = (at % words) * BITS + (31 - Math.clz32(mask & -mask));
        if (host >= length) throw new RangeError('a behaviour was seen on an unknown host');
        known.see(Math.floor(at / words), host);
      }
    }
    return known;
  }
}
