import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSystemError } from '../../base/errors.js';
import { type Suppression, TriageState, triagePath } from '../triage/triage-ledger.js';
import type { WatchLog } from './watch-log.js';

/** A line may be read while its writer replaces an unfinished one. */
const READ_AGAIN_MS = 100;

/**
 * What people decided about the incidents of a watch, as far as it was read. Reading takes no lock, so that the commands never
 * wait. If the file cannot be read, the decisions before stay in force.
 */
export class LiveDecisions {
  readonly #path: string;
  readonly #log: WatchLog;
  #stamp = '';
  /** Why the decisions cannot be read; undefined if they can. */
  problem: string | undefined;
  triage = new TriageState([]);

  constructor(store: string, log: WatchLog) {
    this.#path = triagePath({ store }) as string;
    this.#log = log;
  }

  /** Reads the ledger again if it has changed. */
  async refresh(): Promise<void> {
    try {
      const stamp = await stampOf(this.#path);
      if (stamp === this.#stamp && this.problem === undefined) return;
      this.triage = await TriageState.read(this.#path).catch(async () => {
        await sleep(READ_AGAIN_MS);
        return TriageState.read(this.#path);
      });
      this.#stamp = stamp;
      this.problem = undefined;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error.message !== this.problem)
        this.#log('error', 'decisions', { file: this.#path, error: error.message });
      this.problem = error.message;
    }
  }

  /** Suppressions that hold now. */
  active(): Suppression[] {
    return this.triage.active(new Date());
  }

  /** Changes with every decision, and when a suppression ends. */
  get key(): string {
    return [this.triage.entries.length, ...this.active().map(({ id }) => id)].join(' ');
  }
}

async function stampOf(path: string): Promise<string> {
  try {
    const { size, mtimeNs, ino } = await stat(path, { bigint: true });
    return `${size} ${mtimeNs} ${ino}`;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return 'none';
    throw error;
  }
}
