import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonScan, LINE, ScanMemory } from '../../../src/ingest/scan/json-scan.js';
import type { Slot } from '../../../src/ingest/scan/shape.js';
import { fieldText, recordText, scalarText, stringText } from './json-texts.js';
import {
  BLOCK,
  ID,
  INTEGER,
  isObject,
  type Json,
  KEY,
  MAX_LINE,
  NESTED,
  parse,
  RAW,
  SCALAR,
  SYMBOL,
  scan,
  scanLine,
  shape,
  UNDER_KEY,
} from './scanning.js';

function at(record: Json, path: string): Json | undefined {
  let value: Json | undefined = record;
  for (const key of path.split('.')) {
    if (!isObject(value)) return undefined;
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function unwrap(value: Json | undefined): Json | undefined {
  return isObject(value) ? Object.values(value)[0] : value;
}

function expectScalar(slot: Slot, value: Json | undefined): void {
  if (typeof value === 'string') {
    expect(scan.text(slot)).toBe(value);
    expect(scan.has(slot)).toBe(value !== '');
    expect(scan.isString(slot)).toBe(true);
    if (scan.isPlain(slot)) {
      const bytes = Buffer.from(scan.bytes.slice(scan.start(slot), scan.stop(slot)));
      expect(bytes.toString('latin1')).toBe(value);
    }
  } else if (typeof value === 'number') {
    expect(scan.isNumber(slot)).toBe(true);
    expect(Number(scan.text(slot))).toBe(value);
  } else if (typeof value === 'boolean') expect(scan.boolean(slot)).toBe(value);
  else expect(scan.has(slot)).toBe(false);
}

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

function expectSlots(record: Json): void {
  expectScalar(SCALAR, unwrap(at(record, 'a')));
  const id = unwrap(at(record, 'id'));
  expectScalar(ID, id);
  const isUuid = typeof id === 'string' && UUID.test(id) && [32, 36].includes(id.length);
  expect(scan.isUuid(ID)).toBe(isUuid);
  if (isUuid) expect(uuidWords()).toBe(id.replaceAll('-', '').toLowerCase());
  const integer = unwrap(at(record, 'n'));
  expectScalar(INTEGER, integer);
  const digits = typeof integer === 'string' || typeof integer === 'number' ? scan.text(INTEGER) : '';
  const fits = /^-?(0|[1-9]\d{0,18})$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
  expect(scan.isInteger(INTEGER)).toBe(fits);
  if (fits) expect(integerValue()).toBe(BigInt(digits));
  const word = unwrap(at(record, 'w'));
  expectScalar(SYMBOL, word);
  if (typeof word === 'string' && word !== '')
    expect(scan.symbols[scan.symbolNumber(SYMBOL)]).toBe(word.toWellFormed());
  else expect(scan.symbolNumber(SYMBOL)).toBe(-1);
  const raw = at(record, 'raw');
  expect(scan.isRaw(RAW)).toBe(typeof raw === 'object' && raw !== null);
  if (scan.isRaw(RAW)) expect(JSON.parse(scan.text(RAW))).toEqual(raw);
  else expectScalar(RAW, raw);
}

function uuidWords(): string {
  return [0, 1, 2, 3].map((i) => scan.word(ID, i).toString(16).padStart(8, '0')).join('');
}

function integerValue(): bigint {
  return (BigInt(scan.word(INTEGER, 1) | 0) << 32n) | BigInt(scan.word(INTEGER, 0));
}

const ESCAPED_DIGIT = /\\u00(?:2d|3\d|4[1-6]|6[1-6])/i;

describe('a field', () => {
  it('equals the result of JSON.parse at the same path', () => {
    fc.assert(
      fc.property(recordText, (text) => {
        // A number or identifier with escapes is not converted: see the test of integers.
        fc.pre(!ESCAPED_DIGIT.test(text));
        expect(scanLine(text)).toBeUndefined();
        expectSlots(parse(text) as Json);
      }),
      { numRuns: 3000 },
    );
  });

  it('is the value inside a union with any name', () => {
    fc.assert(
      fc.property(stringText, scalarText, (name, value) => {
        expect(scanLine(`{"a":{${name}:${value}},"b":{"c":{"d":{${name}:${value}}}}}`)).toBeUndefined();
        expectScalar(SCALAR, JSON.parse(value) as Json);
        expectScalar(NESTED, JSON.parse(value) as Json);
      }),
      { numRuns: 500 },
    );
  });

  it('is the last of several members with the same key', () => {
    fc.assert(
      fc.property(fc.array(fieldText, { minLength: 2, maxLength: 4 }), (values) => {
        const text = `{${values.map((v) => `"a":${v},"n":${v},"w":${v},"raw":${v}`).join(',')},"z":1}`;
        expect(scanLine(text)).toBeUndefined();
        expectSlots(JSON.parse(text) as Json);
      }),
      { numRuns: 500 },
    );
  });

  it('may come from several paths', () => {
    expect(scanLine('{"b":{"map":{"d":"x"}}}')).toBeUndefined();
    expect(scan.text(NESTED)).toBe('x');
    expect(scanLine('{"b":{"c":{"d":"y"}}}')).toBeUndefined();
    expect(scan.text(NESTED)).toBe('y');
    expect(scanLine('{"b":{"d":"z"}}')).toBeUndefined();
    expect(scan.has(NESTED)).toBe(false);
  });

  it('may be a key that a star matches, or a value below it', () => {
    fc.assert(
      fc.property(stringText, scalarText, (key, value) => {
        expect(scanLine(`{"any":{${key}:{"x":${value}}}}`)).toBeUndefined();
        const name = JSON.parse(key) as string;
        expectScalar(KEY, name);
        if (name !== '') expect(scan.symbols[scan.symbolNumber(KEY)]).toBe(name.toWellFormed());
        expectScalar(UNDER_KEY, JSON.parse(value) as Json);
      }),
      { numRuns: 500 },
    );
  });

  it('is cleared before the next line', () => {
    scanLine(
      '{"a":"x","id":"00000000-0000-0000-0000-000000000001","n":7,"w":"q","raw":[1],"any":{"k":{"x":1}}}',
    );
    expect(scanLine('{}')).toBeUndefined();
    for (const slot of [SCALAR, NESTED, ID, INTEGER, SYMBOL, RAW, KEY, UNDER_KEY]) {
      expect(scan.has(slot)).toBe(false);
      expect(scan.text(slot)).toBe('');
      expect(scan.isUuid(slot) || scan.isInteger(slot) || scan.isRaw(slot)).toBe(false);
    }
    expect(scan.symbolNumber(SYMBOL)).toBe(-1);
  });

  it('can be compared with an ASCII text', () => {
    scanLine('{"a":"EVENT_OPEN"}');
    expect(scan.is(SCALAR, 'EVENT_OPEN')).toBe(true);
    for (const other of ['EVENT_OPE', 'EVENT_OPEN ', 'event_open', ''])
      expect(scan.is(SCALAR, other)).toBe(false);
  });

  it('is absent for keys that only resemble its key', () => {
    for (const key of ['', 'A', 'aa', 'a ', ' a', 'b.c.d', 'ra', 'raww']) {
      expect(scanLine(`{${JSON.stringify(key)}:"x"}`)).toBeUndefined();
      expect([SCALAR, NESTED, RAW].some((slot) => scan.has(slot))).toBe(false);
    }
  });
});

describe('integers', () => {
  const taken = (text: string): bigint | undefined => {
    expect(scanLine(`{"n":${text}}`)).toBeUndefined();
    return scan.isInteger(INTEGER) ? integerValue() : undefined;
  };

  it('are exact to 64 bits', () => {
    const edges = [2n ** 63n - 1n, -(2n ** 63n) + 1n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 32n, 0n, -1n];
    for (const value of [...edges, 1_523_637_968_165_000_001n, 999_999_999_999_999_999n]) {
      expect(taken(String(value))).toBe(value);
      expect(taken(`"${value}"`)).toBe(value);
      expect(scan.digits(INTEGER)).toBe(String(value).replace('-', '').length);
    }
  });

  it('are not converted if they do not fit or are not plain', () => {
    for (const value of [2n ** 63n, -(2n ** 63n) - 1n, 2n ** 64n, 10n ** 19n, 10n ** 30n])
      expect(taken(String(value))).toBeUndefined();
    for (const text of [
      '1.0',
      '1e3',
      '0.5',
      '"01"',
      '"-"',
      '""',
      '"1 "',
      '"+1"',
      '"-01"',
      '"\\u0031"',
      'true',
    ])
      expect(taken(text)).toBeUndefined();
  });
});

describe('UUIDs', () => {
  it('are converted in either case, with or without dashes', () => {
    const id = '01234567-89ab-cdef-fedc-ba9876543210';
    for (const text of [id, id.toUpperCase(), id.replaceAll('-', ''), id.replaceAll('-', '').toUpperCase()]) {
      expect(scanLine(`{"id":"${text}"}`)).toBeUndefined();
      expect(scan.isUuid(ID)).toBe(true);
      expect(uuidWords()).toBe(id.replaceAll('-', ''));
    }
  });

  it('must have 32 hexadecimal digits, and dashes in their places', () => {
    const id = '01234567-89ab-cdef-fedc-ba9876543210';
    for (let i = 0; i < id.length; i++) {
      for (const wrong of ['g', '-', ':', '@', '`', '/', ' ', '0']) {
        const text = id.slice(0, i) + wrong + id.slice(i + 1);
        scanLine(`{"id":"${text}"}`);
        expect(scan.isUuid(ID), text).toBe(text === id || (id[i] !== '-' && wrong === '0'));
      }
    }
  });
});

describe('symbols', () => {
  const fresh = (): JsonScan => new JsonScan(new ScanMemory(BLOCK, 1), shape, MAX_LINE);

  it('keep their numbers in all blocks', () => {
    const numbers = new Map<string, number>();
    for (const word of ['EVENT_READ', 'EVENT_WRITE', 'EVENT_READ', 'é', 'EVENT_REA', 'EVENT_READ']) {
      scanLine(`{"w":"${word}"}`);
      const number = scan.symbolNumber(SYMBOL);
      expect(numbers.get(word) ?? number).toBe(number);
      numbers.set(word, number);
      expect(scan.symbols[number]).toBe(word);
    }
    expect(new Set(numbers.values()).size).toBe(4);
  });

  it('have numbers beyond the size of the kernel’s dictionary', () => {
    const own = new ScanMemory(1 << 20, 1);
    const crowded = new JsonScan(own, shape, MAX_LINE);
    const lines = Buffer.from(Array.from({ length: 9000 }, (_, i) => `{"w":"word-${i}"}\n`).join(''));
    const numbersOf = (): number[] => {
      own.blocks[0].set(lines);
      crowded.begin(own.blocks[0], lines.length);
      const numbers: number[] = [];
      while (crowded.next() === LINE.record) numbers.push(crowded.symbolNumber(SYMBOL));
      return numbers;
    };
    const first = numbersOf();
    expect(first.length).toBe(9000);
    expect(first).toEqual(Array.from({ length: 9000 }, (_, i) => i));
    expect(numbersOf()).toEqual(first);
    expect(crowded.symbols[4711]).toBe('word-4711');
    expect(crowded.symbols[8999]).toBe('word-8999');
  });

  it('may have any length', () => {
    expect(fresh().symbols).toEqual([]);
    const long = 'x'.repeat(MAX_LINE - 20);
    expect(scanLine(`{"w":"${long}"}`)).toBeUndefined();
    expect(scan.text(SYMBOL)).toBe(long);
  });
});
