import type { AlertMoment } from './alert.js';

const NANOSECONDS = 1_000_000_000n;

/** A 64-bit count of nanoseconds, exact and as ISO 8601 with all nine digits. */
export function momentOf(ns: bigint): AlertMoment {
  const rest = BigInt.asUintN(64, ((ns % NANOSECONDS) + NANOSECONDS) % NANOSECONDS);
  const seconds = (ns - rest) / NANOSECONDS;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, -5);
  return { ns: String(ns), iso: `${whole}.${String(rest).padStart(9, '0')}Z` };
}

/** To the second, for sentences. */
export function tellMoment({ iso }: AlertMoment): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, '');
}
