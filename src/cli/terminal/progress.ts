import { printable } from '../../base/printable.js';
import type { Output } from './output.js';
import { formatBytes, formatCount, formatDuration } from './quantities.js';

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 10_000;

export interface ProgressOptions {
  /** How much there is to do, when that is known. */
  total?: number | undefined;
  /** What is counted: 'bytes' (the default), or a plural such as 'epochs'. */
  unit?: string;
}

/**
 * Progress of one piece of long work. On a terminal one line is redrawn, at most ten times a second; elsewhere a plain
 * line appears every ten seconds, so that a log of a short run has none. Driven by `update` alone: no timer to leak.
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
    // The first line waits for the first figures, which on a terminal may come at once.
    this.drawn = out.live ? Number.NEGATIVE_INFINITY : this.started;
  }

  /** `done` units so far, and, where events are read, how many; both count from the start. */
  update(done: number, events?: number): void {
    if (!this.open || this.out.quiet) return;
    const time = this.now();
    if (time - this.drawn < (this.out.live ? REDRAW_MS : PLAIN_LINE_MS)) return;
    this.drawn = time;
    const line = this.describe(done, events, time - this.started);
    if (this.out.live) this.out.status(line);
    else this.out.info(line);
  }

  /** Takes the line away; the command itself says what was done. */
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
    // In the first half second the rate is noise, and so is the time left.
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

/** Rates below ten keep two digits: an epoch may take a minute. */
const round = (value: number): number => (value < 10 ? Math.round(value * 100) / 100 : Math.round(value));
