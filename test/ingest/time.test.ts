import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digitsOf, majorityUnit, nanosecondsIn, parseRfc3339, TIME_UNITS } from '../../src/ingest/time.js';

const LAST = 2n ** 63n - 1n;

describe('units', () => {
  it('have the number of digits of present times', () => {
    const now = 1_523_637_968_165_000_000n;
    for (const unit of TIME_UNITS) expect(String(now / nanosecondsIn(unit)).length).toBe(digitsOf(unit));
  });

  const counts = (entries: Record<number, number>): number[] =>
    Array.from({ length: 20 }, (_, digits) => entries[digits] ?? 0);

  it('are decided by most times', () => {
    expect(majorityUnit(counts({ 10: 159, 16: 1372 }))).toBe('us');
    expect(majorityUnit(counts({ 10: 3, 13: 2 }))).toBe('s');
    expect(majorityUnit(counts({ 13: 1 }))).toBe('ms');
    expect(majorityUnit(counts({ 19: 5, 1: 100, 18: 100, 0: 100 }))).toBe('ns');
  });

  it('are the finer of two equally common ones', () => {
    expect(majorityUnit(counts({ 16: 4, 19: 4 }))).toBe('ns');
    expect(majorityUnit(counts({ 10: 4, 13: 4 }))).toBe('ms');
  });

  it('are undefined if no time fits', () => {
    expect(majorityUnit(counts({}))).toBeUndefined();
    expect(majorityUnit(counts({ 0: 5, 1: 5, 11: 5, 18: 9 }))).toBeUndefined();
  });
});

describe('RFC 3339', () => {
  /** Returns the days since 1970, without Date. */
  function daysOf(year: bigint, month: bigint, day: bigint): bigint {
    const y = month <= 2n ? year - 1n : year;
    const era = (y >= 0n ? y : y - 399n) / 400n;
    const yearOfEra = y - era * 400n;
    const dayOfYear = (153n * (month + (month > 2n ? -3n : 9n)) + 2n) / 5n + day - 1n;
    return era * 146097n + yearOfEra * 365n + yearOfEra / 4n - yearOfEra / 100n + dayOfYear - 719468n;
  }

  const two = (value: number): string => String(value).padStart(2, '0');
  const daysIn = (year: number, month: number): number =>
    month === 2
      ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
        ? 29
        : 28
      : [4, 6, 9, 11].includes(month)
        ? 30
        : 31;

  it('is exact to the nanosecond for every date and every offset', () => {
    const moment = fc.record({
      year: fc.integer({ min: 1678, max: 2261 }),
      month: fc.integer({ min: 1, max: 12 }),
      day: fc.integer({ min: 1, max: 31 }),
      hour: fc.nat(23),
      minute: fc.nat(59),
      second: fc.nat(59),
      fraction: fc.stringMatching(/^\d{0,15}$/),
      sign: fc.constantFrom('Z', 'z', '+', '-'),
      offset: fc.nat(23 * 60 + 59),
      colon: fc.boolean(),
      between: fc.constantFrom('T', 't', ' '),
    });
    fc.assert(
      fc.property(moment, (m) => {
        const day = Math.min(m.day, daysIn(m.year, m.month));
        const [oh, om] = [Math.floor(m.offset / 60), m.offset % 60];
        const zone = 'Zz'.includes(m.sign) ? m.sign : `${m.sign}${two(oh)}${m.colon ? ':' : ''}${two(om)}`;
        const fraction = m.fraction === '' ? '' : `.${m.fraction}`;
        const date = `${m.year}-${two(m.month)}-${two(day)}`;
        const text = `${date}${m.between}${two(m.hour)}:${two(m.minute)}:${two(m.second)}${fraction}${zone}`;
        const minutes =
          BigInt(m.hour * 60 + m.minute) - BigInt(m.sign === '+' ? m.offset : m.sign === '-' ? -m.offset : 0);
        const seconds =
          (daysOf(BigInt(m.year), BigInt(m.month), BigInt(day)) * 1440n + minutes) * 60n + BigInt(m.second);
        const nanoseconds = BigInt(m.fraction.slice(0, 9).padEnd(9, '0'));
        expect(parseRfc3339(text), text).toBe(seconds * 1_000_000_000n + nanoseconds);
      }),
      { numRuns: 3000 },
    );
  });

  it('rejects days that do not exist', () => {
    for (let year = 1890; year <= 2110; year++) {
      for (let month = 0; month <= 13; month++) {
        for (const day of [0, 1, 28, 29, 30, 31, 32, 99]) {
          const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
          const text = `${year}-${two(month)}-${two(day)}T00:00:00Z`;
          expect(parseRfc3339(text) !== undefined, text).toBe(exists);
        }
      }
    }
  });

  it('treats a leap second as the first second of the next minute', () => {
    expect(parseRfc3339('2016-12-31T23:59:60Z')).toBe(parseRfc3339('2017-01-01T00:00:00Z'));
    expect(parseRfc3339('2016-12-31T23:59:60.5Z')).toBe(parseRfc3339('2017-01-01T00:00:00.5Z'));
    expect(parseRfc3339('2016-12-31T23:59:61Z')).toBeUndefined();
    expect(parseRfc3339('2017-02-30T00:00:60Z')).toBeUndefined();
  });

  it('is limited to 64 bits', () => {
    expect(parseRfc3339('2262-04-11T23:47:16.854775807Z')).toBe(LAST);
    expect(parseRfc3339('2262-04-11T23:47:16.854775808Z')).toBeUndefined();
    expect(parseRfc3339('1677-09-21T00:12:43.145224192Z')).toBe(-LAST - 1n);
    expect(parseRfc3339('1677-09-21T00:12:43.145224191Z')).toBeUndefined();
    expect(parseRfc3339('9999-12-31T23:59:59Z')).toBeUndefined();
    expect(parseRfc3339('0000-01-01T00:00:00Z')).toBeUndefined();
  });

  it('rejects all other texts', () => {
    const good = '2018-04-13T16:46:08.165Z';
    expect(parseRfc3339(good)).toBe(1_523_637_968_165_000_000n);
    for (const text of [
      '',
      '2018-04-13',
      '2018-04-13T16:46Z',
      '2018-04-13T16:46:08',
      '2018-04-13T16:46:08.Z',
      '2018-4-13T16:46:08Z',
      '18-04-13T16:46:08Z',
      '2018-04-13T24:00:00Z',
      '2018-04-13T16:60:08Z',
      '2018-04-13T16:46:08+24:00',
      '2018-04-13T16:46:08+01:60',
      '2018-04-13T16:46:08+1:00',
      ` ${good}`,
      `${good}\n`,
      `${good}Z`,
      '２018-04-13T16:46:08Z',
    ])
      expect(parseRfc3339(text), text).toBeUndefined();
  });
});
