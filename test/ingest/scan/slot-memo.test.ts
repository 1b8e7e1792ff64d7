import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlotMemo } from '../../../src/ingest/scan/slot-memo.js';
import { INTEGER, NESTED, RAW, SCALAR, scan, scanLine } from './scanning.js';

const SLOTS = [SCALAR, NESTED, INTEGER, RAW];
/** Everything that a reader can see of the fields. */
const seen = (): string =>
  JSON.stringify(
    SLOTS.map((slot) => [scan.has(slot), scan.isString(slot), scan.isRaw(slot), scan.text(slot)]),
  );

const value = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('1', 'a', 'ab', 'a\\', '[]', '', 'x'.repeat(3000)),
  fc.integer({ min: 0, max: 12 }),
  fc.boolean(),
);
const record = fc.record(
  {
    a: value,
    b: fc.record({ c: fc.record({ d: value }) }),
    n: value,
    raw: fc.array(value, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

describe('SlotMemo', () => {
  it('returns what is made of the same fields, whatever came before', () => {
    const memo = new SlotMemo<string>(scan, SLOTS);
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 8 }), (records) => {
        for (const each of [...records, ...records]) {
          scanLine(JSON.stringify(each));
          expect(memo.of(seen)).toBe(seen());
        }
      }),
    );
  });

  it('makes the same fields once, and tells fields with the same bytes apart', () => {
    const memo = new SlotMemo<string>(scan, SLOTS);
    let made = 0;
    const make = (): string => {
      made++;
      return seen();
    };
    const lines = ['{"a":"12"}', '{"a":12}', '{"b":{"c":{"d":"12"}}}', '{"a":"1","b":{"c":{"d":"2"}}}', '{}'];
    for (const line of [...lines, ...lines]) {
      scanLine(line);
      expect(memo.of(make)).toBe(seen());
    }
    expect(made).toBe(lines.length);
  });

  it('keeps nothing under a number that was given anew while it was made', () => {
    const memo = new SlotMemo<string>(scan, [SCALAR]);
    // Other texts fill the memo while the text of the first line is made.
    for (let round = 0; round < 3; round++) {
      scanLine('{"a":"first"}');
      const first = memo.of(() => {
        for (let i = 0; i < 20_000; i++) {
          scanLine(`{"a":"${round} ${i}"}`);
          expect(scan.text(SCALAR)).toBe(`${round} ${i}`);
        }
        return 'first';
      });
      expect(first).toBe('first');
      for (let i = 15_000; i < 20_000; i++) {
        scanLine(`{"a":"${round} ${i}"}`);
        expect(scan.text(SCALAR)).toBe(`${round} ${i}`);
      }
    }
  });

  it('keeps that nothing is made of some fields', () => {
    const memo = new SlotMemo<string | undefined>(scan, [NESTED]);
    let made = 0;
    for (let i = 0; i < 3; i++) {
      scanLine('{"b":{"c":{"d":"nothing"}}}');
      expect(
        memo.of(() => {
          made++;
          return undefined;
        }),
      ).toBeUndefined();
    }
    expect(made).toBe(1);
  });

  it('starts anew when it is full', () => {
    const memo = new SlotMemo<string>(scan, [SCALAR]);
    for (let i = 0; i < 3000; i++) {
      scanLine(JSON.stringify({ a: `${i % 2000}${'y'.repeat(900)}` }));
      expect(memo.of(() => scan.text(SCALAR))).toBe(scan.text(SCALAR));
    }
  });
});
