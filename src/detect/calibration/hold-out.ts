import type { TrainingConfig } from '../../model/training/training-config.js';
import { readFileStarts } from '../../store/file-starts.js';
import type { Selection, Store } from '../../store/store.js';

/** Share of the benign span that is kept for calibration [p] (method §6). */
const SHARE = 0.2;
const MINUTE = 60_000_000_000n;

/** Events that are so few and so far from all others are no part of the span: a clock was wrong. */
const STRAY_SHARE = 0.01;

/** The benign span in two: what is learned from, and the later part that tells how far learning can be trusted. */
export interface HoldOut {
  readonly train: Selection;
  readonly calibrate: Selection;
  /** First moment of calibration. */
  readonly boundary: bigint;
  /** Events so few and so far from the others that they are in neither part. */
  readonly strays: number;
}

/** Events of a host and day. */
interface Stretch {
  readonly first: bigint;
  readonly last: bigint;
  readonly events: number;
}

/**
 * Cuts off the last fifth of the selected time, at the start of a window or a file where one is near. Undefined where
 * there is no time to divide.
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

/** First and last moment of what is selected, as the segments tell, but for strays. */
function spanOf(store: Store, selection: Selection): { first: bigint; last: bigint; strays: number } {
  const stretches: Stretch[] = [];
  for (const { firstTs, lastTs, rows } of store.segments('events', selection)) {
    if (firstTs === null || lastTs === null) continue;
    stretches.push({ first: BigInt(firstTs), last: BigInt(lastTs), events: rows });
  }
  const { from, to } = selection;
  // Who says where the time begins or ends means it.
  const { kept, strays } =
    from === undefined && to === undefined ? leaveOutStrays(stretches) : { kept: stretches, strays: 0 };
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
 * One event of 1970 among those of a week would make all of the week the last fifth. So what comes before, or after, a gap
 * that is longer than all the rest, and has hardly an event, is not counted.
 */
function leaveOutStrays(stretches: readonly Stretch[]): { kept: readonly Stretch[]; strays: number } {
  const total = stretches.reduce((sum, { events }) => sum + events, 0);
  let kept = stretches;
  // At either end, with time running backwards for the later one, until no more are found: those of one end can hide
  // those of the other.
  for (let before = -1; before !== kept.length; ) {
    before = kept.length;
    kept = withoutStrays(withoutStrays(kept, total).map(mirrored), total).map(mirrored);
  }
  return { kept, strays: total - kept.reduce((sum, { events }) => sum + events, 0) };
}

function mirrored({ first, last, events }: Stretch): Stretch {
  return { first: -last, last: -first, events };
}

function withoutStrays(stretches: readonly Stretch[], total: number): readonly Stretch[] {
  const ascending = [...stretches].sort((a, b) => Number(a.first - b.first));
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

function latest(stretches: readonly Stretch[]): bigint {
  let found = stretches[0].last;
  for (const { last } of stretches) if (last > found) found = last;
  return found;
}

/** The start of a window at or after `wanted`, or before it where that would leave less than half of the share. */
function windowNear(wanted: bigint, step: bigint, first: bigint, last: bigint): bigint {
  const floor = wanted - (((wanted % step) + step) % step);
  const share = last - wanted;
  const after = floor === wanted ? wanted : floor + step;
  if (last - after >= share / 2n) return after;
  return floor > first ? floor : wanted;
}

/** The start of a file, if one leaves between half and twice the share. */
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
