import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TIME } from '../../../src/ingest/scan/json-scan.js';
import { parseRfc3339 } from '../../../src/ingest/time.js';
import { TimeWords } from '../../../src/ingest/time-words.js';
import { RAW, SCALAR, scan, scanLine } from './scanning.js';

/** Reads a JSON value as a time. Returns its form, and the nanoseconds if there are some. */
function read(json: string, name: 'a' | 'raw' = 'a'): { form: number; time: bigint | undefined } {
  scanLine(`{"${name}":${json}}`);
  const slot = name === 'a' ? SCALAR : RAW;
  const form = scan.readTime(slot);
  if (form === TIME.other) return { form, time: undefined };
  const time = BigInt.asIntN(64, (BigInt(scan.word(slot, 1)) << 32n) | BigInt(scan.word(slot, 0)));
  const words = new TimeWords();
  words.setTime(time);
  expect([words.known, words.low >>> 0, words.high >>> 0]).toEqual([
    true,
    scan.word(slot, 0),
    scan.word(slot, 1),
  ]);
  return { form, time };
}

const two = (most: number) =>
  fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, '0'));
const text = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1970, max: 2030 }), fc.integer({ min: 0, max: 9999 })),
    two(13),
    two(32),
    fc.constantFrom('T', ' ', 't', '-'),
    two(25),
    two(61),
    two(61),
    fc.stringMatching(/^(\.\d{0,10})?$/),
    fc.constantFrom('Z', '', 'z', '+01:00', 'Z ', 'ZZ'),
  )
  .map(
    ([year, month, day, between, hour, minute, second, fraction, zone]) =>
      `${String(year).padStart(4, '0')}-${month}-${day}${between}${hour}:${minute}:${second}${fraction}${zone}`,
  );

describe('the times that the kernel reads', () => {
  it('are those of parseRfc3339, and any other is left to it', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ maxLength: 30 })), (value) => {
        const { form, time } = read(JSON.stringify(value));
        if (form === TIME.utc) expect(time).toBe(parseRfc3339(value));
        else if (form === TIME.noZone) expect(time).toBe(parseRfc3339(`${value}Z`));
        expect(form === TIME.other || time !== undefined).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['2024-02-29T23:59:59.123456789Z', TIME.utc],
    ['2024-10-18 22:12:37.5', TIME.noZone],
    ['1970-01-01T00:00:00Z', TIME.utc],
    ['1969-12-31T23:59:59.999999999Z', TIME.utc],
    ['2000-02-29 00:00:00', TIME.noZone],
  ])('include %s', (value, form) => {
    expect(read(JSON.stringify(value))).toEqual({ form, time: parseRfc3339(value.replace(/Z?$/, 'Z')) });
    expect(read(JSON.stringify(value), 'raw').form).toBe(form);
  });

  it.each([
    '"2023-02-29T00:00:00Z"',
    '"1900-02-29T00:00:00Z"',
    '"2024-10-18T22:12:60Z"',
    '"2024-10-18T22:12:37.Z"',
    '"2024-10-18T22:12:37.1234567891Z"',
    '"2024-10-18T22:12:37+01:00"',
    '"2024-10-18T22:12:3"',
    '"2024-10-18T22:12:37\\u005a"',
    '"2024-10-1\u00b9T22:12:37Z"',
    '20241018221237',
    '{"a":"2024-10-18T22:12:37Z"}',
    'null',
  ])('do not include %s', (json) => {
    expect(read(json, 'raw').form).toBe(TIME.other);
  });
});
