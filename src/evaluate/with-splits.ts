import type { LocatedProblem } from '../store/ingest-counters.js';
import { ingestSplits, openSplits, type SplitInputs, type Splits } from './protocol/splits.js';
import { WorkFolder } from './work-folder.js';

export interface WithSplitsOptions {
  /** Log files are read into a temporary folder below this one. */
  readonly out: string;
  /** Parse threads; 1 means that everything runs on the main thread. */
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly watch?: SplitsWatch | undefined;
}

/** Receives the progress of reading the splits. */
export interface SplitsWatch {
  /** A note about leftovers of an earlier run. */
  note?(note: string): void;
  /** Log files are read this far. */
  reading?(bytes: number, events: number): void;
  /** The malformed lines of one split. */
  read?(read: { readonly malformed: number; readonly problems: readonly LocatedProblem[] }): void;
}

/** Opens the splits of an evaluation for some work, and removes the temporary store afterwards. */
export async function withSplits<T>(
  inputs: SplitInputs,
  { out, threads, signal, watch }: WithSplitsOptions,
  work: (splits: Splits) => Promise<T>,
): Promise<T> {
  const folder = new WorkFolder(out);
  try {
    for (const note of await folder.clearLeftovers()) watch?.note?.(note);
    const sources = await ingestSplits(inputs, {
      folder: () => folder.path(),
      threads: threads === 1 ? 0 : threads,
      signal,
      noticed: (read) => watch?.read?.(read),
      onProgress: ({ bytes, events }) => watch?.reading?.(bytes, events),
    });
    return await work(await openSplits(sources));
  } finally {
    await folder.remove();
  }
}
