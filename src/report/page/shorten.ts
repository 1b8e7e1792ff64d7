import { printable } from '../../base/printable.js';

/**
 * Shortens a text to at most `most` characters by cutting its middle, because the ends of a path say most. The result is
 * printable, and code points stay whole.
 */
export function shortenMiddle(text: string, most: number): string {
  const points = Array.from(printable(text, Number.POSITIVE_INFINITY));
  if (points.length <= most) return points.join('');
  const tail = Math.floor((most - 1) / 2);
  return `${points.slice(0, most - 1 - tail).join('')}…${tail === 0 ? '' : points.slice(-tail).join('')}`;
}
