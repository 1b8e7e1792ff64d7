import type { Batch } from './batch.js';

/** A time further than this from most times around it is not plausible: one year. */
const FURTHEST = 366n * 86_400_000_000_000n;
/** Times within this distance are plausible, however they are rounded. */
const NEAR = Number(FURTHEST) / 2;
const WORD = 2 ** 32;
/** Fewer events than this say nothing about most. */
const FEWEST = 16;
/** The events of a batch that its middle is computed from. */
const SAMPLE = 1025;

/**
 * Finds times that a log cannot have reached. A few records of the far future would become the end of the log, and with it
 * the days to judge. Most events that arrive together decide: a time further than a year from the middle of its batch,
 * of the one before and of the one after takes the time of the event before it, and is counted. After a real gap most
 * events are later, so that they stay as they are.
 */
export class PlausibleTimes {
  #count = 0;
  #waiting: { readonly batch: Batch; readonly middle: bigint | undefined }[] = [];
  #before: bigint | undefined;
  #previous: bigint | undefined;

  /** The number of times replaced so far. */
  get count(): number {
    return this.#count;
  }

  /** Takes the next batch in order of arrival, and returns those whose times are decided. */
  take(batch: Batch): Batch[] {
    this.#waiting.push({ batch, middle: middleOf(batch) });
    const isKnown = this.#waiting.length > 1 && this.#waiting[this.#waiting.length - 1].middle !== undefined;
    return isKnown ? this.#release(this.#waiting.length - 1) : [];
  }

  finish(): Batch[] {
    return this.#release(this.#waiting.length);
  }

  #release(count: number): Batch[] {
    const after = this.#waiting[count]?.middle;
    const ready = this.#waiting.splice(0, count);
    for (const { batch, middle } of ready) {
      const middles = [this.#before, middle, after].filter((each) => each !== undefined);
      if (middles.length > 0) this.#replace(batch, middles);
      this.#before = middle ?? this.#before;
    }
    return ready.map(({ batch }) => batch);
  }

  #replace({ ts, events }: Batch, middles: readonly bigint[]): void {
    if (events === 0 || areAllNear(ts, events, Number(middles[0]))) {
      if (events > 0) this.#previous = ts[events - 1];
      return;
    }
    const isPlausible = (time: bigint) => middles.some((middle) => distance(time, middle) <= FURTHEST);
    let previous = this.#previous;
    for (let i = 0; i < events; i++) {
      if (isPlausible(ts[i])) {
        previous = ts[i];
        continue;
      }
      previous ??= ts.subarray(0, events).find(isPlausible) ?? middles[0];
      ts[i] = previous;
      this.#count++;
    }
    this.#previous = previous;
  }
}

/**
 * Tells whether all times are well within the distance of a middle. Doubles are exact to a microsecond, and reading a bigint
 * per event takes much longer.
 */
function areAllNear(ts: BigInt64Array, events: number, middle: number): boolean {
  const words = new Uint32Array(ts.buffer, ts.byteOffset, events * 2);
  for (let i = 0; i < events; i++) {
    const time = (words[i * 2 + 1] | 0) * WORD + words[i * 2];
    if (Math.abs(time - middle) > NEAR) return false;
  }
  return true;
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a;
}

/** The middle of the times of a batch; undefined with too few events. */
function middleOf({ ts, events }: Batch): bigint | undefined {
  if (events < FEWEST) return undefined;
  const length = Math.min(events, SAMPLE);
  const sample = BigInt64Array.from({ length }, (_, i) => ts[Math.floor((i * events) / length)]);
  return sample.sort()[length >> 1];
}
