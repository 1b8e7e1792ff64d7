import { printable } from '../../base/printable.js';
import type { Output } from './output.js';
import { formatBytes, formatCount, formatDuration } from './quantities.js';

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 10_000;

export interface ProgressOptions {
  /** The number of units to do, if known. */
  total?: number | undefined;
  /** The unit: 'bytes' (default) or a plural such as 'epochs'. */
  unit?: string;
}

/**
 * Prints the progress of a long task. On a terminal it redraws one line, at most ten times a second; elsewhere it
 * prints a line every ten seconds. It needs no timer, because `update` drives it.
 */
export class Progress {
  private readonly label: string;
  private readonly unit: string;
  private readonly total: number | undefined;
  private readonly started: number;
  private drawn: number;
  private open = true;

  constructor(
    private readonly out: Output,
    label: string,
    options: ProgressOptions = {},
    private readonly now: () => number = () => performance.now(),
  ) {
    this.label = printable(label, 200);
    this.total = options.total;
    this.unit = options.unit ?? 'bytes';
    this.started = now();
    // On a terminal the first update is shown at once.
    this.drawn = out.live ? Number.NEGATIVE_INFINITY : this.started;
  }

  /** Sets the units done and, for reading, the events read, both since the start. */
  update(done: number, events?: number): void {
    if (!this.open || this.out.quiet) return;
    const time = this.now();
    if (time - this.drawn < (this.out.live ? REDRAW_MS : PLAIN_LINE_MS)) return;
    this.drawn = time;
    const line = this.describe(done, events, time - this.started);
    if (this.out.live) this.out.status(line);
    else this.out.info(line);
  }

  /** Removes the line. */
  finish(): void {
    if (this.open && this.out.live) this.out.status('');
    this.open = false;
  }

  private describe(done: number, events: number | undefined, elapsed: number): string {
    const bytes = this.unit === 'bytes';
    const amount = (value: number): string =>
      bytes ? formatBytes(Math.round(value)) : formatCount(round(value));
    const suffix = bytes ? '' : ` ${this.unit}`;
    const parts = [this.label];
    const { total } = this;
    if (total !== undefined && total > 0) {
      parts.push(
        `${amount(done)} / ${amount(total)}${suffix}`,
        `${Math.min(100, Math.floor((100 * done) / total))}%`,
      );
    } else parts.push(`${amount(done)}${suffix}`);
    // In the first half second, rate and ETA are not reliable.
    if (elapsed >= 500) {
      const rate = done / (elapsed / 1000);
      parts.push(`${amount(rate)}${suffix}/s`);
      if (events !== undefined) parts.push(`${formatCount(Math.round(events / (elapsed / 1000)))} events/s`);
      if (total !== undefined && rate > 0) {
        parts.push(`ETA ${formatDuration(Math.max(0, Math.ceil((total - done) / rate)) * 1000)}`);
      }
    }
    return parts.join('  ');
  }
}

/** Rates below ten keep two decimals, because an epoch may take a minute. */
const round = (value: number): number => (value < 10 ? Math.round(value * 100) / 100 : Math.round(value));
