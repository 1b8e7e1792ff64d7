import { groupThousands } from '../../base/number-text.js';
import { isoMilliseconds } from '../../base/time-text.js';

/** A number in as few digits as say it: 1,234,567 · 0.0312 · 3.1e-7. `digits` are significant ones for fractions. */
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
  // Digits before the point are never rounded away.
  return minus(groupThousands(String(Number(value.toPrecision(Math.max(digits, whole))))));
}

/** A number with this many decimals, for columns whose points should stand under each other. */
export function formatFixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return formatNumber(value);
  return minus(groupThousands(value.toFixed(decimals)));
}

/** A share as percent. */
export function formatPercent(share: number, decimals = 1): string {
  return Number.isFinite(share) ? `${formatFixed(share * 100, decimals)} %` : formatNumber(share);
}

/** Seconds as a person says them. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return formatNumber(seconds);
  if (seconds < 1) return `${formatNumber(Math.round(seconds * 1000))} ms`;
  if (seconds < 90) return `${formatFixed(seconds, 1)} s`;
  if (seconds < 5400) return `${formatFixed(seconds / 60, 1)} min`;
  return `${formatFixed(seconds / 3600, 1)} h`;
}

/** Nanoseconds since the epoch as UTC to the millisecond, or as their plain number where no calendar reaches. */
export function formatTime(nanoseconds: bigint): string {
  return isoMilliseconds(nanoseconds).replace('T', ' ').replace('Z', ' UTC');
}

const minus = (text: string): string => text.replace(/^-/, '−');
