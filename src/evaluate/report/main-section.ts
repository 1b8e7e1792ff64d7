import type { Section } from '../../report/page/page.js';
import { type DataTable, dataTable } from '../../report/page/tables.js';
import { PUBLISHED, type PublishedRates } from '../e3/published.js';
import type { Figure, VariantResult } from '../result-schema.js';
import { countText, percent, publishedText, scaled } from './cell-text.js';
import type { Study } from './study.js';

interface MainRow {
  readonly name: string;
  readonly source: string;
  readonly ours?: VariantResult;
  readonly published?: PublishedRates;
}

const RATES = [
  ['precision %', 'precision'],
  ['recall %', 'recall'],
  ['F1 %', 'f1'],
  ['FPR %', 'fpr'],
] as const;

/** Published rows first, then ours under each protocol; then the counts. */
export function mainSection({ runs, host }: Study): Section {
  const rows: MainRow[] = [
    ...(host === undefined
      ? []
      : PUBLISHED.map(({ name, by }) => ({ name, source: 'published', published: by[host] }))),
    ...runs.flatMap(({ name: run, result }) =>
      Object.entries(result.variants).map(([name, ours]) => ({ name, source: `ours, ${run}`, ours })),
    ),
  ];
  const counted = runs.flatMap(({ name: run, result }) =>
    Object.entries(result.variants).map(([name, ours]): CountRow => ({ name, run, ours })),
  );
  return {
    id: 'main',
    title: 'Detection',
    lead: 'Means over seeds ± one standard deviation. Publications give rates alone; the counts behind ours follow, because a rate hides its size.',
    content: [
      dataTable({
        id: 'main-table',
        title:
          host === undefined ? 'All variants' : `Ours beside the published figures of ${host.toUpperCase()}`,
        columns: [
          { heading: 'detector', value: ({ name }) => name },
          { heading: 'source', value: ({ source }) => source },
          ...RATES.map(([heading, figure]) => ({
            heading,
            value: (row: MainRow) => rateOf(row, figure),
            show: ({ ours, published }: MainRow) =>
              ours === undefined
                ? publishedText(published?.[figure], figure === 'fpr' ? 4 : 2)
                : percent(ours, figure),
            as: 'number' as const,
          })),
        ],
        rows,
        mark: {
          rows: ({ name, ours }) => ours !== undefined && name === 'paper',
          meaning: 'the method as published, measured here',
        },
        download: true,
      } satisfies DataTable<MainRow>),
      countTable(counted),
    ],
  };
}

interface CountRow {
  readonly name: string;
  readonly run: string;
  readonly ours: VariantResult;
}

function countTable(rows: readonly CountRow[]) {
  const count = (figure: 'tp' | 'fp' | 'fn' | 'tn') => ({
    heading: figure.toUpperCase(),
    value: ({ ours }: CountRow) => ours.mean[figure],
    show: ({ ours }: CountRow) => countText(ours, figure),
    as: 'number' as const,
  });
  return dataTable({
    id: 'count-table',
    title: 'Nodes behind our rates',
    columns: [
      { heading: 'variant', value: ({ name }: CountRow) => name },
      { heading: 'protocol', value: ({ run }) => run },
      count('tp'),
      count('fp'),
      count('fn'),
      count('tn'),
      { heading: 'threshold', value: ({ ours }) => thresholdText(ours) },
    ],
    rows,
    download: true,
  });
}

function rateOf({ ours, published }: MainRow, figure: Figure & keyof PublishedRates): number | null {
  return ours === undefined ? (published?.[figure] ?? null) : scaled(ours.mean[figure], 100);
}

function thresholdText({ seeds }: VariantResult): string {
  const { kind, asked, oracle } = seeds[0].threshold;
  return oracle ? 'oracle' : (asked ?? kind);
}
