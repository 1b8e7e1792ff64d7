import { PROBLEMS_KEPT, type Problem } from '../ingest/batch.js';
import type { SourceBatch, SourceReport } from '../ingest/read.js';
import { isShortenedSymbol } from '../ingest/scan/symbol-text.js';

/** A line that could not be read, with its absolute position. */
export interface LocatedProblem extends Problem {
  file: string;
}

/** An event's place in the order of events. */
export interface EventPosition {
  readonly ts: bigint;
  readonly seq: bigint;
}

/** Counts what goes by during reading; what needs the whole of it (distinct entities) is asked of the segments. */
export class IngestCounters {
  events = 0;
  edges = 0;
  secondObject = 0;
  noObject = 0;
  malformed = 0;
  oversize = 0;
  outOfOrder = 0;
  lines = 0;
  badText = 0;
  /** Relations, hosts and kinds of which only the beginning was kept. */
  readonly longWords = new Set<string>();
  readonly problems: LocatedProblem[] = [];
  readonly skipped = new Map<string, number>();
  readonly records = new Map<string, number>();
  readonly relations = new Map<string, number>();
  readonly sources = new Map<SourceReport, SourceProgress>();

  /** Call before the batch's words are renumbered. */
  take({ batch, source, firstLine }: SourceBatch): void {
    const progress = this.#progressOf(source);
    this.lines += batch.lines;
    this.malformed += batch.malformed;
    this.badText += batch.badText;
    for (const [reason, count] of batch.skipped) add(this.skipped, reason, count);
    for (const [kind, count] of batch.records) add(this.records, kind, count);
    for (const problem of batch.problems) {
      if (problem.reason.startsWith('oversize')) this.oversize++;
      if (this.problems.length < PROBLEMS_KEPT) {
        this.problems.push({ ...problem, line: firstLine + problem.line, file: source.name });
      }
    }
    for (const word of batch.symbols) if (isShortenedSymbol(word)) this.longWords.add(word);
    const counts = new Float64Array(batch.symbols.length);
    const { relation, subject, object, object2, ts } = batch;
    const words = new Int32Array(ts.buffer, ts.byteOffset, batch.events * 2);
    const span = progress.span;
    for (let i = 0; i < batch.events; i++) {
      counts[relation[i]]++;
      const hasSubject = isSet(subject, i);
      const hasObject = isSet(object, i);
      const hasSecond = isSet(object2, i);
      // As in graph/edges.ts: an event without a subject joins its two objects.
      const edges = hasSubject ? Number(hasObject) + Number(hasSecond) : 1;
      this.edges += edges;
      if (edges === 0) this.noObject++;
      if (edges === 2) this.secondObject++;
      if (!span.take(words[i * 2], words[i * 2 + 1])) this.outOfOrder++;
    }
    for (let code = 0; code < counts.length; code++) {
      if (counts[code] > 0) add(this.relations, batch.symbols[code], counts[code]);
    }
    this.events += batch.events;
    if (batch.events > 0) progress.last = { ts: ts[batch.events - 1], seq: batch.seq[batch.events - 1] };
  }

  /** The last event before the next batch of this source. */
  eventBefore(source: SourceReport): EventPosition | undefined {
    return this.sources.get(source)?.last;
  }

  #progressOf(source: SourceReport): SourceProgress {
    let progress = this.sources.get(source);
    if (progress === undefined) {
      progress = { span: new TimeSpan(), last: undefined };
      this.sources.set(source, progress);
    }
    return progress;
  }

  get firstTs(): bigint | undefined {
    return extreme(
      [...this.sources.values()].map(({ span }) => span.lowest),
      (a, b) => a < b,
    );
  }

  get lastTs(): bigint | undefined {
    return extreme(
      [...this.sources.values()].map(({ span }) => span.highest),
      (a, b) => a > b,
    );
  }
}

function extreme(
  times: readonly (bigint | undefined)[],
  better: (a: bigint, b: bigint) => boolean,
): bigint | undefined {
  let best: bigint | undefined;
  for (const time of times) if (time !== undefined && (best === undefined || better(time, best))) best = time;
  return best;
}

/** Lowest and highest of the times seen, kept as halves: a BigInt for every event would be most of the garbage. */
class TimeSpan {
  #empty = true;
  #lowHigh = 0;
  #lowLow = 0;
  #topHigh = 0;
  #topLow = 0;

  /** Takes a time as two 32-bit halves; false if it is below the highest so far. */
  take(low: number, high: number): boolean {
    const unsigned = low >>> 0;
    if (this.#empty) {
      this.#empty = false;
      this.#lowHigh = this.#topHigh = high;
      this.#lowLow = this.#topLow = unsigned;
      return true;
    }
    if (high > this.#topHigh || (high === this.#topHigh && unsigned >= this.#topLow)) {
      this.#topHigh = high;
      this.#topLow = unsigned;
      return true;
    }
    if (high < this.#lowHigh || (high === this.#lowHigh && unsigned < this.#lowLow)) {
      this.#lowHigh = high;
      this.#lowLow = unsigned;
    }
    return false;
  }

  get lowest(): bigint | undefined {
    return this.#empty ? undefined : (BigInt(this.#lowHigh) << 32n) | BigInt(this.#lowLow);
  }

  get highest(): bigint | undefined {
    return this.#empty ? undefined : (BigInt(this.#topHigh) << 32n) | BigInt(this.#topLow);
  }
}

interface SourceProgress {
  /** An event below the highest time so far is out of order. */
  span: TimeSpan;
  last: EventPosition | undefined;
}

/** Keys are absent as the all-zero UUID, whose top bit is stored flipped. */
function isSet(column: Uint32Array, row: number): boolean {
  const at = row * 4;
  return (column[at] | column[at + 1] | column[at + 2] | (column[at + 3] ^ 0x80000000)) !== 0;
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** Counts as a plain object, largest first, ties by name. */
export function sortedCounts(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
}
