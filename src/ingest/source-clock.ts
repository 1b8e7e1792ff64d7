import { RecalError } from '../base/errors.js';
import type { Batch } from './batch.js';
import { digitsOf, majorityUnit, nanosecondsIn, type TimeUnit } from './time.js';

/** The number of events that decide the time unit of a file. */
const UNIT_EVENTS = 65_536;

/** The last nanosecond that fits 64 bits, in the year 2262. */
const LATEST = 2n ** 63n - 1n;

/**
 * Converts the times of one file to nanoseconds. The unit of the file is the unit of most of its events: a public THEIA
 * file counts in microseconds but has some times in other units. An event without a valid time takes the time of the
 * event before it, and is counted.
 */
export class SourceClock {
  readonly #name: string;
  readonly #counts = new Float64Array(20);
  #waiting: Batch[] = [];
  #waitingEvents = 0;
  #unit: TimeUnit | undefined;
  /** True if the unit is given: then numbers of any length are valid times. */
  readonly #unitGiven: boolean;
  #previous: bigint | undefined;
  #badTime = 0;

  constructor(name: string, unit: TimeUnit | undefined) {
    this.#name = name;
    this.#unit = unit;
    this.#unitGiven = unit !== undefined;
  }

  get unit(): TimeUnit | undefined {
    return this.#unit;
  }

  get badTime(): number {
    return this.#badTime;
  }

  /** Takes the next batch of the file and returns, in order, the batches whose times are now known. */
  take(batch: Batch): Batch[] {
    for (let i = 0; i < batch.events; i++) this.#counts[batch.tsDigits[i]]++;
    if (this.#unit !== undefined) {
      this.#convert(batch);
      return [batch];
    }
    this.#waiting.push(batch);
    this.#waitingEvents += batch.events;
    return this.#waitingEvents >= UNIT_EVENTS ? this.#releaseWaiting() : [];
  }

  /** Returns the remaining batches at the end of the file. */
  finish(): Batch[] {
    const rest = this.#releaseWaiting();
    if (this.#unitGiven) return rest;
    const unit = majorityUnit(this.#counts);
    if (unit !== undefined && unit !== this.#unit) {
      throw new RecalError(
        'time-unit-changes',
        `the first events have times in ${this.#unit}, but most events of the file have times in ${unit}`,
        { hint: `set the unit: --time-unit ${unit}`, where: { file: this.#name } },
      );
    }
    return rest;
  }

  #releaseWaiting(): Batch[] {
    const batches = this.#waiting;
    this.#waiting = [];
    if (this.#unit === undefined && this.#waitingEvents > 0) {
      this.#unit = majorityUnit(this.#counts);
      if (this.#unit === undefined) {
        throw new RecalError('no-time', 'no event has a time in s, ms, us or ns since 1970', {
          hint: 'set the unit of the times: --time-unit ns, us, ms or s',
          where: { file: this.#name },
        });
      }
      this.#previous = this.#firstTime(batches, this.#unit);
    }
    for (const batch of batches) this.#convert(batch);
    return batches;
  }

  /** Returns the first valid time. Invalid ones before it take this time. */
  #firstTime(batches: readonly Batch[], unit: TimeUnit): bigint | undefined {
    for (const batch of batches) {
      for (let i = 0; i < batch.events; i++) {
        if (this.#isValid(batch, i, unit)) return batch.ts[i] * nanosecondsIn(unit);
      }
    }
    return undefined;
  }

  /** Tells whether the event has a time in this unit that fits 64 bits of nanoseconds. */
  #isValid(batch: Batch, row: number, unit: TimeUnit): boolean {
    const digits = batch.tsDigits[row];
    if (this.#unitGiven ? digits === 0 : digits !== digitsOf(unit)) return false;
    return unit === 'ns' || batch.ts[row] <= LATEST / nanosecondsIn(unit);
  }

  #convert(batch: Batch): void {
    const unit = this.#unit;
    if (unit === undefined || batch.events === 0) return;
    const scale = nanosecondsIn(unit);
    const { ts } = batch;
    let invalid = 0;
    for (let i = 0; i < batch.events; i++) if (!this.#isValid(batch, i, unit)) invalid++;
    if (invalid > 0 || scale !== 1n) {
      let previous = this.#previous ?? this.#firstTime([batch], unit) ?? 0n;
      for (let i = 0; i < batch.events; i++) {
        if (this.#isValid(batch, i, unit)) previous = ts[i] * scale;
        ts[i] = previous;
      }
    }
    this.#badTime += invalid;
    this.#previous = ts[batch.events - 1];
  }
}
