import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  JsonScan,
  LINE_BLANK,
  LINE_END,
  LINE_MALFORMED,
  LINE_OVERSIZE,
  LINE_RECORD,
  ScanMemory,
} from '../../src/ingest/json-scan.js';
import { Shape, type Slot } from '../../src/ingest/shape.js';

const BLOCK = 1 << 17;
const MAX_LINE = 100_000;
const MAX_DEPTH = 64;

const memory = new ScanMemory(BLOCK, 1);
const [block] = memory.blocks;
const shape = new Shape();
const SCALAR = shape.scalar('a');
const NESTED = shape.scalar('b.c.d', 'b.map.d');
const ID = shape.uuid('id');
const INTEGER = shape.integer('n');
const WORD = shape.word('w');
const RAW = shape.raw('raw');
const KEY = shape.key('any.*');
const UNDER_KEY = shape.scalar('any.*.x');
const scan = new JsonScan(memory, shape, MAX_LINE);

/** Bytes that would change what is read if the scan looked past the end of its block. */
const HOSTILE = Buffer.from('"}]1e9,:{\\u0041\xff0-.truefalsenull\n', 'latin1');

function begin(content: string | Uint8Array): void {
  const bytes = Buffer.from(content as string);
  block.set(bytes);
  for (let i = bytes.length; i < bytes.length + 256; i++)
    block[i] = HOSTILE[(i - bytes.length) % HOSTILE.length];
  scan.begin(block, bytes.length);
}

/** Scans one line: a reason if it is not read. */
function scanLine(line: string | Uint8Array): string | undefined {
  begin(line);
  const found = scan.next();
  const reason = found === LINE_RECORD ? undefined : found === LINE_BLANK ? 'blank' : scan.failure().reason;
  expect(scan.next()).toBe(LINE_END);
  return reason;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
  expectScalar(WORD, word);
  if (typeof word === 'string' && word !== '')
    expect(scan.words[scan.wordNumber(WORD)]).toBe(word.toWellFormed());
  else expect(scan.wordNumber(WORD)).toBe(-1);
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

const space = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.array(fc.constantFrom(' ', '\t', '\r'), { maxLength: 20 }).map((parts) => parts.join('')),
);
const hex = (value: number): string => value.toString(16).padStart(4, '0');
const character = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }) },
);
/** A JSON string with its quotes: text of any kind, with and without need to escape it. */
const stringText = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: character.map((text) => JSON.stringify(text).slice(1, -1)) },
      fc.constantFrom('\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '/', '\u2028', '\u007f'),
      fc.nat(0xffff).map((unit) => `\\u${hex(unit)}`),
      fc.nat(0xffff).map((unit) => `\\u${hex(unit).toUpperCase()}`),
    ),
    { maxLength: 8 },
  )
  .map((parts) => `"${parts.join('')}"`);
const someDigits = fc.stringMatching(/^\d{1,25}$/);
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,21}$/)),
    fc.oneof(
      { weight: 2, arbitrary: fc.constant('') },
      someDigits.map((digits) => `.${digits}`),
    ),
    fc.oneof(
      { weight: 2, arbitrary: fc.constant('') },
      fc
        .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), someDigits)
        .map((parts) => parts.join('')),
    ),
  )
  .map((parts) => parts.join(''));
const scalarText = fc.oneof(
  { weight: 3, arbitrary: stringText },
  { weight: 2, arbitrary: numberText },
  fc.constantFrom('true', 'false', 'null', '""', '0', '-0'),
);

