import { PROBLEMS_KEPT, type Problem } from '../ingest/batch.js';
import type { SourceBatch, SourceReport } from '../ingest/read.js';
import { isShortenedSymbol } from '../ingest/scan/symbol-text.js';
import { Readings } from './readings.js';

/** A malformed line, with its file and its line number in the file. */
export interface LocatedProblem extends Problem {
  file: string;
}

/** The position of an event in the order of events. */
export interface EventPosition {
  readonly ts: bigint;
  readonly seq: bigint;
}

/** Counts events and problems while files are read. Distinct entities are counted afterwards: see entity-counts.ts. */
export class IngestCounters {
  events = 0;
  edges = 0;
  secondObject = 0;
  noObject = 0;
  malformed = 0;

  outOfOrder = 0;
  lines = 0;
  badText = 0;
  /** Relations, hosts and kinds that were too long and were cut. */
  readonly shortened = new Set<string>();
  readonly problems: LocatedProblem[] = [];
  readonly skipped = new Map<string, number>();
  readonly merged = new Map<string, number>();
  readonly repaired = new Map<string, number>();
  readonly records = new Map<string, number>();
  readonly relations = new Map<string, number>();
  readonly readings = new Readings();
  readonly sources = new Map<SourceReport, SourceProgress>();

  /** Call this before the symbols of the batch are renumbered. */
  add({ batch, source, firstLine }: SourceBatch): void {
    const progress = this.#progressOf(source);
    this.lines += batch.lines;
    this.malformed += batch.malformed;
    this.badText += batch.badText;
    for (const [reason, count] of batch.skipped) addCount(this.skipped, reason, count);
    for (const [kind, count] of batch.merged) addCount(this.merged, kind, count);
    for (const [reason, count] of batch.repaired) addCount(this.repaired, reason, count);
    for (const [kind, count] of batch.records) addCount(this.records, kind, count);
    for (const problem of batch.problems) {
      if (this.problems.length < PROBLEMS_KEPT) {
        this.problems.push({ ...problem, line: firstLine + problem.line, file: source.name });
      }
    }
    for (const symbol of batch.symbols) if (isShortenedSymbol(symbol)) this.shortened.add(symbol);
    const counts = new Float64Array(batch.symbols.length);
    const { relation, subject, object, object2, ts } = batch;
    const halves = new Int32Array(ts.buffer, ts.byteOffset, batch.events * 2);
    const span = progress.span;
    for (let i = 0; i < batch.events; i++) {
      counts[relation[i]]++;
      const hasSubject = isSet(subject, i);
      const hasObject = isSet(object, i);
      const hasSecond = isSet(object2, i);
      // As in graph/edges.ts: an event without a subject connects its two objects.
      const edges = hasSubject ? Number(hasObject) + Number(hasSecond) : 1;
      this.edges += edges;
      if (edges === 0) this.noObject++;
      if (edges === 2) this.secondObject++;
      if (!span.add(halves[i * 2], halves[i * 2 + 1])) this.outOfOrder++;
    }
    for (let code = 0; code < counts.length; code++) {
      if (counts[code] > 0) addCount(this.relations, batch.symbols[code], counts[code]);
    }
    this.readings.add(batch);
    this.events += batch.events;
    if (batch.events > 0) progress.last = { ts: ts[batch.events - 1], seq: batch.seq[batch.events - 1] };
  }

  skip(reason: string): void {
    addCount(this.skipped, reason, 1);
  }

  /** The last event of a source so far. */
  lastEvent(source: SourceReport): EventPosition | undefined {
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
    return BigInt64Array.from([...this.sources.values()].flatMap(({ span }) => span.lowest ?? [])).sort()[0];
  }

  get lastTs(): bigint | undefined {
    return BigInt64Array.from([...this.sources.values()].flatMap(({ span }) => span.highest ?? []))
      .sort()
      .at(-1);
  }
}

/** The lowest and highest time so far, as 32-bit halves, to avoid allocating a BigInt per event. */
class TimeSpan {
  #empty = true;
  #lowHigh = 0;
  #lowLow = 0;
  #topHigh = 0;
  #topLow = 0;

  /** Adds a time. Returns false if it is before the highest time so far. */
  add(low: number, high: number): boolean {
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
  span: TimeSpan;
  last: EventPosition | undefined;
}

/** False for the all-zero UUID, which stands for an absent entity. Its top bit is stored flipped. */
function isSet(column: Uint32Array, row: number): boolean {
  const at = row * 4;
  return (column[at] | column[at + 1] | column[at + 2] | (column[at + 3] ^ 0x80000000)) !== 0;
}

function addCount(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** The counts as a plain object, largest first, ties by name. */
export function sortedCounts(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
}
