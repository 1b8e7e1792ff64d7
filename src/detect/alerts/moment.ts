import { isoTime } from '../../base/time-text.js';
import type { AlertMoment } from './alert.js';

/** A 64-bit count of nanoseconds, exact and for people. */
export function momentOf(ns: bigint): AlertMoment {
  return { ns: String(ns), iso: isoTime(ns) };
}

/** To the second, for sentences. */
export function formatMoment({ iso }: AlertMoment): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, '');
}
