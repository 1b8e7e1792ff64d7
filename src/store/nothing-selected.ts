import { EXIT, RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';
import { isoTime } from '../base/time-text.js';
import type { Selection, Store } from './store.js';

/** Most hosts or splits that a hint lists. */
const LISTED = 5;

/** The error for a selection without events. It repeats the selection and describes what the store contains. */
export function nothingSelected(store: Store, selection: Selection): RecalError {
  const options = Object.entries(selection).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [`--${key} ${typeof value === 'bigint' ? isoTime(value) : printable(value, 80)}`],
  );
  const { from, to } = selection;
  if (from !== undefined && to !== undefined && from >= to) {
    return new RecalError('nothing-selected', '--from must be before --to', {
      hint: describeContents(store),
      exit: EXIT.usage,
    });
  }
  const message =
    options.length === 0
      ? 'the store contains no events'
      : `the store contains no events for ${options.join(' ')}`;
  return new RecalError('nothing-selected', message, { hint: describeContents(store), exit: EXIT.usage });
}

/** Describes in one line which times, hosts and splits a store contains. */
export function describeContents(store: Store): string {
  const segments = store.segments('events');
  const times = segments.flatMap(({ firstTs, lastTs }) => [BigInt(firstTs ?? 0), BigInt(lastTs ?? 0)]);
  const ordered = BigInt64Array.from(times).sort();
  if (ordered.length === 0) return 'the store is empty; add logs with: recal ingest FILE… --store DIR';
  const list = (names: Iterable<string>) => {
    const all = [...new Set(names)];
    const shown = all.slice(0, LISTED).map((name) => printable(name, 60));
    return all.length > LISTED ? `${shown.join(', ')} and ${all.length - LISTED} more` : shown.join(', ');
  };
  const splits = store.splits.length === 0 ? '' : `; splits: ${list(store.splits)}`;
  const first = isoTime(ordered[0]);
  const last = isoTime(ordered[ordered.length - 1]);
  return `the store contains ${first} to ${last}; hosts: ${list(segments.map(({ host }) => host))}${splits}`;
}