const around = (open: string, close: string, inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(space, fc.array(fc.tuple(inner, space, space), { maxLength: 4 }), space)
    .map(
      ([before, items, after]) =>
        `${open}${before}${items.map(([item, a, b]) => `${a}${item}${b}`).join(',')}${after}${close}`,
    );
const member = (key: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(key, space, space, value).map(([k, a, b, v]) => `${k}${a}:${b}${v}`);
/** Any JSON value, as text. */
const { valueText } = fc.letrec<{ valueText: string }>((tie) => ({
  valueText: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalarText,
    around('[', ']', tie('valueText')),
    around('{', '}', member(stringText, tie('valueText'))),
  ),
}));
const arrayText = around('[', ']', valueText);
/** A value for a field that may be wrapped in a union: an object there has exactly one member. */
const fieldText = fc.oneof(
  { weight: 4, arbitrary: scalarText },
  { weight: 3, arbitrary: member(stringText, scalarText).map((inner) => `{${inner}}`) },
  { weight: 1, arbitrary: member(stringText, arrayText).map((inner) => `{ ${inner} }`) },
  { weight: 1, arbitrary: arrayText },
);
const uuidText = fc
  .tuple(
    fc.uuid(),
    fc.constantFrom(
      (id: string) => id,
      (id: string) => id.toUpperCase(),
      (id: string) => id.replaceAll('-', ''),
      (id: string) => `${id.slice(0, -1)}g`,
      (id: string) => id.slice(1),
      (id: string) => id.replace('-', '0'),
      (id: string) => `${id}0`,
      (id: string) => `${id.slice(0, 7)}-${id.slice(7)}`,
    ),
  )
  .map(([id, change]) => JSON.stringify(change(id)));
const integerText = fc.oneof(
  numberText,
  numberText.map((text) => `"${text}"`),
  fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map((value) => `"${value}"`),
  fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map(String),
  fc.constantFrom('"+1"', '"01"', '"-"', '" 1"', '"0x1"', '01e'.slice(0, 1)),
);
const anyOf = (...texts: fc.Arbitrary<string>[]): fc.Arbitrary<string> => fc.oneof(...texts);
const knownMembers: readonly [string, fc.Arbitrary<string>][] = [
  ['"a"', fieldText],
  ['"id"', anyOf(uuidText, fieldText)],
  ['"n"', anyOf(integerText, fieldText)],
  ['"w"', anyOf(fc.constantFrom('"EVENT_READ"', '"EVENT_WRITE"', '"\\u0041"'), fieldText)],
  ['"raw"', valueText],
  [
    '"b"',
    member(
      fc.constant('"c"'),
      member(fc.constant('"d"'), fieldText).map((d) => `{${d}}`),
    ).map((c) => `{${c}}`),
  ],
];
/** Names that resemble those in the shape, and are not. */
const otherKey = fc.oneof(
  stringText,
  fc.constantFrom('""', '"aa"', '"A"', '"i"', '"idd"', '"ra"', '"raww"', '"__proto__"', '"constructor"'),
);
const wanted = new Set(['a', 'id', 'n', 'w', 'raw', 'b', 'any']);
const unknownMember = member(
  otherKey.filter((key) => !wanted.has(JSON.parse(key) as string)),
  valueText,
);
const knownMember = fc.oneof(
  ...knownMembers.map(([key, value]) => member(fc.constant(key), value).map((text) => ({ key, text }))),
);
/** A record: each known field at most once, among unknown ones. */
const recordText = fc
  .tuple(
    fc.uniqueArray(knownMember, { selector: ({ key }) => key, maxLength: 6 }),
    fc.array(unknownMember, { maxLength: 3 }),
    fc.infiniteStream(fc.nat()),
    fc.array(space, { minLength: 4, maxLength: 4 }),
  )
  .map(([known, unknown, order, [before, inside, end, after]]) => {
    const members = [...known.map(({ text }) => text), ...unknown]
      .map((text) => ({ text, order: order.next().value as number }))
      .sort((x, y) => x.order - y.order);
    return `${before}{${inside}${members.map(({ text }) => text).join(`${end},`)}${inside}}${after}`;
  });

/** Levels of brackets in the text of a valid record, and whether a field that may be a union is a wrong one. */
interface Documented {
  depth: number;
  wrongUnion: boolean;
}

/** Looks at every member, also at those that a later one of the same name replaces. */
function documentedLimits(line: string): Documented {
  const tokens = line.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gu) ?? [];
  const found: Documented = { depth: 0, wrongUnion: false };
  const fields = new Set(['a', 'id', 'n', 'w', 'b.c.d', 'b.map.d', 'any.*.x']);
  let next = 0;
  const value = (path: string, depth: number): void => {
    const token = tokens[next++];
    if (token !== '{' && token !== '[') return;
    let members = 0;
    while (tokens[next] !== '}' && tokens[next] !== ']') {
      members++;
      found.depth = Math.max(found.depth, depth + 1);
      let key = '[]';
      if (token === '{') {
        const quoted = tokens[next] as string;
        key = quoted.slice(1, -1);
        next += 2;
      }
      value(path === '' ? key : path === 'any' ? 'any.*' : `${path}.${key}`, depth + 1);
      if (tokens[next] === ',') next++;
    }
    next++;
    if (token === '{' && fields.has(path) && members !== 1) found.wrongUnion = true;
  };
  value('', 0);
  return found;
}

