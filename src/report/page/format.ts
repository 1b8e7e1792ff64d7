import { groupThousands } from '../../base/number-text.js';
import { isoMilliseconds } from '../../base/time-text.js';

/** A number in few digits: 1,234,567 · 0.0312 · 3.1e-7. `digits` counts the significant digits of fractions. */
export function formatNumber(value: number | bigint, digits = 4): string {
  if (typeof value === 'bigint') return minus(groupThousands(value.toString()));
  if (Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e15)
    return minus(value.toExponential(Math.min(2, digits - 1)).replace('e+', 'e'));
  if (Number.isInteger(value)) return minus(groupThousands(String(value)));
  const whole = Math.floor(Math.log10(size)) + 1;
  // Never round away digits before the decimal point.
  return minus(groupThousands(String(Number(value.toPrecision(Math.max(digits, whole))))));
}

/** A number with a fixed count of decimals, so that the decimal points of a column align. */
export function formatFixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return formatNumber(value);
  return minus(groupThousands(value.toFixed(decimals)));
}

/** A share as percent. A share below 1 is never rounded up to 100 %. */
export function formatPercent(share: number, decimals = 1): string {
  if (!Number.isFinite(share)) return formatNumber(share);
  const percent = formatFixed(share * 100, decimals);
  const isRoundedUp = share < 1 && percent === formatFixed(100, decimals);
  return isRoundedUp ? `more than ${formatFixed(100 - 10 ** -decimals, decimals)} %` : `${percent} %`;
}

/** A probability as a frequency, for example "1 in 5,000" or "1 in 7×10⁸". */
export function formatFrequency(probability: number): string {
  if (!(probability > 0)) return 'never';
  if (probability > 0.5) return 'more than 1 in 2';
  if (probability >= 1e-6) return `1 in ${formatNumber(Math.round(1 / probability))}`;
  const [digit, exponent] = Math.min(1 / probability, Number.MAX_VALUE)
    .toExponential(0)
    .split('e+');
  return `1 in ${digit}×10${exponent.replace(/\d/g, (each) => SUPERSCRIPTS[Number(each)])}`;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A duration in a suitable unit. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return formatNumber(seconds);
  if (seconds < 1) return `${formatNumber(Math.round(seconds * 1000))} ms`;
  if (seconds < 90) return `${formatFixed(seconds, 1)} s`;
  if (seconds < 5400) return `${formatFixed(seconds / 60, 1)} min`;
  return `${formatFixed(seconds / 3600, 1)} h`;
}

/** Nanoseconds since the epoch as UTC to the millisecond, or as a plain number if no calendar date fits. */
export function formatTime(nanoseconds: bigint): string {
  return isoMilliseconds(nanoseconds).replace('T', ' ').replace('Z', ' UTC');
}

const minus = (text: string): string => text.replace(/^-/, '−');
