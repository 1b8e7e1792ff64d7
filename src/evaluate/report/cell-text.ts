import { formatFixed } from '../../report/page/format.js';
import type { Content } from '../../report/page/html.js';
import type { Figure, VariantResult } from '../result-schema.js';

const NOTHING = '–';

/** A mean over seeds with its deviation, times `scale`. */
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

/** A count over seeds: whole where it is. */
export function countText(variant: VariantResult, figure: Figure): string {
  const { [figure]: mean } = variant.mean;
  const whole = mean !== null && Number.isInteger(mean) && (variant.std[figure] ?? 0) === 0;
  return whole ? formatFixed(mean, 0) : meanText(variant, figure, 1);
}

/** Percent with as many decimals as published tables have; a rate of false alarms in whole percents needs fewer. */
export function percent(variant: Pick<VariantResult, 'mean' | 'std'>, figure: Figure): string {
  const isSmall = figure === 'fpr' && (variant.mean.fpr ?? 0) < 0.01;
  return meanText(variant, figure, isSmall ? 4 : 2, 100);
}

export function publishedText(value: number | null | undefined, decimals = 2): Content {
  return value === null || value === undefined ? NOTHING : formatFixed(value, decimals);
}

export const scaled = (value: number | null, scale: number): number | null =>
  value === null ? null : value * scale;