/** The scan takes a line exactly if JSON.parse does and it is an object, but for the two documented limits. */
function expectAgreement(bytes: Uint8Array): void {
  const line = Buffer.from(bytes).toString('utf8');
  const record = parse(line);
  const reason = scanLine(bytes);
  if (/^[ \t\r]*$/.test(line)) expect(reason).toBe(line === '' ? reason : 'blank');
  else if (!isObject(record)) expect(reason, line).toBeDefined();
  else if (reason !== undefined) {
    const { depth, wrongUnion } = documentedLimits(line);
    if (depth > MAX_DEPTH) expect(reason, line).toBe('nested deeper than 64 levels');
    // Two objects of one name would mix the fields of two records: which JSON.parse lets happen, and we do not.
    else if (reason === 'an object given twice') expect(line).toMatch(/"([^"]+)"\s*:.*"\1"\s*:/s);
    else expect([reason, wrongUnion], line).toEqual(['a union that does not have exactly one member', true]);
  }
}

const ESCAPED_DIGIT = /\\u00(?:2d|3\d|4[1-6]|6[1-6])/i;

describe('what is read', () => {
  it('is what JSON.parse reads at the same paths', () => {
    fc.assert(
      fc.property(recordText, (text) => {
        // A number or identifier with escapes is none: another test says so.
        fc.pre(!ESCAPED_DIGIT.test(text));
        expect(scanLine(text)).toBeUndefined();
        expectSlots(parse(text) as Json);
      }),
      { numRuns: 3000 },
    );
  });

  it('is the value inside a union, whatever the union is called', () => {
    fc.assert(
      fc.property(stringText, scalarText, (name, value) => {
        expect(scanLine(`{"a":{${name}:${value}},"b":{"c":{"d":{${name}:${value}}}}}`)).toBeUndefined();
        expectScalar(SCALAR, JSON.parse(value) as Json);
        expectScalar(NESTED, JSON.parse(value) as Json);
      }),
      { numRuns: 500 },
    );
  });

  it('is the last of members of the same name', () => {
    fc.assert(
      fc.property(fc.array(fieldText, { minLength: 2, maxLength: 4 }), (values) => {
        const text = `{${values.map((v) => `"a":${v},"n":${v},"w":${v},"raw":${v}`).join(',')},"z":1}`;
        expect(scanLine(text)).toBeUndefined();
        expectSlots(JSON.parse(text) as Json);
      }),
      { numRuns: 500 },
    );
  });

  it('comes from any of the paths that share a slot', () => {
    expect(scanLine('{"b":{"map":{"d":"x"}}}')).toBeUndefined();
    expect(scan.text(NESTED)).toBe('x');
    expect(scanLine('{"b":{"c":{"d":"y"}}}')).toBeUndefined();
    expect(scan.text(NESTED)).toBe('y');
    expect(scanLine('{"b":{"d":"z"}}')).toBeUndefined();
    expect(scan.has(NESTED)).toBe(false);
  });

  it('is the key that a star stands for, and what lies under it', () => {
    fc.assert(
      fc.property(stringText, scalarText, (key, value) => {
        expect(scanLine(`{"any":{${key}:{"x":${value}}}}`)).toBeUndefined();
        const name = JSON.parse(key) as string;
        expectScalar(KEY, name);
        if (name !== '') expect(scan.words[scan.wordNumber(KEY)]).toBe(name.toWellFormed());
        expectScalar(UNDER_KEY, JSON.parse(value) as Json);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves nothing of the line before', () => {
    scanLine(
      '{"a":"x","id":"00000000-0000-0000-0000-000000000001","n":7,"w":"q","raw":[1],"any":{"k":{"x":1}}}',
    );
    expect(scanLine('{}')).toBeUndefined();
    for (const slot of [SCALAR, NESTED, ID, INTEGER, WORD, RAW, KEY, UNDER_KEY]) {
      expect(scan.has(slot)).toBe(false);
      expect(scan.text(slot)).toBe('');
      expect(scan.isUuid(slot) || scan.isInteger(slot) || scan.isRaw(slot)).toBe(false);
    }
    expect(scan.wordNumber(WORD)).toBe(-1);
  });

  it('knows a text of ASCII when it sees it', () => {
    scanLine('{"a":"EVENT_OPEN"}');
    expect(scan.is(SCALAR, 'EVENT_OPEN')).toBe(true);
    for (const other of ['EVENT_OPE', 'EVENT_OPEN ', 'event_open', ''])
      expect(scan.is(SCALAR, other)).toBe(false);
  });

  it('is not what comes with a key that only resembles one', () => {
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

  it('are exact up to the last of 64 bits', () => {
    const edges = [2n ** 63n - 1n, -(2n ** 63n) + 1n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 32n, 0n, -1n];
    for (const value of [...edges, 1_523_637_968_165_000_001n, 999_999_999_999_999_999n]) {
      expect(taken(String(value))).toBe(value);
      expect(taken(`"${value}"`)).toBe(value);
      expect(scan.digits(INTEGER)).toBe(String(value).replace('-', '').length);
    }
  });

  it('are not taken where they do not fit or are not plain', () => {
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
  it('are their 128 bits in either case, with dashes or without', () => {
    const id = '01234567-89ab-cdef-fedc-ba9876543210';
    for (const text of [id, id.toUpperCase(), id.replaceAll('-', ''), id.replaceAll('-', '').toUpperCase()]) {
      expect(scanLine(`{"id":"${text}"}`)).toBeUndefined();
      expect(scan.isUuid(ID)).toBe(true);
      expect(uuidWords()).toBe(id.replaceAll('-', ''));
    }
  });

  it('have 32 digits of base 16 and dashes in their places', () => {
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

describe('words', () => {
  const fresh = (): JsonScan => new JsonScan(new ScanMemory(BLOCK, 1), shape, MAX_LINE);

  it('have one number each, kept from block to block', () => {
    const numbers = new Map<string, number>();
    for (const word of ['EVENT_READ', 'EVENT_WRITE', 'EVENT_READ', 'é', 'EVENT_REA', 'EVENT_READ']) {
      scanLine(`{"w":"${word}"}`);
      const number = scan.wordNumber(WORD);
      expect(numbers.get(word) ?? number).toBe(number);
      numbers.set(word, number);
      expect(scan.words[number]).toBe(word);
    }
    expect(new Set(numbers.values()).size).toBe(4);
  });

  it('run out after 8192, and then the host is told', () => {
    const own = new ScanMemory(1 << 20, 1);
    const crowded = new JsonScan(own, shape, MAX_LINE);
    const lines = Buffer.from(Array.from({ length: 9000 }, (_, i) => `{"w":"word-${i}"}\n`).join(''));
    const numbersOf = (): number[] => {
      own.blocks[0].set(lines);
      crowded.begin(own.blocks[0], lines.length);
      const numbers: number[] = [];
      while (crowded.next() === LINE_RECORD) numbers.push(crowded.wordNumber(WORD));
      return numbers;
    };
    const first = numbersOf();
    expect(first.length).toBe(9000);
    expect(first.indexOf(-2)).toBe(8192);
    expect(first.lastIndexOf(8191)).toBe(8191);
    expect(numbersOf()).toEqual(first);
    expect(crowded.words[4711]).toBe('word-4711');
  });

  it('of any length leave the scan whole', () => {
    expect(fresh().words).toEqual([]);
    const long = 'x'.repeat(MAX_LINE - 20);
    expect(scanLine(`{"w":"${long}"}`)).toBeUndefined();
    expect(scan.text(WORD)).toBe(long);
  });
});

describe('lines', () => {
  const kinds = (content: string | Uint8Array): number[] => {
    begin(content);
    const found: number[] = [];
    for (;;) {
      const kind = scan.next();
      if (kind === LINE_END) return found;
      found.push(kind);
    }
  };

  it('end in a newline, or with the block', () => {
    expect(kinds('')).toEqual([]);
    expect(kinds('\n')).toEqual([LINE_BLANK]);
    expect(kinds('{}')).toEqual([LINE_RECORD]);
    expect(kinds('{}\n')).toEqual([LINE_RECORD]);
    expect(kinds('{}\n\n \t\r\n{}\r\n[]\n{}')).toEqual([
      LINE_RECORD,
      LINE_BLANK,
      LINE_BLANK,
      LINE_RECORD,
      LINE_MALFORMED,
      LINE_RECORD,
    ]);
  });

  it('are each read as if alone', () => {
    const line = fc.oneof(recordText, fc.constantFrom('', ' ', '{', '[]', '{"a":"', 'null'));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.boolean(), (lines, closed) => {
        const alone = lines.map((text) => kinds(`${text}\n`)[0]);
        const content = lines.join('\n');
        // A text that ends without a newline has no line after its last one.
        const expected = closed || lines.at(-1) !== '' ? alone : alone.slice(0, -1);
        expect(kinds(closed && lines.length > 0 ? `${content}\n` : content)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('over the limit are counted and passed over, whatever is in them', () => {
    const at = (length: number): string => `{"a":"${'x'.repeat(length - 8)}"}`;
    expect(kinds(`${at(MAX_LINE)}\n{}`)).toEqual([LINE_RECORD, LINE_RECORD]);
    expect(kinds(`${at(MAX_LINE + 1)}\n{}`)).toEqual([LINE_OVERSIZE, LINE_RECORD]);
    expect(kinds(`${'"'.repeat(MAX_LINE + 1)}\n{}`)).toEqual([LINE_OVERSIZE, LINE_RECORD]);
    begin(at(MAX_LINE + 1));
    scan.next();
    expect(scan.lineLength).toBe(MAX_LINE + 1);
    expect(scan.sample(9)).toBe('{"a":"xxx');
  });

  it('that are wrong say why and where', () => {
    const cases: [string, string, number][] = [
      ['[1]', 'not a JSON object', 1],
      ['  x', 'not a JSON object', 3],
      ['{"a":1', 'ends too early', 7],
      ['{"a":"x', 'ends too early', 8],
      ['{"a":', 'ends too early', 6],
      ['{"a"}', 'expected a colon', 5],
      ['{a:1}', 'expected a key', 2],
      ['{"a":1,}', 'expected a key', 8],
      ['{"a":x}', 'expected a value', 6],
      ['{"a":1 "b":2}', 'expected a comma or a closing bracket', 8],
      ['{"a":[1}', 'expected a comma or a closing bracket', 8],
      ['{} {}', 'text after the end of the record', 4],
      ['{"a":"\\x"}', 'a wrong escape in a string', 7],
      ['{"a":"\u0001"}', 'a control character inside a string', 7],
      ['{"a":{}}', 'a union that does not have exactly one member', 7],
      ['{"a":{"x":1,"y":2}}', 'a union that does not have exactly one member', 12],
      [`{"q":${'['.repeat(80)}1`, 'nested deeper than 64 levels', 70],
    ];
    for (const [line, reason, column] of cases) {
      begin(line);
      expect(scan.next(), line).toBe(LINE_MALFORMED);
      expect(scan.failure(), line).toEqual({ reason, column });
    }
  });
});

describe('agreement with JSON.parse', () => {
  it('on records with bytes flipped, taken out, put in or cut off', () => {
    const change = fc.record({
      at: fc.nat(),
      how: fc.constantFrom('flip', 'set', 'delete', 'insert', 'cut', 'double'),
      byte: fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\{}[]:,.-+0123eEtfnul \t\r\u0000'))),
    });
    fc.assert(
      fc.property(recordText, fc.array(change, { minLength: 1, maxLength: 3 }), (text, changes) => {
        let bytes = Buffer.from(text);
        for (const { at: where, how, byte } of changes) {
          const i = where % (bytes.length + 1);
          const [head, tail] = [bytes.subarray(0, i), bytes.subarray(i)];
          if (how === 'flip' && i < bytes.length) bytes[i] ^= 1 << (byte & 7);
          if (how === 'set' && i < bytes.length) bytes[i] = byte;
          if (how === 'delete') bytes = Buffer.concat([head, tail.subarray(1)]);
          if (how === 'insert') bytes = Buffer.concat([head, Buffer.of(byte), tail]);
          if (how === 'cut') bytes = Buffer.from(head);
          if (how === 'double') bytes = Buffer.concat([head, tail.subarray(0, 9), tail]);
        }
        expectAgreement(bytes.filter((byte) => byte !== 0x0a));
      }),
      { numRuns: 4000 },
    );
  });

  it('on pieces of JSON in any order', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '"a"',
      '"b"',
      '"c"',
      '"d"',
      '"n"',
      '"id"',
      '"raw"',
      '\\',
      '\\u00',
      '1',
    ];
    const more = [
      '-',
      '.',
      'e',
      '0',
      'true',
      'null',
      'fals',
      'false',
      ' ',
      '{}',
      '[]',
      '"x":1',
      '{"a":',
      '"any":{',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 14 }), (parts) => {
        expectAgreement(Buffer.from(parts.join('')));
        expectAgreement(Buffer.from(`{"q":${parts.join('')}}`));
        expectAgreement(Buffer.from(`{"a":${parts.join('')}}`));
      }),
      { numRuns: 4000 },
    );
  });

  it('on every single byte in every place of a record', () => {
    const record = Buffer.from('{"a":"x\\u0041","n":-1.5e3,"q":[true,null,{}]}');
    for (let i = 0; i < record.length; i++) {
      for (let byte = 0; byte < 256; byte++) {
        if (byte === 0x0a) continue;
        const changed = Buffer.from(record);
        changed[i] = byte;
        expectAgreement(changed);
      }
    }
  });

  it('on nesting, up to 64 levels', () => {
    const nested = (open: string, close: string, levels: number): string =>
      `{"q":${open.repeat(levels)}1${close.repeat(levels)}}`;
    for (const [open, close] of [
      ['[', ']'],
      ['{"k":', '}'],
      ['[{"k":', '}]'],
    ] as const) {
      const step = open.length === 6 ? 2 : 1;
      for (let levels = 1; levels <= (MAX_DEPTH - 1) / step; levels++)
        expect(scanLine(nested(open, close, levels))).toBeUndefined();
      for (const levels of [MAX_DEPTH + 1, 1000, 15_000])
        expect(scanLine(nested(open, close, levels))).toBe('nested deeper than 64 levels');
    }
    const deep = `[[${'{"k":['.repeat(30)}"x"${']}'.repeat(30)}]]`;
    expect(scanLine(`{"raw":${deep},"a":"after"}`)).toBeUndefined();
    expect(scan.text(RAW)).toBe(deep);
    expect(scan.text(SCALAR)).toBe('after');
  });
});

describe('bytes of any kind', () => {
  it('never throw, and every line is accounted for', () => {
    const soup = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .array(fc.constantFrom(...Buffer.from('{}[]":,\\u0-9.eE+tfn \n\r\x00\xff', 'latin1')), {
          maxLength: 300,
        })
        .map((bytes) => Uint8Array.from(bytes)),
    );
    fc.assert(
      fc.property(soup, (bytes) => {
        begin(bytes);
        const newlines = bytes.filter((byte) => byte === 0x0a).length;
        let lines = 0;
        let length = 0;
        while (scan.next() !== LINE_END) {
          lines++;
          length += scan.lineLength;
        }
        const open = bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0;
        expect([lines, length]).toEqual([newlines + open, bytes.length - newlines]);
      }),
      { numRuns: 5000 },
    );
  });

  it('after the end of the block are never looked at', () => {
    const beginnings = [
      '{"a":"x',
      '{"a":tru',
      '{"a":fals',
      '{"a":1',
      '{"a":1e',
      '{"a":-',
      '{"a":"\\',
      '{"a":"\\u00',
      '{"a":nul',
      '{"a"',
      '{"a":[1,{"b":2',
    ];
    const ends = ['"}', 'e"}', '41"}', '5}', '}', ':1}', '}]}', 'l}', 'true}', '\\"}'];
    for (const beginning of beginnings) {
      for (const end of ends) {
        for (const gap of ['', '\n', ' ']) {
          const bytes = Buffer.from(beginning);
          block.set(bytes);
          block.set(Buffer.from(`\n${gap}${end}${end}`), bytes.length);
          scan.begin(block, bytes.length);
          expect(scan.next()).toBe(LINE_MALFORMED);
          expect(scan.failure().column).toBeLessThanOrEqual(bytes.length + 1);
          expect(scan.next()).toBe(LINE_END);
        }
      }
    }
  });

  it('that fill a block to its last byte are read', () => {
    const own = new ScanMemory(1000, 2);
    const exact = new JsonScan(own, shape, 1000);
    for (const bytes of own.blocks) {
      const text = `{"a":"${'x'.repeat(992)}"}`;
      bytes.fill(0x22);
      bytes.set(Buffer.from(text));
      exact.begin(bytes, 1000);
      expect(exact.next()).toBe(LINE_RECORD);
      expect(exact.text(SCALAR)).toBe('x'.repeat(992));
      expect(exact.next()).toBe(LINE_END);
    }
  });
});
