import type { Batch, Loss } from '../../batch.js';
import type { Assembler } from '../reader.js';

const START = 'throttle-start';
const STOP = 'throttle-stop';
/** More cgroups than a host throttles at once. */
const MOST_OPEN = 1024;

/** What a throttle event says. The reader leaves it in the losses of a batch, and the assembler joins start and stop. */
export function throttle(start: boolean, host: string | undefined, time: bigint, cgroup: string): Loss {
  return {
    host,
    from: time,
    to: time,
    records: 0,
    reason: `${start ? START : STOP} ${cgroup.slice(0, 256)}`,
  };
}

interface OpenThrottle {
  host: string | undefined;
  from: string;
}

/** Joins the start and the stop of throttling to one loss. Tetragon does not say how many events it dropped. */
export class Throttles implements Assembler {
  readonly #open: Map<string, OpenThrottle>;

  constructor(state: unknown) {
    this.#open = new Map(isState(state) ? state.open : []);
  }

  take(batch: Batch): void {
    batch.losses = batch.losses.flatMap((loss) => this.#join(loss));
  }

  #join(loss: Loss): Loss[] {
    const [kind] = loss.reason.split(' ', 1);
    if (kind !== START && kind !== STOP) return [loss];
    const key = JSON.stringify([loss.host ?? null, loss.reason.slice(kind.length + 1)]);
    const open = this.#open.get(key);
    if (kind === START) {
      if (open === undefined && this.#open.size < MOST_OPEN)
        this.#open.set(key, { host: loss.host, from: String(loss.from) });
      return [];
    }
    this.#open.delete(key);
    const started = open === undefined ? loss.from : BigInt(open.from);
    return [{ ...loss, from: started > loss.to ? loss.from : started, reason: 'throttle' }];
  }

  /** Throttling that goes on is a loss from its start. It stays open for the next file. */
  finish(batch: Batch): void {
    for (const { host, from } of this.#open.values())
      batch.losses.push({ host, from: BigInt(from), to: BigInt(from), records: 0, reason: 'throttle' });
  }

  save(): unknown {
    return { open: [...this.#open] };
  }
}

function isState(state: unknown): state is { open: [string, OpenThrottle][] } {
  const open = (state as { open?: unknown } | null | undefined)?.open;
  return (
    Array.isArray(open) &&
    open.every(
      (entry) =>
        Array.isArray(entry) &&
        typeof entry[0] === 'string' &&
        /^-?\d{1,19}$/.test(String((entry[1] as Partial<OpenThrottle> | null)?.from)),
    )
  );
}
