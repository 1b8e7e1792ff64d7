import { describe, expect, test } from 'vitest';
import { columnsOf, cutTo } from '../../../src/cli/terminal/columns.js';
import { renderHistogram } from '../../../src/cli/terminal/histogram.js';
import { renderTable } from '../../../src/cli/terminal/tables.js';

const wide = { width: Number.POSITIVE_INFINITY, unicode: true };

describe('tables', () => {
  const rows = [
    ['/usr/bin/bash', 1234567, 12n, true],
    ['漢字.txt', 5, 9007199254740993n, false],
    ['x\u001b[2J', undefined, 0n, undefined],
  ];

  test('numbers are right-aligned and grouped, texts are left-aligned and printable', () => {
    expect(renderTable(['name', 'events', 'bytes', 'ok'], rows, wide)).toEqual([
      'name              events                  bytes  ok',
      '/usr/bin/bash  1,234,567                     12  yes',
      '漢字.txt               5  9,007,199,254,740,993  no',
      'x\\e[2J                                        0',
    ]);
  });

  test('the widest texts are cut, numbers never', () => {
    const long = [['a'.repeat(60), 'b'.repeat(30), 1234567]];
    const [head, row] = renderTable(['one', 'two', 'n'], long, { width: 70, unicode: true });
    expect(columnsOf(row)).toBe(70);
    expect(row).toMatch(/^a+… {2}b+… {2}1,234,567$/);
    expect(head).toMatch(/^one +two +n$/);
    expect(renderTable(['one', 'two', 'n'], long, { width: 70, unicode: false })[1]).toContain('a~');
    // Numbers are complete even if nothing fits.
    expect(
      renderTable(['one', 'n'], [['a'.repeat(9), 1234567]], { width: 5, unicode: true }).join('\n'),
    ).toContain('1,234,567');
  });

  test('rows take several lines if cutting does not suffice', () => {
    const relation = (name: string) => [
      'reconstruction',
      `EVENT_${name}_ATTRIBUTES`,
      12,
      'p from the tail model',
    ];
    const rows = [relation('READ'), relation('RENAME')];
    const lines = renderTable(['evidence', 'relation', 'n', 'notes'], rows, { width: 40, unicode: true });
    expect(lines).toEqual([
      'evidence        relation',
      '    n  notes',
      'reconstruction  EVENT_READ_ATTRIBUTES',
      '   12  p from the tail model',
      'reconstruction  EVENT_RENAME_ATTRIBUTES',
      '   12  p from the tail model',
    ]);
  });

  test('an empty last cell takes no line', () => {
    const rows = [
      ['a'.repeat(30), 'b'.repeat(30), ''],
      ['c', 'd', 'x'.repeat(30)],
    ];
    const lines = renderTable(['one', 'two', 'notes'], rows, { width: 70, unicode: true });
    expect(lines.every((line) => line.trim() !== '')).toBe(true);
  });

  test('a sentence in the last column is broken at blanks, and cut after three lines', () => {
    const words = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ');
    const [, , first, ...rest] = renderTable(['name', 'what'], [['x', words]], { width: 30, unicode: true });
    expect(first).toBe('x');
    expect(rest).toEqual([
      '   word0 word1 word2 word3',
      '   word4 word5 word6 word7',
      '   word8 word9 word10 word11 …',
    ]);
  });

  test('a table without rows is only a heading', () => {
    expect(renderTable(['a', 'b'], [], wide)).toEqual(['a  b']);
  });
});

describe('columns', () => {
  test.each([
    ['abc', 3],
    ['漢字', 4],
    ['e\u0301', 1],
    ['', 0],
  ])('%s has width %i', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });

  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['漢字漢字', 6, '漢字…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('%s cut to %i', (text, width, expected) => {
    expect(cutTo(text, width)).toBe(expected);
  });
});

describe('histogram', () => {
  const bars = [
    { label: 'read', count: 1_000_000 },
    { label: 'exec\n', count: 1000 },
    { label: 'rare', count: 1 },
    { label: 'never', count: 0 },
  ];

  test('uses a log scale, and every count above zero has a bar', () => {
    expect(renderHistogram(bars, { width: 45, unicode: true })).toEqual([
      'read    1,000,000  ██████████████████████████',
      'exec\\n      1,000  █████████████',
      'rare            1  █▎',
      'never           0',
    ]);
  });

  test('draws bars in ASCII', () => {
    expect(renderHistogram(bars, { width: 45, unicode: false })[1]).toBe('exec\\n      1,000  #############');
  });

  test.each([[[]], [[{ label: 'a', count: 0 }]], [[{ label: 'a', count: Number.NaN }]]])(
    '%j does not fail',
    (few) => {
      expect(renderHistogram(few, wide)).toHaveLength(few.length);
    },
  );
});
