import { h } from '../report/html.js';
import type { Section } from '../report/page.js';
import { type DataTable, dataTable } from '../report/tables.js';
import { type E3Host, PUBLISHED, PUBLISHED_ABLATIONS, type PublishedRates } from './published.js';
import { countText, percent, publishedText, scaled } from './report-figures.js';
import { findInversions, inversionText } from './report-order.js';
import type { Study } from './report-study.js';
import type { Figure, VariantResult } from './result-schema.js';

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

/** Published rows first, then ours under each protocol, with counts: a rate hides its size. */
export function mainSection({ runs, host }: Study): Section {
  const rows: MainRow[] = [
    ...(host === undefined
      ? []
      : PUBLISHED.map(({ name, by }) => ({ name, source: 'published', published: by[host] }))),
    ...runs.flatMap(({ name: run, result }) =>
      Object.entries(result.variants).map(([name, ours]) => ({ name, source: `ours, ${run}`, ours })),
    ),
  ];
  const counts = (['tp', 'fp', 'fn', 'tn'] as const).map((figure) => ({
    heading: figure.toUpperCase(),
    value: ({ ours }: MainRow) => ours?.mean[figure] ?? null,
    show: ({ ours }: MainRow) => (ours === undefined ? '–' : countText(ours, figure)),
    as: 'number' as const,
  }));
  return {
    id: 'main',
    title: 'Detection',
    lead: 'Means over seeds ± one standard deviation, in percent. Counts are ours alone: publications give rates.',
    content: dataTable({
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
        ...counts,
        { heading: 'threshold', value: ({ ours }) => (ours === undefined ? null : thresholdText(ours)) },
      ],
      rows,
      mark: { rows: ({ ours }) => ours !== undefined, meaning: 'measured here' },
      download: true,
    } satisfies DataTable<MainRow>),
  };
}

function rateOf({ ours, published }: MainRow, figure: Figure & keyof PublishedRates): number | null {
  return ours === undefined ? (published?.[figure] ?? null) : scaled(ours.mean[figure], 100);
}

function thresholdText({ seeds }: VariantResult): string {
  const { kind, asked, oracle } = seeds[0].threshold;
  return oracle ? 'oracle' : (asked ?? kind);
}

interface AblationRow {
  readonly run: string;
  readonly name: string;
  readonly ours: VariantResult | undefined;
  readonly published: PublishedRates | undefined;
}

/** Undefined where no ablation was run. */
export function ablationSection({ runs, host }: Study): Section | undefined {
  const kinds = [...PUBLISHED.filter(({ variant }) => variant !== undefined), ...PUBLISHED_ABLATIONS];
  const rows = runs.flatMap(({ name: run, result }) =>
    kinds.flatMap(({ name, variant, by }): AblationRow[] => {
      const ours = result.variants[variant as string];
      return ours === undefined
        ? []
        : [{ run, name, ours, published: host === undefined ? undefined : by[host] }];
    }),
  );
  if (rows.every(({ name }) => name === 'RECAL')) return undefined;
  const pair = (heading: string, figure: 'f1' | 'fpr') => [
    {
      heading: `${heading} ours`,
      value: ({ ours }: AblationRow) => scaled(ours?.mean[figure] ?? null, 100),
      show: ({ ours }: AblationRow) => (ours === undefined ? '–' : percent(ours, figure)),
      as: 'number' as const,
    },
    ...(host === undefined
      ? []
      : [
          {
            heading: `${heading} published`,
            value: ({ published }: AblationRow) => published?.[figure] ?? null,
            show: ({ published }: AblationRow) =>
              publishedText(published?.[figure], figure === 'fpr' ? 4 : 2),
            as: 'number' as const,
          },
        ]),
  ];
  return {
    id: 'ablations',
    title: 'Ablations',
    lead: 'The method as published (profile paper), and what is left of it when one piece is taken away.',
    content: [
      dataTable({
        id: 'ablation-table',
        title: 'Ablations, percent',
        columns: [
          { heading: 'variant', value: ({ name }: AblationRow) => name },
          { heading: 'protocol', value: ({ run }) => run },
          ...pair('F1', 'f1'),
          ...pair('FPR', 'fpr'),
        ],
        rows,
        mark: { rows: ({ name }) => name === 'RECAL', meaning: 'the whole method' },
        download: true,
      }),
      host === undefined ? null : orderText(runs, host),
    ],
  };
}

function orderText(runs: Study['runs'], host: E3Host) {
  return runs.map(({ name, result }) => {
    const found = findInversions(result, host);
    const several = runs.length > 1 ? `${name}: ` : '';
    if (found.length === 0) {
      return h('p', {}, `${several}the ablations are ordered as in the paper, by mean F1.`);
    }
    return [
      h('p', {}, `${several}not ordered as in the paper, by mean F1:`),
      h(
        'ul',
        {},
        found.map((each) => h('li', {}, inversionText(each))),
      ),
    ];
  });
}

/** A row of `result.json`: ours beside what is published, percent. Null is what is not run, or not published. */
export interface BesideRow {
  readonly run: string;
  readonly name: string;
  readonly variant: string | null;
  readonly published: PublishedRates | null;
  readonly ours: Readonly<Record<keyof PublishedRates, number | null>> | null;
}

/** Published rows first, then what only we have. */
export function besidePublished({ runs, host }: Study): BesideRow[] {
  if (host === undefined) return [];
  const known = [...PUBLISHED, ...PUBLISHED_ABLATIONS];
  return runs.flatMap(({ name: run, result: { variants } }) => [
    ...known.map(({ name, variant = null, by }) => ({
      ...{ run, name, variant, published: by[host] },
      ours: variant === null ? null : ratesOf(variants[variant]),
    })),
    ...Object.entries(variants)
      .filter(([variant]) => !known.some((row) => row.variant === variant))
      .map(([variant, ours]) => ({ run, name: variant, variant, published: null, ours: ratesOf(ours) })),
  ]);
}

function ratesOf(ours: VariantResult | undefined): BesideRow['ours'] {
  if (ours === undefined) return null;
  const { precision, recall, f1, fpr } = ours.mean;
  const [p, r, f, q] = [precision, recall, f1, fpr].map((value) => scaled(value, 100));
  return { precision: p, recall: r, f1: f, fpr: q };
}
