import type { Content } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import { type DataTable, dataTable } from '../../report/page/tables.js';
import { PUBLISHED, type PublishedRates } from '../e3/published.js';
import type { Figure, VariantResult } from '../result-schema.js';
import { percentText, publishedText, scaled, stepsOf, thresholdText } from './cell-text.js';
import type { Study, StudyRun } from './study.js';
import { countColumn, VARIANT_COLUMNS, type VariantRow, variantRows } from './variant-rows.js';

interface RateRow {
  readonly name: string;
  readonly source: string;
  readonly measured?: VariantResult;
  readonly published?: PublishedRates;
}

const RATES = [
  ['precision %', 'precision'],
  ['recall %', 'recall'],
  ['F1 %', 'f1'],
  ['FPR %', 'fpr'],
] as const;

/** The rates, published rows first, then the counts behind the measured rates. */
export function mainSection({ runs, host }: Study): Section {
  const rows: RateRow[] = [
    ...(host === undefined
      ? []
      : PUBLISHED.map(({ name, by }) => ({ name, source: 'published', published: by[host] }))),
    ...variantRows(runs).map(({ name, run, variant }) => ({
      name,
      source: `measured, ${run}`,
      measured: variant,
    })),
  ];
  return {
    id: 'main',
    title: 'Detection',
    lead: 'Mean over seeds ± one standard deviation. The second table has the counts behind the measured rates.',
    content: [
      dataTable({
        id: 'main-table',
        title:
          host === undefined ? 'All variants' : `Measured and published results for ${host.toUpperCase()}`,
        columns: [
          { heading: 'detector', value: ({ name }) => name },
          { heading: 'source', value: ({ source }) => source },
          { heading: 'steps', value: ({ measured }) => (measured === undefined ? null : stepsOf(measured)) },
          ...RATES.map(([heading, figure]) => ({
            heading,
            value: (row: RateRow) => rateOf(row, figure),
            show: ({ measured, published }: RateRow) =>
              measured === undefined
                ? publishedText(published?.[figure], figure === 'fpr' ? 4 : 2)
                : percentText(measured, figure),
            as: 'number' as const,
          })),
        ],
        rows,
        mark: {
          rows: ({ name, measured }) => measured !== undefined && name === 'paper',
          meaning: 'the published method, measured here',
        },
        download: true,
      } satisfies DataTable<RateRow>),
      countTable(runs),
    ],
  };
}

function countTable(runs: readonly StudyRun[]): Content {
  return dataTable({
    id: 'count-table',
    title: 'Counts of nodes',
    columns: [
      ...VARIANT_COLUMNS,
      countColumn('TP', 'tp'),
      countColumn('FP', 'fp'),
      countColumn('FN', 'fn'),
      countColumn('TN', 'tn'),
      { heading: 'threshold', value: ({ variant }: VariantRow) => thresholdText(variant.seeds[0]) },
    ],
    rows: variantRows(runs),
    download: true,
  });
}

function rateOf({ measured, published }: RateRow, figure: Figure & keyof PublishedRates): number | null {
  return measured === undefined ? (published?.[figure] ?? null) : scaled(measured.mean[figure], 100);
}
