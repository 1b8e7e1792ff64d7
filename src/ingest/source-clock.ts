import { RecalError } from '../base/errors.js';
import type { Batch } from './batch.js';
import { digitsOf, majorityUnit, nanosecondsIn, type TimeUnit } from './time.js';

/** Events looked at before a file's time unit is settled; a shorter file is looked at whole. */
const SETTLE_EVENTS = 65_536;

/** The last nanosecond of 64 bits, in 2262. */
const LATEST = 2n ** 63n - 1n;

/**
 * The time of one file: its unit is that of most of its events, because one public THEIA file counts in
 * microseconds and has strays. A stray takes the time of the record before it and is counted.
 */
export class SourceClock {
  readonly #name: string;
  readonly #counts = new Float64Array(20);
  #settling: Batch[] = [];
  #settlingEvents = 0;
  #unit: TimeUnit | undefined;
  /** True where the unit is known beforehand and every number is taken as it stands, whatever its length. */
  readonly #exact: boolean;
  #previous: bigint | undefined;
  #badTime = 0;

  constructor(name: string, unit: TimeUnit | undefined) {
    this.#name = name;
    this.#unit = unit;
    this.#exact = unit !== undefined;
  }

  get unit(): TimeUnit | undefined {
    return this.#unit;
  }

  get badTime(): number {
    return this.#badTime;
  }

  /** Takes the next batch of the file; gives those whose times are settled, in order. */
  take(batch: Batch): Batch[] {
    for (let i = 0; i < batch.events; i++) this.#counts[batch.tsDigits[i]]++;
    if (this.#unit !== undefined) {
      this.#apply(batch);
      return [batch];
    }
    this.#settling.push(batch);
    this.#settlingEvents += batch.events;
    return this.#settlingEvents >= SETTLE_EVENTS ? this.#settle() : [];
  }

  /** The file has ended: gives what is still held back. */
  finish(): Batch[] {
    const rest = this.#settle();
    if (this.#exact) return rest;
    const unit = majorityUnit(this.#counts);
    if (unit !== undefined && unit !== this.#unit) {
      throw new RecalError(
        'time-unit-changes',
        `the first events count time in ${this.#unit}, but most of the file in ${unit}`,
        { hint: `say which is right: --time-unit ${unit}`, where: { file: this.#name } },
      );
    }
    return rest;
  }

  #settle(): Batch[] {
    const held = this.#settling;
    this.#settling = [];
    if (this.#unit === undefined && this.#settlingEvents > 0) {
      this.#unit = majorityUnit(this.#counts);
      if (this.#unit === undefined) {
        throw new RecalError(
          'no-time',
          'no event has a time that could be seconds, ms, µs or ns since 1970',
          {
            hint: 'take the numbers as they stand with --time-unit ns',
            where: { file: this.#name },
          },
        );
      }
      this.#previous = this.#firstGood(held, this.#unit);
    }
    for (const batch of held) this.#apply(batch);
    return held;
  }

  /** A stray at the very beginning has no record before it and takes the first good time. */
  #firstGood(batches: readonly Batch[], unit: TimeUnit): bigint | undefined {
    for (const batch of batches) {
      for (let i = 0; i < batch.events; i++) {
        if (this.#isGood(batch, i, unit)) return batch.ts[i] * nanosecondsIn(unit);
      }
    }
    return undefined;
  }

  /** True if the record has a time of this unit that 64 bits of nanoseconds can hold. */
  #isGood(batch: Batch, row: number, unit: TimeUnit): boolean {
    const digits = batch.tsDigits[row];
    if (this.#exact ? digits === 0 : digits !== digitsOf(unit)) return false;
    return unit === 'ns' || batch.ts[row] <= LATEST / nanosecondsIn(unit);
  }

  #apply(batch: Batch): void {
    const unit = this.#unit;
    if (unit === undefined || batch.events === 0) return;
    const scale = nanosecondsIn(unit);
    const { ts } = batch;
    let strays = 0;
    for (let i = 0; i < batch.events; i++) if (!this.#isGood(batch, i, unit)) strays++;
    if (strays > 0 || scale !== 1n) {
      let previous = this.#previous ?? this.#firstGood([batch], unit) ?? 0n;
      for (let i = 0; i < batch.events; i++) {
        if (this.#isGood(batch, i, unit)) previous = ts[i] * scale;
        ts[i] = previous;
      }
    }
    this.#badTime += strays;
    this.#previous = ts[batch.events - 1];
  }
}
