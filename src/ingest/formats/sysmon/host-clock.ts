import { NO_CREATED, NO_UTC, RECORD, type TapeRecord } from './clock-tape.js';

/** The number of recent offsets whose median counts. An odd number, so that the median is one of them. */
const KEPT = 15;
/** Two times that differ by less agree: events wait in queues for some seconds. */
const MINUTE = 60_000_000_000n;

export interface SettledTime {
  ts: bigint;
  /** Why the time is not `UtcTime`, if it is not. */
  repaired?: 'ownClock' | 'noUtcTime';
}

/** The clocks of one host: how far its `UtcTime` and its `TimeCreated` are apart. The second is often local time. */
export class HostClock {
  /** When Sysmon stopped, if it did not start again. */
  stopped: bigint | undefined;
  readonly #ofProcesses: bigint[] = [];
  readonly #ofOthers: bigint[] = [];
  /** `UtcTime` of the last event that keeps the right time. */
  #last: bigint | undefined;

  /** Returns the time of the next record of the host, or undefined if a later record may show it better. */
  timeOf(record: TapeRecord): SettledTime | undefined {
    const { kind, flags, utc, created } = record;
    if ((flags & NO_UTC) === 0 && kind !== RECORD.ownClock) {
      this.#learn(record);
      return { ts: utc };
    }
    if ((flags & NO_CREATED) !== 0) return this.statedTime(record);
    const last = this.#last;
    // Nearly all records: the time fits the events around it, whatever the offset is.
    if (
      (flags & NO_UTC) === 0 &&
      last !== undefined &&
      this.#ofProcesses.length + this.#ofOthers.length > 0 &&
      distance(utc, last) <= MINUTE
    )
      return { ts: utc };
    const { offset } = this;
    if ((flags & NO_UTC) !== 0)
      return offset === undefined ? undefined : { ts: created + offset, repaired: 'noUtcTime' };
    // Two clocks that agree need no others to compare them with.
    if (offset === undefined || last === undefined)
      return distance(utc, created) > MINUTE ? undefined : { ts: utc };
    const ts = created + offset;
    // A time is wrong if it disagrees with the events around it and with `TimeCreated`.
    const wrong =
      distance(utc, last) > MINUTE && distance(utc, ts) > MINUTE && distance(ts, last) < distance(utc, last);
    return wrong ? { ts, repaired: 'ownClock' } : { ts: utc };
  }

  /** Returns the time of a record by its own word only. */
  statedTime({ flags, utc, created }: TapeRecord): SettledTime {
    if ((flags & NO_UTC) === 0) return { ts: utc };
    return (flags & NO_CREATED) === 0 ? { ts: created, repaired: 'noUtcTime' } : { ts: 0n };
  }

  #learn({ kind, flags, utc, created }: TapeRecord): void {
    this.#last = utc;
    if ((flags & NO_CREATED) !== 0) return;
    const offsets = kind === RECORD.processCreate ? this.#ofProcesses : this.#ofOthers;
    offsets.push(utc - created);
    if (offsets.length > KEPT) offsets.shift();
  }

  /**
   * `UtcTime` minus `TimeCreated`. Process creations show it best, because they are logged at once. Other events count if
   * there are none, or if they all disagree: then the log was collected in another way since.
   */
  get offset(): bigint | undefined {
    const processes = median(this.#ofProcesses);
    const others = median(this.#ofOthers);
    if (processes === undefined || others === undefined) return processes ?? others;
    return distance(processes, others) > MINUTE ? others : processes;
  }

  save(): unknown {
    return {
      processes: this.#ofProcesses.map(String),
      others: this.#ofOthers.map(String),
      ...(this.#last !== undefined && { last: String(this.#last) }),
      ...(this.stopped !== undefined && { stopped: String(this.stopped) }),
    };
  }

  /** Restores what `save` returned. What is unusable is left out. */
  static restore(state: unknown): HostClock {
    const clock = new HostClock();
    const { processes, others, last, stopped } = (state ?? {}) as Record<string, unknown>;
    clock.#ofProcesses.push(...offsetsOf(processes));
    clock.#ofOthers.push(...offsetsOf(others));
    clock.#last = numberOf(last);
    clock.stopped = numberOf(stopped);
    return clock;
  }
}

function offsetsOf(saved: unknown): bigint[] {
  return Array.isArray(saved) ? saved.slice(-KEPT).flatMap((text) => numberOf(text) ?? []) : [];
}

function numberOf(text: unknown): bigint | undefined {
  return typeof text === 'string' && /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
}

function median(values: readonly bigint[]): bigint | undefined {
  if (values.length === 0) return undefined;
  return values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[(values.length - 1) >> 1];
}

function distance(a: bigint, b: bigint): bigint {
  return a < b ? b - a : a - b;
}
