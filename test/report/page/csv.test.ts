import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UNSAFE } from '../../../src/base/printable.js';
import { csv, csvLink, csvRecord } from '../../../src/report/page/csv.js';
import { HOSTILE } from '../hostile.js';

/** A simple reader of RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (text[at] === '"') at++;
        cell += text[at];
      }
      at++;
    } else while (at < text.length && text[at] !== ',' && text[at] !== '\r') cell += text[at++];
    rows[rows.length - 1].push(cell);
    if (text[at] === ',') at++;
    else {
      expect(text.slice(at, at + 2)).toBe('\r\n');
      at += 2;
      rows.push([]);
    }
  }
  rows.pop();
  return rows;
}

test('cells are read back as written, except for the apostrophe', () => {
  const plain = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => text.search(UNSAFE) < 0);
  const table = fc.array(fc.array(plain, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(table, (rows) => {
      const expected = rows.map((row) =>
        row.map((cell) =>
          cell.replace(/^(?=[=+\-@＝＋－＠])/u, "'").replace(/([;|])(?=[\s"]*[=+\-@＝＋－＠])/gu, "$1'"),
        ),
      );
      expect(parse(rows.map(csvRecord).join(''))).toEqual(expected);
    }),
  );
});

test.each(['=1+1', '+1', '-1', '@x', '\tx', '\rx', '\nx', '＝1'])('%j gets an apostrophe', (text) => {
  expect(csvRecord([text])).toMatch(/^"?'/);
});

test('numbers stay numbers, and null is an empty cell', () => {
  expect(csvRecord([-1.5, 10n, true, null, undefined, ''])).toBe('-1.5,10,true,,,""\r\n');
});

test('hostile names give one line per record, no control character and no formula', () => {
  const lines = csv(
    ['name'],
    Object.values(HOSTILE).map((text) => [text]),
  ).split('\r\n');
  expect(lines).toHaveLength(Object.keys(HOSTILE).length + 2);
  for (const line of lines) {
    expect(line).not.toMatch(UNSAFE);
    expect(line).not.toMatch(/^"?[=+\-@]/);
  }
  expect(lines.find((line) => line.includes('AAAA'))).toHaveLength(HOSTILE.long.length);
});

test('a link contains the bytes of the file', () => {
  const text = csv(['ä'], [['→']]);
  expect(Buffer.from(csvLink(text).split(',')[1], 'base64').toString('utf8')).toBe(text);
});

test('no reader sees a formula, whichever separator it splits at', () => {
  const names = [
    'a;=cmd()',
    'x|@SUM(1)',
    'p; +1',
    'q;"=1"',
    'k;＝1',
    ';=1',
    '=1;=2',
    'a,b;-2',
    '"";=1',
    'ls -la; --x',
  ];
  const text = csv(
    ['name', 'n'],
    names.map((name) => [name, -1]),
  );
  for (const separator of [';', '|', '\t']) {
    for (const line of text.split('\r\n')) {
      // Such a reader takes quotes within a field as they are, and may drop them or spaces at its start.
      for (const cell of line.split(separator))
        expect(cell.replace(/^[\s"]+/, '')).not.toMatch(/^[=+\-@＝＋－＠]/u);
    }
  }
  for (const [cell] of parse(text)) expect(cell).not.toMatch(/^[=+\-@＝＋－＠]/u);
});
