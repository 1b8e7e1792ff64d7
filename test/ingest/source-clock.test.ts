import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Batch } from '../../src/ingest/batch.js';
import { SourceClock } from '../../src/ingest/source-clock.js';
import { digitsOf, nanosecondsIn, TIME_UNITS, type TimeUnit } from '../../src/ingest/time.js';

/** The number of events that decide the unit of a file. */
const UNIT_EVENTS = 65_536;

/** Makes a batch of events with these times. Null is an event without a valid time. */
function batchOf(times: readonly (bigint | null)[]): Batch {
  const batch = new Batch();
  for (const time of times) {
    const row = batch.addEvent();
    batch.ts[row] = time ?? 0n;
    batch.tsDigits[row] = time === null ? 0 : String(time).length;
  }
  return batch;
}

const timesOf = (batches: readonly Batch[]): bigint[] =>
  batches.flatMap((batch) => [...batch.ts.subarray(0, batch.events)]);

/** Returns all times from the clock, in order. */
function run(clock: SourceClock, ...batches: (readonly (bigint | null)[])[]): bigint[] {
  const ready = batches.flatMap((times) => clock.take(batchOf(times)));
  return timesOf([...ready, ...clock.finish()]);
}

const NOW = 1_523_637_968_165_432_198n;

describe('the unit of a file', () => {
  it('is the unit of most events, and times become nanoseconds', () => {
    for (const unit of TIME_UNITS) {
      const time = NOW / nanosecondsIn(unit);
      const clock = new SourceClock('f', undefined);
      expect(run(clock, [time, time + 1n, time - 1n])).toEqual(
        [time, time + 1n, time - 1n].map((t) => t * nanosecondsIn(unit)),
      );
      expect([clock.unit, clock.badTime]).toEqual([unit, 0]);
    }
  });

  it('delays batches until it is known, and keeps their order', () => {
    const clock = new SourceClock('f', undefined);
    const half = Array.from({ length: UNIT_EVENTS / 2 }, (_, i) => NOW + BigInt(i));
    expect(clock.take(batchOf(half))).toEqual([]);
    expect(clock.unit).toBeUndefined();
    const [first, second] = clock.take(batchOf(half));
    expect(timesOf([first, second])).toEqual([...half, ...half]);
    expect(clock.unit).toBe('ns');
    expect(clock.take(batchOf([NOW]))).toHaveLength(1);
    expect(clock.finish()).toEqual([]);
  });

  it('stays undefined in a file without events', () => {
    const clock = new SourceClock('f', undefined);
    expect(run(clock, [], [])).toEqual([]);
    expect(clock.unit).toBeUndefined();
  });

  it('keeps batches without events in their place', () => {
    const clock = new SourceClock('f', undefined);
    const batches = [batchOf([]), batchOf([NOW]), batchOf([])];
    expect(batches.flatMap((batch) => clock.take(batch))).toEqual([]);
    expect(clock.finish()).toEqual(batches);
  });

  it('is an error if no time fits a unit', () => {
    const clock = new SourceClock('logs/a', undefined);
    clock.take(batchOf([12n, 345n, null]));
    expect(() => clock.finish()).toThrow(
      expect.objectContaining({
        code: 'no-time',
        where: { file: 'logs/a' },
        hint: expect.stringContaining('--time-unit'),
      }),
    );
  });

  it('is an error if most events of the file have another', () => {
    const clock = new SourceClock('logs/a', undefined);
    clock.take(batchOf(Array<bigint>(UNIT_EVENTS).fill(NOW / 1000n)));
    expect(clock.unit).toBe('us');
    clock.take(batchOf(Array<bigint>(UNIT_EVENTS + 1).fill(NOW)));
    expect(() => clock.finish()).toThrow(
      expect.objectContaining({
        code: 'time-unit-changes',
        message: expect.stringMatching(/\bus\b.*\bns\b/),
        hint: expect.stringContaining('--time-unit ns'),
        where: { file: 'logs/a' },
      }),
    );
  });

  it('may be rare at the end of the file', () => {
    const clock = new SourceClock('f', undefined);
    clock.take(batchOf(Array<bigint>(UNIT_EVENTS).fill(NOW)));
    clock.take(batchOf(Array<bigint>(UNIT_EVENTS - 1).fill(NOW / 1000n)));
    expect(clock.finish()).toEqual([]);
    expect(clock.badTime).toBe(UNIT_EVENTS - 1);
  });
});

