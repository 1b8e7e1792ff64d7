import { formatFixed } from '../../report/page/format.js';
import { h } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import { type E3Host, PUBLISHED, PUBLISHED_ABLATIONS, type PublishedRates } from '../e3/published.js';
import type { Figure, VariantResult } from '../result-schema.js';
import { compareOrder, inversionText, orderText } from './ablation-order.js';
import { percentText, publishedText, scaled, stepsOf } from './cell-text.js';
import type { Study } from './study.js';

interface AblationRow {
  readonly run: string;
  readonly name: string;
  readonly measured: VariantResult;
  readonly published: PublishedRates | undefined;
}

/** Undefined if no ablation was run. */
export function ablationSection({ runs, host }: Study): Section | undefined {
  const kinds = [...PUBLISHED.filter(({ variant }) => variant !== undefined), ...PUBLISHED_ABLATIONS];
  const rows = runs.flatMap(({ name: run, result }) =>
    kinds.flatMap(({ name, variant, by }): AblationRow[] => {
      const measured = result.variants[variant as string];
      return measured === undefined
        ? []
        : [{ run, name, measured, published: host === undefined ? undefined : by[host] }];
    }),
  );
  if (rows.every(({ name }) => name === 'RECAL')) return undefined;
  const measured = (heading: string, figure: Figure) => ({
    heading,
    value: ({ measured }: AblationRow) => scaled(measured.mean[figure], 100),
    show: ({ measured }: AblationRow) => percentText(measured, figure),
    as: 'number' as const,
  });
  const published = (heading: string, figure: 'f1' | 'fpr') => ({
    heading,
    value: ({ published }: AblationRow) => published?.[figure] ?? null,
    show: ({ published }: AblationRow) => publishedText(published?.[figure], figure === 'fpr' ? 4 : 2),
    as: 'number' as const,
  });
  const known = host !== undefined;
  return {
    id: 'ablations',
    title: 'Ablations',
    lead: 'The published method (RECAL, profile paper), and the same method with one component removed or replaced. Mean over seeds ± one standard deviation. Average precision (AP) needs no threshold.',
    content: [
      dataTable({
        id: 'ablation-table',
        title: 'Ablations, in percent',
        columns: [
          { heading: 'variant', value: ({ name }: AblationRow) => name },
          { heading: 'protocol', value: ({ run }) => run },
          { heading: 'steps', value: ({ measured }) => stepsOf(measured) },
          measured('F1', 'f1'),
          ...(known ? [published('F1 published', 'f1')] : []),
          measured('FPR', 'fpr'),
          ...(known ? [published('FPR published', 'fpr')] : []),
          measured('AP', 'ap'),
        ],
        rows,
        mark: { rows: ({ name }) => name === 'RECAL', meaning: 'the full method' },
        download: true,
      }),
      host === undefined ? null : describeOrder(runs, host),
    ],
  };
}

function describeOrder(runs: Study['runs'], host: E3Host) {
  return runs.map(({ name, result }) => {
    const order = compareOrder(result, host);
    const { turned, alike } = order;
    const equal = alike.map(({ names, f1 }) => `same F1 here: ${names.join(', ')} (${formatFixed(f1, 2)})`);
    const lines = [...turned.map(inversionText), ...equal];
    return [
      h('p', {}, `Protocol ${name}: ${orderText(order)}${lines.length > 0 ? ':' : '.'}`),
      lines.length > 0 &&
        h(
          'ul',
          {},
          lines.map((each) => h('li', {}, each)),
        ),
    ];
  });
}
