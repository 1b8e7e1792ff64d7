import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { isoTime } from '../../base/time-text.js';
import type { StoredLoss } from '../../store/manifest.js';
import { formatCount } from './quantities.js';

const MOST_SHOWN = 5;

/** Says what the sensor lost, where and when, the first losses one by one. */
export function lossTexts(losses: readonly StoredLoss[]): string[] {
  const shown = losses.slice(0, MOST_SHOWN).map(({ host, from, to, records, reason }) => {
    const count = records === 0 ? 'records' : countOf(records, 'record');
    const time = from === to ? `at ${seconds(from)}` : `between ${seconds(from)} and ${seconds(to)}`;
    return `${count} ${time} on host ${printable(host, 80)} (${printable(reason, 40)})`;
  });
  const more = losses.length - shown.length;
  return more > 0 ? [...shown, `${formatCount(more)} more losses`] : shown;
}

/** The time without fractions of a second. */
function seconds(ns: string): string {
  return isoTime(BigInt(ns)).replace(/\.\d+Z$/, 'Z');
}
