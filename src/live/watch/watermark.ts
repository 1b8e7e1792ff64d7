/**
 * How far time has come in the events of all hosts. While nothing comes from a host, its time goes on with the clock, so that
 * windows also end on a quiet host.
 */
export class Watermark {
  readonly #hosts = new Map<string, { latest: bigint; seenAt: number }>();
  readonly #lateness: bigint;

  constructor(latenessMs: number) {
    this.#lateness = BigInt(Math.round(latenessMs)) * 1_000_000n;
  }

  /** The latest event of all hosts. */
  get latest(): bigint | undefined {
    let latest: bigint | undefined;
    for (const host of this.#hosts.values())
      if (latest === undefined || host.latest > latest) latest = host.latest;
    return latest;
  }

  /** Notes the latest event of a host, seen at this time in milliseconds. */
  see(host: string, latest: bigint, now: number): void {
    const known = this.#hosts.get(host);
    if (known === undefined || latest > known.latest) this.#hosts.set(host, { latest, seenAt: now });
  }

  /** No event before this time is expected any more. */
  at(now: number): bigint | undefined {
    let lowest: bigint | undefined;
    for (const { latest, seenAt } of this.#hosts.values()) {
      const time = latest + BigInt(Math.max(0, Math.round(now - seenAt))) * 1_000_000n;
      if (lowest === undefined || time < lowest) lowest = time;
    }
    return lowest === undefined ? undefined : lowest - this.#lateness;
  }
}

/** The multiple of `step` at or before a time. */
export function floorTo(time: bigint, step: bigint): bigint {
  return time - (((time % step) + step) % step);
}
