import { PROBLEMS_KEPT, type Problem } from '../ingest/batch.js';
import type { SourceBatch, SourceReport } from '../ingest/read.js';

/** A line that could not be read, with its absolute position. */
export interface LocatedProblem extends Problem {
  file: string;
}

/** Counts what goes by during reading; what needs the whole of it (distinct entities) is asked of the segments. */
export class Tally {
  events = 0;
  edges = 0;
  secondObject = 0;
  noObject = 0;
  malformed = 0;
  oversize = 0;
  outOfOrder = 0;
  lines = 0;
  badText = 0;
  firstTs: bigint | undefined;
  lastTs: bigint | undefined;
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
    const counts = new Float64Array(batch.words.length);
    const { relation, subject, object, object2, ts } = batch;
    let highest = progress.highest;
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
      const at = ts[i];
      if (at < highest) this.outOfOrder++;
      else highest = at;
    }
    progress.highest = highest;
    for (let code = 0; code < counts.length; code++) {
      if (counts[code] > 0) add(this.relations, batch.words[code], counts[code]);
    }
    this.events += batch.events;
    if (batch.events > 0) this.#span(batch.ts.subarray(0, batch.events));
    if (batch.events > 0) progress.last = ts[batch.events - 1];
  }

  /** The time of the last event before the next batch of this source. */
  timeBefore(source: SourceReport): bigint | undefined {
    return this.sources.get(source)?.last;
  }

  #progressOf(source: SourceReport): SourceProgress {
    let progress = this.sources.get(source);
    if (progress === undefined) {
      progress = { highest: -(2n ** 63n), last: undefined };
      this.sources.set(source, progress);
    }
    return progress;
  }

  #span(ts: BigInt64Array): void {
    let [first, last] = [this.firstTs ?? ts[0], this.lastTs ?? ts[0]];
    for (let i = 0; i < ts.length; i++) {
      if (ts[i] < first) first = ts[i];
      if (ts[i] > last) last = ts[i];
    }
    this.firstTs = first;
    this.lastTs = last;
  }
}

interface SourceProgress {
  /** Highest time so far: an event below it is out of order. */
  highest: bigint;
  last: bigint | undefined;
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
