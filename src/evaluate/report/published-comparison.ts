import { PUBLISHED, PUBLISHED_ABLATIONS, type PublishedRates } from '../e3/published.js';
import type { VariantResult } from '../result-schema.js';
import { publishedVariant } from '../rivals/rival-settings.js';
import { scaled, stepsOf } from './cell-text.js';
import type { Study } from './study.js';

/** A row of `result.json` in percent. Null: not run, or not published. */
export interface ComparisonRow {
  readonly run: string;
  readonly name: string;
  readonly variant: string | null;
  readonly published: PublishedRates | null;
  readonly ours: Rates | null;
  /** Standard deviation over seeds. */
  readonly deviation: Rates | null;
  /** Updates of the weights in training. */
  readonly steps: number | null;
}

type Rates = Readonly<Record<keyof PublishedRates, number | null>>;

/** Published rows first, then variants without a published row. */
export function compareWithPublished({ runs, host }: Study): ComparisonRow[] {
  if (host === undefined) return [];
  const known = [...PUBLISHED, ...PUBLISHED_ABLATIONS].map(({ name, variant, rival, by }) => {
    // A published figure belongs to the published settings.
    return { name, variant: variant ?? (rival === undefined ? null : publishedVariant(rival)), by };
  });
  return runs.flatMap(({ name: run, result: { variants } }) => [
    ...known.map(({ name, variant, by }) => ({
      run,
      name,
      variant,
      published: by[host],
      ours: variant === null ? null : ratesOf(variants[variant]?.mean),
      deviation: variant === null ? null : ratesOf(variants[variant]?.std),
      steps: variant === null || variants[variant] === undefined ? null : stepsOf(variants[variant]),
    })),
    ...Object.entries(variants)
      .filter(([variant]) => !known.some((row) => row.variant === variant))
      .map(([variant, { mean, std, seeds }]) => ({
        run,
        name: variant,
        variant,
        published: null,
        ours: ratesOf(mean),
        deviation: ratesOf(std),
        steps: stepsOf({ seeds }),
      })),
  ]);
}

function ratesOf(figures: VariantResult['mean'] | undefined): Rates | null {
  if (figures === undefined) return null;
  const { precision, recall, f1, fpr } = figures;
  const [p, r, f, q] = [precision, recall, f1, fpr].map((value) => scaled(value, 100));
  return { precision: p, recall: r, f1: f, fpr: q };
}
