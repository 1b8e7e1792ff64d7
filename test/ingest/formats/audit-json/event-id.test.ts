import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventId } from '../../../../src/ingest/formats/audit-json/event-id.js';

const ID = /^(\d{1,10})\.(\d{1,9}):(\d{1,10})$/;

/** The time in nanoseconds and the serial, or undefined. */
function expected(text: string): [bigint, number] | undefined {
  const match = ID.exec(text);
  if (match === null || Number(match[1]) > 9_223_372_035 || Number(match[3]) > 0xffffffff) return undefined;
  return [BigInt(match[1]) * 1_000_000_000n + BigInt(match[2].padEnd(9, '0')), Number(match[3])];
}

it('reads identifiers exactly, and nothing else', () => {
  const id = new EventId();
  const digits = (most: number) => fc.stringMatching(new RegExp(`^\\d{0,${most}}$`));
  const text = fc.oneof(
    fc.tuple(digits(11), digits(10), digits(11)).map(([a, b, c]) => `${a}.${b}:${c}`),
    fc.tuple(fc.nat(4), fc.nat(999), fc.nat()).map(([a, b, c]) => `170000000${a}.${b}:${c}`),
    fc.constantFrom(
      '9223372035.999999999:4294967295',
      '9223372036.0:1',
      '1.0:4294967296',
      '1.2',
      '1.2:3 ',
      '',
    ),
  );
  fc.assert(
    fc.property(text, fc.constantFrom('', '"', '1', ':'), (value, after) => {
      const wanted = expected(value);
      expect(id.read(Buffer.from(`x${value}${after}`), 1, 1 + value.length)).toBe(wanted !== undefined);
      if (wanted === undefined) return;
      const time = (BigInt(id.timeHigh) << 32n) | BigInt(id.timeLow >>> 0);
      expect([time, id.serial]).toEqual(wanted);
    }),
    { numRuns: 3000 },
  );
});
