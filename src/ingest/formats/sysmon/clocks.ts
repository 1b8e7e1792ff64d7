import { type Batch, NO_SYMBOL } from '../../batch.js';
import { digitsOf } from '../../time.js';
import type { Assembler } from '../reader.js';
import {
  NO_CREATED,
  NO_UTC,
  NUMBERED,
  RECORD,
  readTape,
  type TapeRecord,
  tapeRecords,
} from './clock-tape.js';
import { HostClock, type SettledTime } from './host-clock.js';

/** More hosts than this in one log: those that were not seen for longest start anew. */
const MAX_HOSTS = 4096;
/** The number of further records of the log that a record waits for a better time. */
const MAX_WAIT = 512;

/** A record that no event of its host has shown the offset of the clocks for. */
interface Waiting {
  batch: Batch;
  record: TapeRecord;
  /** The number of records before it. */
  at: number;
}

const LOSS_REASONS: Readonly<Record<number, string>> = {
  [RECORD.configured]: 'sensor-configured',
  [RECORD.error]: 'sensor-error',
};

/**
 * Repairs the times of Sysmon in the order of the log. After a machine is resumed from a saved state, `UtcTime` of
 * network and DNS events can lie hours behind. Their time is then `TimeCreated` plus the offset that other events of the
 * host show between the two. Also numbers events that have no record id, and turns records about Sysmon into losses.
 */
export class SysmonClocks implements Assembler {
  readonly #hosts = new Map<string, HostClock>();
  /** By host, in the order in which the hosts began to wait. */
  readonly #waiting = new Map<string, Waiting[]>();
  #records = 0;
  #sequence: bigint;

  constructor(state: unknown) {
    const saved = savedState(state);
    this.#sequence = saved.sequence;
    for (const [host, clock] of saved.hosts) this.#hosts.set(host, clock);
  }

  get waiting(): boolean {
    return this.#waiting.size > 0;
  }

  take(batch: Batch): void {
    const before = this.#sequence;
    const count = tapeRecords(batch);
    for (let i = 0; i < count; i++) {
      const record = readTape(batch, i);
      if ((record.flags & NUMBERED) === 0)
        for (let row = 0; row < record.rows; row++) batch.seq[record.row + row] += before;
      this.#takeRecord(batch, record);
      this.#records++;
    }
    this.#sequence += BigInt(batch.events);
    batch.tapeLength = 0;
  }

  #takeRecord(batch: Batch, record: TapeRecord): void {
    const host = record.host === NO_SYMBOL ? '' : batch.symbols[record.host];
    const clock = this.#clockOf(host);
    const time = clock.timeOf(record);
    if (time !== undefined) settle(batch, record, host, clock, time);
    else if (this.#waiting.has(host)) this.#waiting.get(host)?.push({ batch, record, at: this.#records });
    else this.#waiting.set(host, [{ batch, record, at: this.#records }]);
    if (this.#waiting.size === 0) return;
    if (clock.offset !== undefined) this.#settleWaiting(host);
    for (const [waitingHost, [oldest]] of this.#waiting) {
      if (this.#records - oldest.at < MAX_WAIT) break;
      this.#settleWaiting(waitingHost);
    }
  }

  /** Settles the records of a host with what is known now. */
  #settleWaiting(host: string): void {
    const clock = this.#clockOf(host);
    for (const { batch, record } of this.#waiting.get(host) ?? [])
      settle(batch, record, host, clock, clock.timeOf(record) ?? clock.statedTime(record));
    this.#waiting.delete(host);
  }

  endSource(): void {
    for (const host of [...this.#waiting.keys()]) this.#settleWaiting(host);
  }

  #clockOf(host: string): HostClock {
    let clock = this.#hosts.get(host);
    if (clock !== undefined && this.#hosts.size < MAX_HOSTS / 2) return clock;
    if (clock !== undefined) this.#hosts.delete(host);
    clock ??= new HostClock();
    this.#hosts.set(host, clock);
    if (this.#hosts.size > MAX_HOSTS) this.#hosts.delete(this.#hosts.keys().next().value as string);
    return clock;
  }

  finish(): void {
    // No record waits beyond its source.
  }

  save(): unknown {
    return {
      sequence: String(this.#sequence),
      hosts: [...this.#hosts].map(([host, clock]) => [host, clock.save()]),
    };
  }
}

/** Gives a record its time: to its events, or to the loss that it tells of. */
function settle(batch: Batch, record: TapeRecord, host: string, clock: HostClock, time: SettledTime): void {
  const { kind, row, rows, flags } = record;
  if (rows > 0 && time.repaired !== undefined) {
    batch.repair(time.repaired);
    batch.ts.fill(time.ts, row, row + rows);
    batch.tsDigits.fill(digitsOf('ns'), row, row + rows);
  }
  if ((flags & NO_UTC) !== 0 && (flags & NO_CREATED) !== 0) return;
  const named = host === '' ? undefined : host;
  const to = time.ts;
  if (kind === RECORD.stopped) {
    clock.stopped = to;
    batch.losses.push({ host: named, from: to, to, records: 0, reason: 'sensor-stopped' });
  } else if (kind === RECORD.started) {
    // A start without a stop before it is the begin of the log: nothing is known to be lost.
    const from = clock.stopped;
    clock.stopped = undefined;
    if (from !== undefined && from < to)
      batch.losses.push({ host: named, from, to, records: 0, reason: 'sensor-stopped' });
  } else if (Object.hasOwn(LOSS_REASONS, kind)) {
    batch.losses.push({ host: named, from: to, to, records: 0, reason: LOSS_REASONS[kind] });
  }
}

function savedState(state: unknown): { sequence: bigint; hosts: [string, HostClock][] } {
  const { sequence, hosts } = (state ?? {}) as { sequence?: unknown; hosts?: unknown };
  if (typeof sequence !== 'string' || !/^\d{1,18}$/.test(sequence) || !Array.isArray(hosts))
    return { sequence: 0n, hosts: [] };
  return {
    sequence: BigInt(sequence),
    hosts: hosts
      .filter((entry): entry is [string, unknown] => Array.isArray(entry) && typeof entry[0] === 'string')
      .slice(-MAX_HOSTS)
      .map(([host, saved]) => [host, HostClock.restore(saved)]),
  };
}
