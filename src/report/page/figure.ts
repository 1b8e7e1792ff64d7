import type { CsvValue } from './csv.js';
import { type Content, type Element, h } from './html.js';
import { dataTable, downloadLink, type TableColumn } from './tables.js';

/** The data behind a drawing, for readers who cannot see it or want to check it. */
export interface FigureData {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly CsvValue[])[];
  /** Which rows these are, if some are left out, for example "2,000 of 1,452,123 points". */
  readonly part?: string;
}

/** The text of a chart. */
export interface ChartText {
  /** Unique in the page: lower-case letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** What the chart shows and what it means. */
  readonly caption?: Content;
}

const MOST_ROWS = 200;

/** A drawing with its caption, its key and its data. */
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
      h('summary', {}, 'Data'),
      dataTable({
        title: `Data: ${text.title}`,
        ...(data.part === undefined ? {} : { caption: data.part }),
        columns,
        rows: data.rows,
        most: MOST_ROWS,
      }),
      h('p', { class: 'note' }, downloadLink(text.id, data.headings, data.rows)),
    ),
  );
}
