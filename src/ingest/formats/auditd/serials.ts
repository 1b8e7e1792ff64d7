import type { Loss } from '../../batch.js';

/** A jump by more is a new start of the counter, not a loss. */
const MAX_GAP = 2 ** 24;
/** Events come at most this many serials late. */
const LATE = 4096;
/** The gaps among which a late serial is looked for. */
const RECENT_GAPS = 256;

interface Gap {
  first: number;
  count: number;
  from: bigint;
  to: bigint;
}

export interface SavedSerials {
  last: number;
  time: string;
  gaps: [first: number, count: number, from: string, to: string][];
}

/**
 * Watches the serials of a host. The kernel counts its events, so a missing serial is an event that the log does not have.
 * The counter has 32 bits and rolls over.
 */
export class Serials {
  #last = 0;
  #time = 0n;
  #started = false;
  #gaps: Gap[] = [];

  constructor(saved?: SavedSerials) {
    if (saved === undefined) return;
    this.#last = saved.last;
    this.#time = BigInt(saved.time);
    this.#started = true;
    this.#gaps = saved.gaps.map(([first, count, from, to]) => ({
      first,
      count,
      from: BigInt(from),
      to: BigInt(to),
    }));
  }

  /** Takes the serial of an event if it is the next one. */
  isNext(serial: number): boolean {
    if (!this.#started || ((serial - this.#last) | 0) !== 1) return false;
    this.#last = serial;
    return true;
  }

  /** Takes the serial of an event that is not the next one. `timeOf` is called only if the time of the event matters. */
  jump(serial: number, timeOf: () => bigint): void {
    const step = (serial - this.#last) | 0;
    if (step === 0 && this.#started) return;
    if (this.#started && step < 0 && step >= -LATE) {
      this.#fill(serial);
      return;
    }
    const now = timeOf();
    if (!this.#started || step > MAX_GAP || step < 0) {
      this.#started = true;
      this.#last = serial;
      this.#time = now;
      return;
    }
    const before = this.#time === 0n || this.#time > now ? now : this.#time;
    this.#gaps.push({ first: (this.#last + 1) | 0, count: step - 1, from: before, to: now });
    this.#last = serial;
  }

  /** Remembers the time of the last event, where the next gap starts. */
  at(time: bigint): void {
    this.#time = time;
  }

  /** An event came late: it is not missing. */
  #fill(serial: number): void {
    for (let i = this.#gaps.length - 1; i >= Math.max(0, this.#gaps.length - RECENT_GAPS); i--) {
      const gap = this.#gaps[i];
      const at = (serial - gap.first) | 0;
      if (at < 0 || at >= gap.count) continue;
      const rest = { ...gap, first: (serial + 1) | 0, count: gap.count - at - 1 };
      const parts = [{ ...gap, count: at }, rest].filter(({ count }) => count > 0);
      this.#gaps.splice(i, 1, ...parts);
      return;
    }
  }

  /** Returns the gaps that no late event can fill any more, or all of them at the end. */
  losses(host: string | undefined, all: boolean): Loss[] {
    const isSettled = ({ first, count }: Gap) => all || ((this.#last - first - count) | 0) > LATE;
    const settled = this.#gaps.filter(isSettled);
    if (settled.length > 0) this.#gaps = this.#gaps.filter((gap) => !isSettled(gap));
    return settled.map(({ count, from, to }) => ({ host, from, to, records: count, reason: 'serial-gap' }));
  }

  save(): SavedSerials {
    return {
      last: this.#last,
      time: String(this.#time),
      gaps: this.#gaps.map(({ first, count, from, to }) => [first, count, String(from), String(to)]),
    };
  }
}
