import { z } from 'zod';

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
const DURATION = /^(\d+(?:\.\d+)?)(s|m|h|d|w)$/;

/** The type of a setting such as `30s`, `2m`, `12h` or `7d`; with `never`, also that word. */
export function durationType({ never = false } = {}) {
  const isDuration = (text: string) => DURATION.test(text) || (never && text === 'never');
  return z
    .string()
    .refine(isDuration, `expected a time such as 30s, 10m, 12h or 7d${never ? ', or never' : ''}`);
}

/** The seconds of such a setting; 0 for `never`. */
export function secondsOf(text: string): number {
  const [, count, unit] = DURATION.exec(text) ?? [];
  return unit === undefined ? 0 : Number(count) * UNITS[unit as keyof typeof UNITS];
}

/** The same in nanoseconds. */
export function nanosecondsOf(text: string): bigint {
  return BigInt(Math.round(secondsOf(text) * 1000)) * 1_000_000n;
}
