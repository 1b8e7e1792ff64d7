import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { type Content, render } from '../../../src/report/page/html.js';
import { barCell, dataTable } from '../../../src/report/page/tables.js';
import { HOSTILE } from '../hostile.js';

const read = (content: Content) => parseHTML(`<html><body>${render(content)}</body></html>`).document;

const rows = [
  { name: 'a', n: 1234, share: 0.5 },
  { name: 'b', n: 7, share: null },
];

test('right-aligns and groups numbers, uses the first cell as row header, and shows null as a dash', () => {
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
  expect(document.querySelector('caption').textContent).toBe('T. why Highlighted: the second.');
  expect(
    [...document.querySelectorAll('tbody th')].every((each) => each.getAttribute('scope') === 'row'),
  ).toBe(true);
  expect([...document.querySelectorAll('tr.marked')].map((row) => row.firstElementChild.textContent)).toEqual(
    ['b'],
  );
});

test('counts the rows shown; the CSV file has all rows', () => {
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
  expect(document.querySelector('.note').textContent).toBe('2 of 5 rows are shown.');
  const link = document.querySelector('a[download]');
  expect(link.getAttribute('download')).toBe('many.csv');
  expect(Buffer.from(link.getAttribute('href').split(',')[1], 'base64').toString()).toBe(
    'i\r\n1\r\n2\r\n3\r\n4\r\n5\r\n',
  );
});

test('shortens a very long name in the middle; its tooltip has more', () => {
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

test('a bar shows the share of the largest value, at most all of it', () => {
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
