import { type CsvValue, csv, csvLink } from './csv.js';
import { formatNumber } from './format.js';
import { type Content, code, type Element, h } from './html.js';
import { shortenMiddle } from './shorten.js';

export interface TableColumn<Row> {
  readonly heading: string;
  /** The raw value: it decides the alignment and goes into the CSV. */
  readonly value: (row: Row) => CsvValue;
  /** Overrides how the value is shown. */
  readonly show?: (row: Row) => Content;
  readonly as?: ColumnKind;
}

/**
 * `name`: text from a log, in fixed width. `brief`: the same, in a narrow column. `sentence`: takes the remaining width.
 * `whole`: never wraps. `bar`: a number with a bar that shows its share of the largest number.
 */
export type ColumnKind = 'text' | 'name' | 'brief' | 'sentence' | 'whole' | 'number' | 'bar';

export interface DataTable<Row> {
  /** For links to the table and for the name of its CSV file. */
  readonly id?: string;
  readonly title: string;
  readonly caption?: Content;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** Rows to highlight, and the meaning of the highlight for the caption. */
  readonly mark?: { readonly rows: (row: Row) => boolean; readonly meaning: string };
  /** The most rows to show. The CSV has all of them. */
  readonly most?: number;
  /** Adds a link to the rows as CSV. */
  readonly download?: boolean;
}

const LONGEST_TEXT = 160;

/** A table with a caption. Numbers are right-aligned, and the first cell is the header of its row. */
export function dataTable<Row>(table: DataTable<Row>): Element {
  const { columns, rows, mark, most = rows.length } = table;
  const kinds = columns.map((column) => column.as ?? kindOf(rows.map(column.value)));
  const largest = columns.map((column, i) => (kinds[i] === 'bar' ? largestOf(rows.map(column.value)) : 0));
  const body = rows.slice(0, most).map((row) =>
    h(
      'tr',
      { class: mark?.rows(row) ? 'marked' : undefined },
      columns.map((column, i) =>
        h(
          i === 0 ? 'th' : 'td',
          { scope: i === 0 ? 'row' : undefined, class: kinds[i] },
          column.show === undefined ? showCell(column.value(row), kinds[i], largest[i]) : column.show(row),
        ),
      ),
    ),
  );
  const marked = mark !== undefined && rows.some(mark.rows);
  return h(
    'div',
    { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': table.title, id: table.id },
    h(
      'table',
      { class: mark === undefined ? undefined : 'with-marks' },
      h(
        'caption',
        {},
        h('b', {}, table.title),
        table.caption !== undefined && ['. ', table.caption],
        marked && `${table.caption === undefined ? '.' : ''} Highlighted: ${mark.meaning}.`,
      ),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          columns.map((column, i) => h('th', { scope: 'col', class: kinds[i] }, column.heading)),
        ),
      ),
      h('tbody', {}, body),
    ),
    body.length < rows.length &&
      h(
        'p',
        { class: 'note' },
        `${formatNumber(body.length)} of ${formatNumber(rows.length)} rows are shown.`,
      ),
    table.download === true &&
      h(
        'p',
        { class: 'note' },
        downloadLink(
          table.id ?? 'table',
          columns.map((column) => column.heading),
          rows.map((row) => columns.map((column) => column.value(row))),
        ),
      ),
  );
}

/** A link that saves the rows as a CSV file. The page contains the file. */
export function downloadLink(
  name: string,
  headings: readonly string[],
  rows: readonly (readonly CsvValue[])[],
): Element {
  const file = `${name.replace(/[^\w-]+/g, '-')}.csv`;
  const label = `${file} (${formatNumber(rows.length)} ${rows.length === 1 ? 'row' : 'rows'})`;
  return h('a', { href: csvLink(csv(headings, rows)), download: file }, label);
}

/** A small bar that shows the share of the largest value. The number beside it is its text. */
export function barCell(value: number, largest: number, width = 72): Element {
  const share = largest > 0 && Number.isFinite(value) ? Math.min(1, Math.max(0, value / largest)) : 0;
  const length = Math.round(share * width * 10) / 10;
  return h(
    'svg',
    {
      class: 'cell-bar',
      width,
      height: 11,
      viewBox: `0 0 ${width} 11`,
      'aria-hidden': 'true',
      focusable: 'false',
    },
    h('rect', { x: 0, y: 1, width: length, height: 9, fill: 'var(--series-1)' }),
    h('line', { x1: 0, x2: 0, y1: 0, y2: 11, stroke: 'var(--rule-strong)' }),
  );
}

function kindOf(values: readonly CsvValue[]): ColumnKind {
  const present = values.filter((value) => value !== null && value !== undefined);
  const numbers = present.every((value) => typeof value === 'number' || typeof value === 'bigint');
  return present.length > 0 && numbers ? 'number' : 'text';
}

function largestOf(values: readonly CsvValue[]): number {
  return values.reduce<number>((most, value) => Math.max(most, Number(value) || 0), 0);
}

function showCell(value: CsvValue, kind: ColumnKind, largest: number): Content {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'string') {
    const text = formatNumber(value);
    return kind === 'bar' ? [text, barCell(Number(value), largest)] : text;
  }
  return kind === 'name' || kind === 'brief' ? nameCell(value) : nameText(value);
}

/** A name from a log. A long one is shortened in the middle and complete in its tooltip. */
export function nameCell(text: string, most = LONGEST_TEXT): Element {
  const short = shortenMiddle(text, most);
  return short === text ? code(text) : h('code', { title: text }, short);
}

function nameText(text: string): Content {
  const short = shortenMiddle(text, LONGEST_TEXT);
  return short === text ? text : h('span', { title: text }, short);
}
