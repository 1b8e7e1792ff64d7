import { shortenMiddle } from '../page/shorten.js';

/**
 * A chart with one row a name: the axis of rows, and the room that the names take on the left. Rows are known by number,
 * because two names may be the same after shortening to `longest` characters. `padding` is the share between rows.
 */
export function rowAxis(names: readonly string[], longest: number, padding = 0.1) {
  const labels = names.map((name) => shortenMiddle(name, longest));
  const widest = labels.reduce((most, label) => Math.max(most, label.length), 0);
  return {
    marginLeft: 18 + widest * 7,
    y: {
      type: 'band',
      domain: labels.map((_, row) => row),
      tickFormat: (row: number) => labels[row],
      label: null,
      tickSize: 0,
      padding,
    },
  } as const;
}
