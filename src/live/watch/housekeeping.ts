import { spaceProblem } from '../../base/files/space-problem.js';
import type { LiveIngest } from '../../store/live/live-ingest.js';
import type { WatchLog } from './watch-log.js';

/** Files that a commit replaced stay this long for commands that read the store at the same time. */
const KEEP_OLD_MS = 60_000;
/** Compaction waits this long after it found no space. */
const PAUSE_MS = 30_000;

export interface HousekeepingOptions {
  /** Nanoseconds of events to keep; undefined for all. */
  readonly keep?: bigint | undefined;
  readonly log: WatchLog;
}

/** Merges small segments, and removes replaced files and old days. A full disk puts this off; it is never needed at once. */
export class Housekeeping {
  readonly #ingest: LiveIngest;
  readonly #options: HousekeepingOptions;
  #removedAt = Date.now();
  #droppedBefore = '';
  #notBefore = 0;

  constructor(ingest: LiveIngest, options: HousekeepingOptions) {
    this.#ingest = ingest;
    this.#options = options;
  }

  /** `isQuiet` if no other process reads the store, `isBehind` if more lines wait. */
  async keep(
    { isQuiet, isBehind }: { isQuiet: boolean; isBehind: boolean },
    latest: bigint | undefined,
  ): Promise<void> {
    const now = Date.now();
    if (now < this.#notBefore) return;
    try {
      if (isQuiet && now - this.#removedAt >= KEEP_OLD_MS) {
        await this.#ingest.removeOld();
        this.#removedAt = now;
        await this.#retain(latest);
      }
      if (this.#ingest.wantsCompaction(isBehind)) await this.#ingest.compact();
    } catch (error) {
      const problem = spaceProblem(error);
      if (problem === undefined) throw error;
      this.#options.log('warn', 'housekeeping', { error: problem });
      this.#notBefore = now + PAUSE_MS;
    }
  }

  /** Removes days that are older than asked, once a day. */
  async #retain(latest: bigint | undefined): Promise<void> {
    const { keep, log } = this.#options;
    if (keep === undefined || latest === undefined) return;
    const before = new Date(Number((latest - keep) / 1_000_000n)).toISOString().slice(0, 10);
    if (before === this.#droppedBefore) return;
    const dropped = await this.#ingest.drop(before);
    this.#droppedBefore = before;
    if (dropped.events > 0) log('info', 'dropped', { before, events: dropped.events, bytes: dropped.bytes });
  }
}
