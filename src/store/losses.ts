import type { Loss } from '../ingest/batch.js';
import type { StoredLoss } from './manifest.js';
import { UNKNOWN_HOST } from './segments/segment-writer.js';

/** Losses of one kind that are closer than this are one. */
const GAP = 60_000_000_000n;
/** A log with more losses than this keeps the first ones apart, and joins the rest by host and reason. */
const MOST_LOSSES = 1000;

/** Collects the losses that logs report, joined by host, reason and time. */
export class LossCollector {
  readonly #losses: (Omit<StoredLoss, 'from' | 'to'> & { from: bigint; to: bigint })[] = [];

  add({ host, from, to, records, reason }: Loss, replacement: string | undefined): void {
    const at = replacement ?? host ?? UNKNOWN_HOST;
    const full = this.#losses.length >= MOST_LOSSES;
    const known = this.#losses.findLast(
      (loss) =>
        loss.host === at &&
        loss.reason === reason &&
        (full || (from <= loss.to + GAP && loss.from <= to + GAP)),
    );
    if (known === undefined) {
      this.#losses.push({ host: at, from, to, records, reason });
      return;
    }
    if (from < known.from) known.from = from;
    if (to > known.to) known.to = to;
    known.records += records;
  }

  get stored(): StoredLoss[] {
    return [...this.#losses]
      .sort((a, b) => Number(a.from > b.from) - Number(a.from < b.from))
      .map((loss) => ({ ...loss, from: String(loss.from), to: String(loss.to) }));
  }
}

/** The losses of several ingests, joined as those of one. */
export function addLosses(all: readonly (readonly StoredLoss[])[]): StoredLoss[] {
  const losses = new LossCollector();
  for (const loss of all.flat())
    losses.add({ ...loss, from: BigInt(loss.from), to: BigInt(loss.to) }, undefined);
  return losses.stored;
}
