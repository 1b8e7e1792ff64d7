import { formatFixed } from '../../report/page/format.js';
import { h } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import { type E3Host, PUBLISHED, PUBLISHED_ABLATIONS, type PublishedRates } from '../e3/published.js';
import type { Figure, VariantResult } from '../result-schema.js';
import { compareOrder, inversionText, orderText } from './ablation-order.js';
import { percent, publishedText, scaled } from './cell-text.js';
import type { Study } from './study.js';

interface AblationRow {
  readonly run: string;
  readonly name: string;
  readonly ours: VariantResult;
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
  const own = (heading: string, figure: Figure) => ({
    heading,
    value: ({ ours }: AblationRow) => scaled(ours.mean[figure], 100),
    show: ({ ours }: AblationRow) => percent(ours, figure),
    as: 'number' as const,
  });
  const theirs = (heading: string, figure: 'f1' | 'fpr') => ({
    heading,
    value: ({ published }: AblationRow) => published?.[figure] ?? null,
    show: ({ published }: AblationRow) => publishedText(published?.[figure], figure === 'fpr' ? 4 : 2),
    as: 'number' as const,
  });
  const known = host !== undefined;
  return {
    id: 'ablations',
    title: 'Ablations',
    lead: 'The method as published (RECAL, profile paper), and what is left of it when one piece is taken away. Means over seeds ± one standard deviation. Average precision needs no threshold.',
    content: [
      dataTable({
        id: 'ablation-table',
        title: 'Ablations, percent',
        columns: [
          { heading: 'variant', value: ({ name }: AblationRow) => name },
          { heading: 'protocol', value: ({ run }) => run },
          own('F1', 'f1'),
          ...(known ? [theirs('F1 published', 'f1')] : []),
          own('FPR', 'fpr'),
          ...(known ? [theirs('FPR published', 'fpr')] : []),
          own('AP', 'ap'),
        ],
        rows,
        mark: { rows: ({ name }) => name === 'RECAL', meaning: 'the whole method' },
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
    const equal = alike.map(({ names, f1 }) => `equal here: ${names.join(', ')} (F1 ${formatFixed(f1, 2)})`);
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
