import { isoTime } from '../../base/time-text.js';
import type { AlertMoment } from './alert.js';

/** A time in nanoseconds, exact and as text. */
export function momentOf(ns: bigint): AlertMoment {
  return { ns: String(ns), iso: isoTime(ns) };
}

/** The time to the second, for sentences. */
export function formatMoment({ iso }: AlertMoment): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, '');
}
