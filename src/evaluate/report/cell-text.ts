import { formatFixed } from '../../report/page/format.js';
import type { EvaluationResult, Figure, SeedResult, VariantResult } from '../result-schema.js';

const NOTHING = '–';

/** A mean over seeds with its standard deviation, times `scale`. */
export function meanText(
  { mean, std }: Pick<VariantResult, 'mean' | 'std'>,
  figure: Figure,
  decimals: number,
  scale = 1,
): string {
  const [value, deviation] = [mean[figure], std[figure]];
  if (value === null) return NOTHING;
  const text = formatFixed(value * scale, decimals);
  return deviation === null ? text : `${text} ± ${formatFixed(deviation * scale, decimals)}`;
}

/** A mean count over seeds, without decimals if all seeds agree. */
export function countText(variant: VariantResult, figure: Figure): string {
  const { [figure]: mean } = variant.mean;
  const isWhole = mean !== null && Number.isInteger(mean) && (variant.std[figure] ?? 0) === 0;
  return isWhole ? formatFixed(mean, 0) : meanText(variant, figure, 1);
}

/** Percent with the decimals of published tables: four for a small false positive rate, else two. */
export function percentText(variant: Pick<VariantResult, 'mean' | 'std'>, figure: Figure): string {
  const isSmall = figure === 'fpr' && (variant.mean.fpr ?? 0) < 0.01;
  const text = meanText(variant, figure, isSmall ? 4 : 2, 100);
  // Rounding must not turn a rate below 1 into 100 percent.
  return (variant.mean[figure] ?? 1) < 1 ? text.replace(/^100\.00/, '> 99.99') : text;
}

export function publishedText(value: number | null | undefined, decimals = 2): string {
  return value === null || value === undefined ? NOTHING : formatFixed(value, decimals);
}

export function thresholdText({ threshold: { kind, asked, oracle } }: SeedResult): string {
  return oracle ? 'oracle' : (asked ?? kind);
}

/** A rate per day of a shorter test would multiply what little was seen. */
const SHORTEST_FOR_RATES = 0.5;

/** Whether the test spans enough host-days to state false incidents per host and day. */
export function hasDailyRate({ splits }: EvaluationResult['data']): boolean {
  return (splits.test?.hostDays ?? Number.POSITIVE_INFINITY) >= SHORTEST_FOR_RATES;
}

/**
 * Updates of the weights in training; null for a variant that learns nothing by gradients. The median, because a variant that
 * trains until it stops improving takes other steps with each seed.
 */
export function stepsOf({ seeds }: Pick<VariantResult, 'seeds'>): number | null {
  const steps = seeds.flatMap(({ budget }) => budget?.steps ?? []).sort((a, b) => a - b);
  return steps[steps.length >> 1] ?? null;
}

export const scaled = (value: number | null, scale: number): number | null =>
  value === null ? null : value * scale;
