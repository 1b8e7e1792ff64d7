import { type CsvValue, csv, csvLink } from './csv.js';
import { formatNumber } from './format.js';
import { type Content, code, type Element, h } from './html.js';
import { shortenMiddle } from './shorten.js';

export type CellValue = CsvValue;

export interface TableColumn<Row> {
  readonly heading: string;
  /** The value itself: it decides the alignment and goes into the CSV. */
  readonly value: (row: Row) => CellValue;
  /** How a value is written, where the default does not do. */
  readonly show?: (row: Row) => Content;
  readonly as?: ColumnKind;
}

/**
 * `name` is text from a log, in fixed width, `brief` one that is shortened much; `sentence` takes what room others leave;
 * `whole` stays on one line; `bar` is a number with a bar as long as its share of the largest.
 */
export type ColumnKind = 'text' | 'name' | 'brief' | 'sentence' | 'whole' | 'number' | 'bar';

export interface DataTable<Row> {
  /** Needed only where something links to the table, and for the name of its CSV file. */
  readonly id?: string;
  readonly title: string;
  readonly caption?: Content;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** Rows to mark, and what the mark means, for the caption. */
  readonly mark?: { readonly rows: (row: Row) => boolean; readonly meaning: string };
  /** The most rows shown; those left out are counted under the table, and are in the CSV. */
  readonly most?: number;
  /** Offer the rows as CSV. */
  readonly download?: boolean;
}

const LONGEST_TEXT = 160;

/** A table with a caption. Numbers stand right, the first column heads its row, and missing rows are counted. */
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
  const left = rows.length - body.length;
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
        marked && ` Marked: ${mark.meaning}.`,
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
    left > 0 &&
      h('p', { class: 'note' }, `… and ${formatNumber(left)} more of ${formatNumber(rows.length)} rows.`),
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

/** A link that saves the rows as a CSV file; the page itself carries them. */
export function downloadLink(
  name: string,
  headings: readonly string[],
  rows: readonly (readonly CsvValue[])[],
): Element {
  const file = `${name.replace(/[^\w-]+/g, '-')}.csv`;
  const label = `${file} (${formatNumber(rows.length)} ${rows.length === 1 ? 'row' : 'rows'})`;
  return h('a', { href: csvLink(csv(headings, rows)), download: file }, label);
}

/** A small bar, as long as value's share of the largest. It stands beside its number and so has no words. */
export function barCell(value: number, largest: number, width = 72): Element {
  const share = largest > 0 && Number.isFinite(value) ? Math.min(1, Math.max(0, value / largest)) : 0;
  const length = Math.round(share * width * 10) / 10;
  return h(
    'svg',
    {
      class: 'spark after',
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

/** A line as high as a word, with a dot on its last value. `label` says in words what it shows. */
export function sparkline(values: readonly number[], label: string, width = 96): Element {
  const finite = values.filter(Number.isFinite);
  const low = finite.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  const high = finite.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY);
  const height = 18;
  const at = (value: number, i: number): [number, number] => [
    round(2 + (values.length < 2 ? 0 : (i / (values.length - 1)) * (width - 4))),
    round(high === low ? height / 2 : height - 2 - ((value - low) / (high - low)) * (height - 4)),
  ];
  // A gap stays a gap.
  let path = '';
  let last: [number, number] | undefined;
  for (const [i, value] of values.entries()) {
    if (!Number.isFinite(value)) {
      last = undefined;
      continue;
    }
    const here = at(value, i);
    path += `${last === undefined ? 'M' : 'L'}${here[0]},${here[1]}`;
    last = here;
  }
  return h(
    'svg',
    { class: 'spark', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
    h('path', {
      d: path,
      fill: 'none',
      stroke: 'var(--series-1)',
      'stroke-width': 1.5,
      'stroke-linejoin': 'round',
    }),
    last !== undefined && h('circle', { cx: last[0], cy: last[1], r: 2.2, fill: 'var(--ink)' }),
  );
}

function kindOf(values: readonly CellValue[]): ColumnKind {
  const present = values.filter((value) => value !== null && value !== undefined);
  const numbers = present.every((value) => typeof value === 'number' || typeof value === 'bigint');
  return present.length > 0 && numbers ? 'number' : 'text';
}

function largestOf(values: readonly CellValue[]): number {
  return values.reduce<number>((most, value) => Math.max(most, Number(value) || 0), 0);
}

function showCell(value: CellValue, kind: ColumnKind, largest: number): Content {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'string') {
    const text = formatNumber(value);
    return kind === 'bar' ? [text, barCell(Number(value), largest)] : text;
  }
  return kind === 'name' || kind === 'brief' ? nameCell(value) : nameText(value);
}

/** A name from a log, shortened in the middle where it is very long; the whole of it shows on pointing. */
export function nameCell(text: string, most = LONGEST_TEXT): Element {
  const short = shortenMiddle(text, most);
  return short === text ? code(text) : h('code', { title: text }, short);
}

function nameText(text: string): Content {
  const short = shortenMiddle(text, LONGEST_TEXT);
  return short === text ? text : h('span', { title: text }, short);
}

const round = (value: number): number => Math.round(value * 10) / 10;
