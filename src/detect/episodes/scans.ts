import type { AddressUse } from './trees/activity.js';

/** Whoever uses this many ports of one address looks for open ones. */
const MANY_PORTS = 8;
/** Whoever uses a port of more new addresses than this looks for hosts. */
const MOST_ADDRESSES = 10;
/** The system chooses ports from here on, so that they say nothing about a scan. */
const FIRST_CHOSEN = 10_000;

/**
 * Scans for open ports and for hosts. A scan meets every address sooner or later, so that its targets are no common cause.
 * What else the same process contacts still is.
 */
export class Scans {
  readonly #addresses = new Map<number, Map<number, number>>();

  /** `fresh` has the users of each address that no one used before. */
  constructor(fresh: readonly ReadonlyMap<number, AddressUse>[]) {
    for (const users of fresh) {
      for (const [process, { ports }] of users) {
        const known = this.#addresses.get(process) ?? new Map<number, number>();
        this.#addresses.set(process, known);
        for (const port of ports) known.set(port, (known.get(port) ?? 0) + 1);
      }
    }
  }

  /** Whether a process used an address to look for open ports, or as one of many hosts. */
  has(process: number, { ports }: AddressUse): boolean {
    const services = ports.filter((port) => port < FIRST_CHOSEN);
    if (services.length >= MANY_PORTS) return true;
    const known = this.#addresses.get(process);
    return services.length > 0 && services.every((port) => (known?.get(port) ?? 0) > MOST_ADDRESSES);
  }
}
