import { EXIT, RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';
import { isoTime } from '../base/time-text.js';
import type { Selection, Store } from './store.js';

/** Names of hosts and splits that a hint lists. */
const LISTED = 5;

/** Nothing to work on, in terms of what was asked for, and what there is instead. */
export function nothingSelected(store: Store, selection: Selection): RecalError {
  const asked = Object.entries(selection).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [`--${key} ${typeof value === 'bigint' ? isoTime(value) : printable(value, 80)}`],
  );
  return new RecalError('nothing-selected', `the store holds no event for ${asked.join(' ') || 'this'}`, {
    hint: describeContents(store),
    exit: EXIT.usage,
  });
}

/** What a store has events of, in a line. */
export function describeContents(store: Store): string {
  const segments = store.segments('events');
  const times = segments.flatMap(({ firstTs, lastTs }) => [BigInt(firstTs ?? 0), BigInt(lastTs ?? 0)]);
  const ordered = BigInt64Array.from(times).sort();
  if (ordered.length === 0) return 'it holds no event at all: fill it with recal ingest FILE… --store DIR';
  const list = (names: Iterable<string>) => {
    const all = [...new Set(names)];
    const shown = all.slice(0, LISTED).map((name) => printable(name, 60));
    return all.length > LISTED ? `${shown.join(', ')} and ${all.length - LISTED} more` : shown.join(', ');
  };
  const splits = store.splits.length === 0 ? '' : `; splits: ${list(store.splits)}`;
  return `it holds ${isoTime(ordered[0])} to ${isoTime(ordered[ordered.length - 1])}; hosts: ${list(segments.map(({ host }) => host))}${splits}`;
}
