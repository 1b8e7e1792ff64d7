import type { CsvValue } from './csv.js';
import { type Content, type Element, h } from './html.js';
import { dataTable, downloadLink, type TableColumn } from './tables.js';

/** The numbers behind a drawing, for whoever cannot see it or does not believe it. */
export interface FigureData {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly CsvValue[])[];
  /** Where rows had to be left out: what these are, for example "the 2,000 highest of 1,452,123". */
  readonly part?: string;
}

/** What every chart is given beside its own numbers. */
export interface ChartText {
  /** Its address in the page, unique: lower-case letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** What is seen, and what it means. */
  readonly caption?: Content;
}

const MOST_ROWS = 200;

/** A drawing with its caption, its key and its numbers. */
export function figure(
  text: ChartText,
  drawing: Content,
  data: FigureData,
  rest: { key?: Content; notes?: readonly string[]; wide?: boolean } = {},
): Element {
  const columns = data.headings.map(
    (heading, i): TableColumn<readonly CsvValue[]> => ({ heading, value: (row) => row[i] }),
  );
  return h(
    'figure',
    { id: text.id },
    h(
      'figcaption',
      {},
      h('b', {}, text.title),
      [text.caption, ...(rest.notes ?? [])].map(
        (each, i) =>
          each !== undefined && [i === 0 || (text.caption === undefined && i === 1) ? '. ' : ' ', each],
      ),
    ),
    h('div', { class: rest.wide === true ? 'drawing wide' : 'drawing' }, drawing),
    rest.key,
    h(
      'details',
      {},
      h('summary', {}, 'The numbers'),
      dataTable({
        title: `Numbers of: ${text.title}`,
        ...(data.part === undefined ? {} : { caption: data.part }),
        columns,
        rows: data.rows,
        most: MOST_ROWS,
      }),
      h('p', { class: 'note' }, downloadLink(text.id, data.headings, data.rows)),
    ),
  );
}
