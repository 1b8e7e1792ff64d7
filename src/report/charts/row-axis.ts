import { shortenMiddle } from '../page/shorten.js';

/**
 * The axis of a chart with one row per name, and the left margin for the names. Rows are numbered, because two names may
 * be equal after shortening to `longest` characters. `padding` is the share of a row that stays empty.
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
