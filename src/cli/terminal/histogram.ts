import { printable } from '../../base/printable.js';
import { columnsOf, cutTo } from './columns.js';
import { formatCount } from './quantities.js';
import type { Look } from './tables.js';

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const MAX_BAR_WIDTH = 60;
const MAX_LABEL_WIDTH = 40;

export interface Bar {
  label: string;
  count: number;
}

/**
 * Horizontal bars on a log scale, because counts in audit logs span six orders of magnitude. Every count above zero has
 * a visible bar. The caller's heading must say "log scale".
 */
export function renderHistogram(bars: readonly Bar[], look: Look): string[] {
  const ellipsis = look.unicode ? '…' : '~';
  const labels = bars.map((bar) => cutTo(printable(bar.label), maxLabelWidth(look.width), ellipsis));
  const counts = bars.map((bar) => formatCount(bar.count));
  const labelWidth = Math.max(0, ...labels.map(columnsOf));
  const countWidth = Math.max(0, ...counts.map((count) => count.length));
  const barWidth = Math.max(4, Math.min(MAX_BAR_WIDTH, look.width - labelWidth - countWidth - 4));
  const top = Math.log1p(Math.max(0, ...bars.map((bar) => bar.count)));
  return bars.map((bar, index) => {
    const share = top === 0 || !(bar.count > 0) ? 0 : Math.log1p(bar.count) / top;
    const label = labels[index] + ' '.repeat(labelWidth - columnsOf(labels[index]));
    const drawn = drawBar(share, barWidth, look.unicode);
    return `${label}  ${counts[index].padStart(countWidth)}  ${drawn}`.trimEnd();
  });
}

function maxLabelWidth(width: number): number {
  return Math.max(8, Math.min(MAX_LABEL_WIDTH, Math.floor(width / 2)));
}

function drawBar(share: number, width: number, unicode: boolean): string {
  if (share <= 0) return '';
  if (!unicode) return '#'.repeat(Math.max(1, Math.round(share * width)));
  const eighths = Math.max(1, Math.round(share * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}
