import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { type Content, render } from '../../../src/report/page/html.js';
import { barCell, dataTable, sparkline } from '../../../src/report/page/tables.js';
import { HOSTILE } from '../hostile.js';

const read = (content: Content) => parseHTML(`<html><body>${render(content)}</body></html>`).document;

const rows = [
  { name: 'a', n: 1234, share: 0.5 },
  { name: 'b', n: 7, share: null },
];

test('numbers stand right and are grouped; the first cell heads its row; nothing is a dash', () => {
  const document = read(
    dataTable({
      title: 'T',
      caption: 'why',
      columns: [
        { heading: 'name', value: (row) => row.name },
        { heading: 'n', value: (row) => row.n },
        { heading: 'share', value: (row) => row.share },
      ],
      rows,
      mark: { rows: (row) => row.name === 'b', meaning: 'the second' },
    }),
  );
  const cells = [...document.querySelectorAll('tbody tr')].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );
  expect(cells).toEqual([
    ['a', '1,234', '0.5'],
    ['b', '7', '–'],
  ]);
  expect([...document.querySelectorAll('thead th')].map((each) => each.getAttribute('class'))).toEqual([
    'text',
    'number',
    'number',
  ]);
  expect(document.querySelector('caption').textContent).toBe('T. why Marked: the second.');
  expect(
    [...document.querySelectorAll('tbody th')].every((each) => each.getAttribute('scope') === 'row'),
  ).toBe(true);
  expect([...document.querySelectorAll('tr.marked')].map((row) => row.firstElementChild.textContent)).toEqual(
    ['b'],
  );
});

test('rows left out are counted, and the file has them all', () => {
  const document = read(
    dataTable({
      id: 'many',
      title: 'T',
      columns: [{ heading: 'i', value: (i: number) => i }],
      rows: [1, 2, 3, 4, 5],
      most: 2,
      download: true,
    }),
  );
  expect(document.querySelectorAll('tbody tr').length).toBe(2);
  expect(document.querySelector('.note').textContent).toBe('… and 3 more of 5 rows.');
  const link = document.querySelector('a[download]');
  expect(link.getAttribute('download')).toBe('many.csv');
  expect(Buffer.from(link.getAttribute('href').split(',')[1], 'base64').toString()).toBe(
    'i\r\n1\r\n2\r\n3\r\n4\r\n5\r\n',
  );
});

test('a very long name is cut in the middle and whole in its title, as far as a title goes', () => {
  const document = read(
    dataTable({
      title: 'T',
      columns: [{ heading: 'name', value: (text: string) => text, as: 'name' }],
      rows: [HOSTILE.long],
    }),
  );
  const cell = document.querySelector('code');
  expect([...cell.textContent].length).toBe(160);
  expect(cell.textContent.endsWith('/end')).toBe(true);
  expect(cell.getAttribute('title')).toContain(`(${HOSTILE.long.length} characters)`);
});

test('bars are as long as the share of the largest, and never longer', () => {
  const length = (value: number, largest: number): string | null =>
    read(barCell(value, largest, 100))
      .querySelector('rect')
      .getAttribute('width');
  expect([length(5, 10), length(20, 10), length(-1, 10), length(Number.NaN, 10), length(1, 0)]).toEqual([
    '50',
    '100',
    '0',
    '0',
    '0',
  ]);
});

test('a sparkline keeps gaps and survives constants and nothing', () => {
  const path = (values: number[]): string =>
    read(sparkline(values, 'x')).querySelector('path').getAttribute('d');
  expect(path([0, 1, Number.NaN, 1])).toBe('M2,16L32.7,2M94,2');
  expect(path([3, 3])).toBe('M2,9L94,9');
  expect(path([])).toBe('');
});
