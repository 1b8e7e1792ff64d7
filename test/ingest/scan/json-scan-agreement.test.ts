import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordText } from './json-texts.js';
import { isObject, parse, RAW, SCALAR, scan, scanLine } from './scanning.js';

const MAX_DEPTH = 64;

/** The nesting of a valid record, and whether it has an invalid union. */
interface Limits {
  depth: number;
  wrongUnion: boolean;
}

/** Visits every member, including those that a later member with the same key replaces. */
function limitsOf(line: string): Limits {
  const tokens = line.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gu) ?? [];
  const found: Limits = { depth: 0, wrongUnion: false };
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

/** Checks that the scan accepts a line if and only if JSON.parse gives an object, except for the documented limits. */
function expectAgreement(bytes: Uint8Array): void {
  const line = Buffer.from(bytes).toString('utf8');
  const record = parse(line);
  const reason = scanLine(bytes);
  if (/^[ \t\r]*$/.test(line)) expect(reason).toBe(line === '' ? reason : 'blank');
  else if (!isObject(record)) expect(reason, line).toBeDefined();
  else if (reason !== undefined) {
    const { depth, wrongUnion } = limitsOf(line);
    if (depth > MAX_DEPTH) expect(reason, line).toBe('nested deeper than 64 levels');
    // Unlike JSON.parse, the scan rejects two objects with the same key.
    else if (reason === 'duplicate key') expect(line).toMatch(/"([^"]+)"\s*:.*"\1"\s*:/s);
    else expect([reason, wrongUnion], line).toEqual(['a union must have exactly one member', true]);
  }
}

describe('agreement with JSON.parse', () => {
  it('on records with flipped, removed, inserted or truncated bytes', () => {
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
