import type { TrainingConfig } from '../../model/training/training-config.js';
import { readFileStarts } from '../../store/file-starts.js';
import type { Selection, Store } from '../../store/store.js';

/** The share of the benign time span that is used for calibration (method §6); the paper gives no share. */
const SHARE = 0.2;
const MINUTE = 60_000_000_000n;

/** The most events that count as strays: events with a wrong clock, far from all others. */
const STRAY_SHARE = 0.01;

/** A benign time span, divided into an earlier split for training and a later one for calibration. */
export interface HoldOut {
  readonly train: Selection;
  readonly calibrate: Selection;
  /** The start of calibration. */
  readonly boundary: bigint;
  /** Stray events, which are in neither split. */
  readonly strays: number;
}

/** The time span and the number of events of a segment. */
interface SegmentSpan {
  readonly first: bigint;
  readonly last: bigint;
  readonly events: number;
}

/**
 * Holds out the last fifth of the selected time span for calibration. It begins at the start of a window, or of a file if
 * one is near. Returns undefined if the span is empty.
 */
export async function holdOut(
  store: Store,
  selection: Selection,
  config: Pick<TrainingConfig, 'graph' | 'window'>,
): Promise<HoldOut | undefined> {
  const { first, last, strays } = spanOf(store, selection);
  if (first >= last) return undefined;
  const wanted = last - (last - first) / BigInt(Math.round(1 / SHARE));
  const boundary =
    config.graph === 'window'
      ? windowNear(wanted, BigInt(Math.round(config.window * Number(MINUTE))), first, last)
      : (fileNear(await readFileStarts(store, selection), wanted, first, last) ?? wanted);
  const train = { ...selection, to: boundary, ...(strays > 0 ? { from: first } : {}) };
  const calibrate = { ...selection, from: boundary, ...(strays > 0 ? { to: last + 1n } : {}) };
  return { train, calibrate, boundary, strays };
}

/** The first and last time of the selected segments, without strays. */
function spanOf(store: Store, selection: Selection): { first: bigint; last: bigint; strays: number } {
  const spans: SegmentSpan[] = [];
  for (const { firstTs, lastTs, rows } of store.segments('events', selection)) {
    if (firstTs === null || lastTs === null) continue;
    spans.push({ first: BigInt(firstTs), last: BigInt(lastTs), events: rows });
  }
  const { from, to } = selection;
  // A selection with a start or an end time is used as it is.
  const { kept, strays } =
    from === undefined && to === undefined ? leaveOutStrays(spans) : { kept: spans, strays: 0 };
  let [first, last] = [2n ** 63n, -(2n ** 63n)];
  for (const each of kept) {
    if (each.first < first) first = each.first;
    if (each.last > last) last = each.last;
  }
  if (from !== undefined && from > first) first = from;
  if (to !== undefined && to - 1n < last) last = to - 1n;
  return { first, last, strays };
}

/**
 * One event of 1970 among those of a week would put the whole week into the last fifth. So a few events before or after a
 * gap that is longer than the remaining span are left out.
 */
function leaveOutStrays(spans: readonly SegmentSpan[]): { kept: readonly SegmentSpan[]; strays: number } {
  const total = spans.reduce((sum, { events }) => sum + events, 0);
  let kept = spans;
  // Strays at one end can hide those at the other, so both ends are checked until no more are found.
  for (let before = -1; before !== kept.length; ) {
    before = kept.length;
    kept = withoutStrays(withoutStrays(kept, total).map(mirrored), total).map(mirrored);
  }
  return { kept, strays: total - kept.reduce((sum, { events }) => sum + events, 0) };
}

function mirrored({ first, last, events }: SegmentSpan): SegmentSpan {
  return { first: -last, last: -first, events };
}

function withoutStrays(spans: readonly SegmentSpan[], total: number): readonly SegmentSpan[] {
  const ascending = [...spans].sort((a, b) => Number(a.first - b.first));
  if (ascending.length === 0) return ascending;
  const end = latest(ascending);
  let [events, strays] = [0, 0];
  for (let i = 0; i + 1 < ascending.length; i++) {
    events += ascending[i].events;
    if (events > total * STRAY_SHARE) break;
    const next = ascending[i + 1].first;
    if (next - latest(ascending.slice(0, i + 1)) > end - next) strays = i + 1;
  }
  return ascending.slice(strays);
}

function latest(spans: readonly SegmentSpan[]): bigint {
  let found = spans[0].last;
  for (const { last } of spans) if (last > found) found = last;
  return found;
}

/** The start of a window at or after `wanted`, or before it if that would leave less than half of the share. */
function windowNear(wanted: bigint, step: bigint, first: bigint, last: bigint): bigint {
  const floor = wanted - (((wanted % step) + step) % step);
  const share = last - wanted;
  const after = floor === wanted ? wanted : floor + step;
  if (last - after >= share / 2n) return after;
  return floor > first ? floor : wanted;
}

/** The start of the file nearest to `wanted` that leaves between half and twice the share. */
function fileNear(
  starts: ReadonlyMap<number, bigint>,
  wanted: bigint,
  first: bigint,
  last: bigint,
): bigint | undefined {
  const share = last - wanted;
  const near = [...starts.values()]
    .filter((start) => start > first && last - start >= share / 2n && last - start <= share * 2n)
    .sort((a, b) => Number(abs(a - wanted) - abs(b - wanted)));
  return near[0];
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
