import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonScan, LINE, ScanMemory } from '../../../src/ingest/scan/json-scan.js';
import { recordText } from './json-texts.js';
import { begin, block, MAX_LINE, SCALAR, scan, shape } from './scanning.js';

describe('lines', () => {
  const kinds = (content: string | Uint8Array): number[] => {
    begin(content);
    const found: number[] = [];
    for (;;) {
      const kind = scan.next();
      if (kind === LINE.end) return found;
      found.push(kind);
    }
  };

  it('end with a newline or with the block', () => {
    expect(kinds('')).toEqual([]);
    expect(kinds('\n')).toEqual([LINE.blank]);
    expect(kinds('{}')).toEqual([LINE.record]);
    expect(kinds('{}\n')).toEqual([LINE.record]);
    expect(kinds('{}\n\n \t\r\n{}\r\n[]\n{}')).toEqual([
      LINE.record,
      LINE.blank,
      LINE.blank,
      LINE.record,
      LINE.malformed,
      LINE.record,
    ]);
  });

  it('are independent of each other', () => {
    const line = fc.oneof(recordText, fc.constantFrom('', ' ', '{', '[]', '{"a":"', 'null'));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.boolean(), (lines, closed) => {
        const alone = lines.map((text) => kinds(`${text}\n`)[0]);
        const content = lines.join('\n');
        // An empty last line needs a newline to count.
        const expected = closed || lines.at(-1) !== '' ? alone : alone.slice(0, -1);
        expect(kinds(closed && lines.length > 0 ? `${content}\n` : content)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('over the limit are skipped, with any content', () => {
    const at = (length: number): string => `{"a":"${'x'.repeat(length - 8)}"}`;
    expect(kinds(`${at(MAX_LINE)}\n{}`)).toEqual([LINE.record, LINE.record]);
    expect(kinds(`${at(MAX_LINE + 1)}\n{}`)).toEqual([LINE.oversize, LINE.record]);
    expect(kinds(`${'"'.repeat(MAX_LINE + 1)}\n{}`)).toEqual([LINE.oversize, LINE.record]);
    begin(at(MAX_LINE + 1));
    scan.next();
    expect(scan.lineLength).toBe(MAX_LINE + 1);
    expect(scan.sample(9)).toBe('{"a":"xxx');
  });

  it('that are malformed have a reason and a column', () => {
    const cases: [string, string, number][] = [
      ['[1]', 'not a JSON object', 1],
      ['  x', 'not a JSON object', 3],
      ['{"a":1', 'incomplete record', 7],
      ['{"a":"x', 'incomplete record', 8],
      ['{"a":', 'incomplete record', 6],
      ['{"a"}', 'expected a colon', 5],
      ['{a:1}', 'expected a key', 2],
      ['{"a":1,}', 'expected a key', 8],
      ['{"a":x}', 'expected a value', 6],
      ['{"a":1 "b":2}', 'expected a comma or a closing bracket', 8],
      ['{"a":[1}', 'expected a comma or a closing bracket', 8],
      ['{} {}', 'text after the end of the record', 4],
      ['{"a":"\\x"}', 'invalid escape in a string', 7],
      ['{"a":"\u0001"}', 'control character in a string', 7],
      ['{"a":{}}', 'a union must have exactly one member', 7],
      ['{"a":{"x":1,"y":2}}', 'a union must have exactly one member', 12],
      [`{"q":${'['.repeat(80)}1`, 'nested deeper than 64 levels', 70],
    ];
    for (const [line, reason, column] of cases) {
      begin(line);
      expect(scan.next(), line).toBe(LINE.malformed);
      expect(scan.failure(), line).toEqual({ reason, column });
    }
  });
});

describe('any bytes', () => {
  it('never throw, and every line is counted', () => {
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .array(fc.constantFrom(...Buffer.from('{}[]":,\\u0-9.eE+tfn \n\r\x00\xff', 'latin1')), {
          maxLength: 300,
        })
        .map((bytes) => Uint8Array.from(bytes)),
    );
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        begin(bytes);
        const newlines = bytes.filter((byte) => byte === 0x0a).length;
        let lines = 0;
        let length = 0;
        while (scan.next() !== LINE.end) {
          lines++;
          length += scan.lineLength;
        }
        const open = bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0;
        expect([lines, length]).toEqual([newlines + open, bytes.length - newlines]);
      }),
      { numRuns: 5000 },
    );
  });

  it('after the end of the block have no effect', () => {
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
          expect(scan.next()).toBe(LINE.malformed);
          expect(scan.failure().column).toBeLessThanOrEqual(bytes.length + 1);
          expect(scan.next()).toBe(LINE.end);
        }
      }
    }
  });

  it('may fill a block to its last byte', () => {
    const own = new ScanMemory(1000, 2);
    const exact = new JsonScan(own, shape, 1000);
    for (const bytes of own.blocks) {
      const text = `{"a":"${'x'.repeat(992)}"}`;
      bytes.fill(0x22);
      bytes.set(Buffer.from(text));
      exact.begin(bytes, 1000);
      expect(exact.next()).toBe(LINE.record);
      expect(exact.text(SCALAR)).toBe('x'.repeat(992));
      expect(exact.next()).toBe(LINE.end);
    }
  });
});
