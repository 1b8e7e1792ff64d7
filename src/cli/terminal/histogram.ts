import { printable } from '../../base/printable.js';
import { columnsOf, cutTo } from './columns.js';
import { formatCount } from './quantities.js';
import type { Look } from './tables.js';

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const WIDEST_BAR = 60;
const WIDEST_LABEL = 40;

export interface Bar {
  label: string;
  count: number;
}

/**
 * Horizontal bars on a log scale: counts in audit logs span six orders of magnitude, and the rare ones matter. Every
 * count above zero gets at least a sliver. Say "log scale" in the heading.
 */
export function renderHistogram(bars: readonly Bar[], look: Look): string[] {
  const ellipsis = look.unicode ? '…' : '~';
  const labels = bars.map((bar) => cutTo(printable(bar.label), labelRoom(look.width), ellipsis));
  const counts = bars.map((bar) => formatCount(bar.count));
  const labelWidth = Math.max(0, ...labels.map(columnsOf));
  const countWidth = Math.max(0, ...counts.map((count) => count.length));
  const room = Math.max(4, Math.min(WIDEST_BAR, look.width - labelWidth - countWidth - 4));
  const top = Math.log1p(Math.max(0, ...bars.map((bar) => bar.count)));
  return bars.map((bar, index) => {
    const share = top === 0 || !(bar.count > 0) ? 0 : Math.log1p(bar.count) / top;
    const label = labels[index] + ' '.repeat(labelWidth - columnsOf(labels[index]));
    return `${label}  ${counts[index].padStart(countWidth)}  ${drawBar(share, room, look.unicode)}`.trimEnd();
  });
}

const labelRoom = (width: number): number => Math.max(8, Math.min(WIDEST_LABEL, Math.floor(width / 2)));

function drawBar(share: number, room: number, unicode: boolean): string {
  if (share <= 0) return '';
  if (!unicode) return '#'.repeat(Math.max(1, Math.round(share * room)));
  const eighths = Math.max(1, Math.round(share * room * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}
