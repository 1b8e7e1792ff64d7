import { printable } from '../../base/printable.js';

/**
 * A text of at most `most` characters: the middle goes, because a path says most at its ends. The result is printable,
 * so what is counted is what is shown. Code points stay whole.
 */
export function shortenMiddle(text: string, most: number): string {
  const points = Array.from(printable(text, Number.POSITIVE_INFINITY));
  if (points.length <= most) return points.join('');
  const tail = Math.floor((most - 1) / 2);
  return `${points.slice(0, most - 1 - tail).join('')}…${tail === 0 ? '' : points.slice(-tail).join('')}`;
}
