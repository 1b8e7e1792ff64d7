import type { Selection, Store } from '../graph/store.js';
import type { TrainingConfig } from '../model/training-config.js';

/** Share of the benign span that is kept for calibration [p] (method §6). */
const SHARE = 0.2;
const MINUTE = 60_000_000_000n;

/** The benign span in two: what is learned from, and the later part that tells how far learning can be trusted. */
export interface HoldOut {
  readonly train: Selection;
  readonly calibrate: Selection;
  /** First moment of calibration. */
  readonly boundary: bigint;
}

/**
 * Cuts off the last fifth of the selected time, at the start of a window or a file where one is near. Undefined where
 * there is no time to divide.
 */
export function holdOut(
  store: Store,
  selection: Selection,
  config: Pick<TrainingConfig, 'graph' | 'window'>,
): HoldOut | undefined {
  const [first, last] = spanOf(store, selection);
  if (first >= last) return undefined;
  const wanted = last - (last - first) / BigInt(Math.round(1 / SHARE));
  const boundary =
    config.graph === 'window'
      ? windowNear(wanted, BigInt(Math.round(config.window * Number(MINUTE))), first, last)
      : (fileNear(store, selection, wanted, first, last) ?? wanted);
  return {
    train: { ...selection, to: boundary },
    calibrate: { ...selection, from: boundary },
    boundary,
  };
}

/** First and last moment of what is selected, as the segments tell. */
function spanOf(store: Store, selection: Selection): [first: bigint, last: bigint] {
  let [first, last] = [2n ** 63n, -(2n ** 63n)];
  for (const { firstTs, lastTs } of store.segments('events', selection)) {
    if (firstTs === undefined || firstTs === null || lastTs === undefined || lastTs === null) continue;
    if (BigInt(firstTs) < first) first = BigInt(firstTs);
    if (BigInt(lastTs) > last) last = BigInt(lastTs);
  }
  const { from, to } = selection;
  if (from !== undefined && from > first) first = from;
  if (to !== undefined && to - 1n < last) last = to - 1n;
  return [first, last];
}

/** The start of a window at or after `wanted`, or before it where that would leave less than half of the share. */
function windowNear(wanted: bigint, step: bigint, first: bigint, last: bigint): bigint {
  const floor = wanted - (((wanted % step) + step) % step);
  const share = last - wanted;
  const after = floor === wanted ? wanted : floor + step;
  if (last - after >= share / 2n) return after;
  return floor > first ? floor : wanted;
}

/** The start of a file of the selection, if one leaves between half and twice the share. */
function fileNear(
  store: Store,
  selection: Selection,
  wanted: bigint,
  first: bigint,
  last: bigint,
): bigint | undefined {
  const share = last - wanted;
  const starts = new Map<number, bigint>();
  for (const { ingest, firstTs } of store.segments('events', selection)) {
    if (firstTs === undefined || firstTs === null) continue;
    const start = BigInt(firstTs);
    const known = starts.get(ingest);
    if (known === undefined || start < known) starts.set(ingest, start);
  }
  const near = [...starts.values()]
    .filter((start) => start > first && last - start >= share / 2n && last - start <= share * 2n)
    .sort((a, b) => Number(abs(a - wanted) - abs(b - wanted)));
  return near[0];
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
