import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvRows } from '../../../src/evaluate/labels/csv-rows.js';

const rows = (text: string) => [...csvRows(text, 'x.csv')];

describe('CSV rows', () => {
  it('handle quotes, commas, line ends and doubled quotes', () => {
    expect(rows('a,b\r\n"1,2","say ""x""\nagain"\r\n3,\n')).toEqual([
      { cells: ['a', 'b'], line: 1 },
      { cells: ['1,2', 'say "x"\nagain'], line: 2 },
      { cells: ['3', ''], line: 4 },
    ]);
  });

  it('skip blank lines and comments, and count them as lines', () => {
    expect(rows('# labels\n\n  \na,b\n # more\n"c",d')).toEqual([
      { cells: ['a', 'b'], line: 4 },
      { cells: ['c', 'd'], line: 6 },
    ]);
    expect(rows('')).toEqual([]);
    expect(rows('\n\n')).toEqual([]);
  });

  it('refuse a malformed quoted cell, with its line', () => {
    expect(() => rows('a\nb,"c')).toThrow(
      expect.objectContaining({ code: 'labels-row', where: { file: 'x.csv', line: 2 } }),
    );
    expect(() => rows('a\n\n"b"c\n')).toThrow(
      expect.objectContaining({ code: 'labels-row', where: { file: 'x.csv', line: 3 } }),
    );
  });

  it('return the cells that were written', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', '#', 'é'), maxLength: 6 });
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const ending = fc.constantFrom('\n', '\r\n');
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
        ending,
        (table, end) => {
          const text = table.map((row) => row.map(quote).join(',') + end).join('');
          expect(rows(text).map((row) => row.cells)).toEqual(table);
        },
      ),
    );
    const plain = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-'), maxLength: 4 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constant('x'), plain, plain)), ending, (table, end) => {
        const text = table.map((row) => row.join(',')).join(end);
        expect(rows(text).map((row) => row.cells)).toEqual(table);
      }),
    );
  });
});
