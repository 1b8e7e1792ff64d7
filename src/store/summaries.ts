import type { EntityCounts } from './entity-counts.js';
import { sortedCounts } from './ingest-counters.js';
import { addLosses } from './losses.js';
import type { Summary } from './manifest.js';
import { addReadings } from './readings.js';

/** Adds up the summaries of several ingests. Entities may occur in several of them, so they are counted anew. */
export function addSummaries(
  summaries: readonly Summary[],
  { entities, unresolved, identities }: EntityCounts,
): Summary {
  const sum = (count: (summary: Summary) => number): number =>
    summaries.reduce((total, summary) => total + count(summary), 0);
  return {
    events: sum(({ events }) => events),
    edges: { total: sum(({ edges }) => edges.total), secondObject: sum(({ edges }) => edges.secondObject) },
    entities,
    unresolved,
    relations: addCounts(summaries.map(({ relations }) => relations)),
    readings: addReadings(summaries.map(({ readings }) => readings)),
    identities,
    records: addCounts(summaries.map(({ records }) => records)),
    noObject: sum(({ noObject }) => noObject),
    malformed: sum(({ malformed }) => malformed),
    merged: addCounts(summaries.map(({ merged }) => merged)),
    skipped: addCounts(summaries.map(({ skipped }) => skipped)),
    repaired: addCounts(summaries.map(({ repaired }) => repaired)),
    losses: addLosses(summaries.map(({ losses }) => losses)),
    outOfOrder: sum(({ outOfOrder }) => outOfOrder),
    lines: sum(({ lines }) => lines),
    firstTs: sortTimes(summaries.map(({ firstTs }) => firstTs))[0] ?? null,
    lastTs: sortTimes(summaries.map(({ lastTs }) => lastTs)).at(-1) ?? null,
  };
}

function addCounts(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total = new Map<string, number>();
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) total.set(name, (total.get(name) ?? 0) + count);
  }
  return sortedCounts(total);
}

function sortTimes(times: readonly (string | null)[]): string[] {
  const known = times.flatMap((time) => (time === null ? [] : [BigInt(time)]));
  return Array.from(BigInt64Array.from(known).sort(), String);
}