describe('invalid times', () => {
  it('become the time of the event before, also across batches', () => {
    const clock = new SourceClock('f', undefined);
    expect(run(clock, [NOW, 1_523_637_968n, NOW + 5n], [null, NOW + 7n, 5n], [3n, NOW + 9n])).toEqual([
      NOW,
      NOW,
      NOW + 5n,
      NOW + 5n,
      NOW + 7n,
      NOW + 7n,
      NOW + 7n,
      NOW + 9n,
    ]);
    expect(clock.badTime).toBe(4);
  });

  it('at the beginning become the first valid time', () => {
    const clock = new SourceClock('f', undefined);
    expect(run(clock, [null, 5n], [7n, NOW / 1000n, NOW / 1000n + 1n])).toEqual([
      ...Array<bigint>(4).fill((NOW / 1000n) * 1000n),
      (NOW / 1000n + 1n) * 1000n,
    ]);
    expect(clock.badTime).toBe(3);
  });

  it('are replaced after the unit is known, too', () => {
    const clock = new SourceClock('f', undefined);
    clock.take(batchOf(Array<bigint>(UNIT_EVENTS).fill(NOW)));
    expect(timesOf(clock.take(batchOf([null, NOW + 1n, 9n])))).toEqual([NOW, NOW + 1n, NOW + 1n]);
    expect(clock.badTime).toBe(2);
  });

  it('include times that do not fit 64 bits of nanoseconds', () => {
    const clock = new SourceClock('f', undefined);
    expect(run(clock, [1_523_637_968n, 9_999_999_999n, 1_523_637_969n])).toEqual([
      1_523_637_968_000_000_000n,
      1_523_637_968_000_000_000n,
      1_523_637_969_000_000_000n,
    ]);
    expect(clock.badTime).toBe(1);
  });

  it('never change the order of an ordered file', () => {
    const entry = fc.oneof({ weight: 3, arbitrary: fc.nat(1_000_000) }, fc.constant(null));
    const unit = fc.constantFrom<TimeUnit>(...TIME_UNITS);
    fc.assert(
      fc.property(unit, fc.array(fc.array(entry, { maxLength: 6 }), { maxLength: 5 }), (of, batches) => {
        let time = NOW / nanosecondsIn(of);
        const advance = (step: number | null): bigint | null => {
          if (step === null) return null;
          time += BigInt(step);
          return time;
        };
        const steps = batches.map((batch) => batch.map(advance));
        const good = steps.flat().filter((t) => t !== null).length;
        fc.pre(good > 0);
        const clock = new SourceClock('f', undefined);
        const times = run(clock, ...steps);
        expect(clock.unit).toBe(of);
        expect(clock.badTime).toBe(steps.flat().length - good);
        expect(times.every((t, i) => i === 0 || t >= times[i - 1])).toBe(true);
        expect(times.every((t) => String(t).length === digitsOf('ns'))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a given unit', () => {
  it('applies to numbers of any length at once', () => {
    const clock = new SourceClock('f', 'us');
    expect(timesOf(clock.take(batchOf([1n, NOW / 1000n, 12n])))).toEqual([
      1000n,
      (NOW / 1000n) * 1000n,
      12_000n,
    ]);
    expect(clock.finish()).toEqual([]);
    expect(clock.badTime).toBe(0);
  });

  it('still replaces missing times and times that are too large', () => {
    const clock = new SourceClock('f', 'us');
    expect(run(clock, [null, 5n, null, NOW * 5n, 6n])).toEqual([5000n, 5000n, 5000n, 5000n, 6000n]);
    expect(clock.badTime).toBe(3);
  });
});
