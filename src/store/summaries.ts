import type { EntityCounts } from './entity-counts.js';
import { sortedCounts } from './ingest-counters.js';
import type { Summary } from './manifest.js';

/** What several ingests brought, together. Entities may occur in more than one of them, so a census counts those. */
export function addSummaries(summaries: readonly Summary[], { entities, unresolved }: EntityCounts): Summary {
  const sum = (count: (summary: Summary) => number): number =>
    summaries.reduce((total, summary) => total + count(summary), 0);
  return {
    events: sum(({ events }) => events),
    edges: { total: sum(({ edges }) => edges.total), secondObject: sum(({ edges }) => edges.secondObject) },
    entities,
    unresolved,
    relations: addCounts(summaries.map(({ relations }) => relations)),
    records: addCounts(summaries.map(({ records }) => records)),
    noObject: sum(({ noObject }) => noObject),
    malformed: sum(({ malformed }) => malformed),
    skipped: addCounts(summaries.map(({ skipped }) => skipped)),
    repaired: addCounts(summaries.map(({ repaired }) => repaired)),
    outOfOrder: sum(({ outOfOrder }) => outOfOrder),
    lines: sum(({ lines }) => lines),
    firstTs: extreme(
      summaries.map(({ firstTs }) => firstTs),
      (a, b) => a < b,
    ),
    lastTs: extreme(
      summaries.map(({ lastTs }) => lastTs),
      (a, b) => a > b,
    ),
  };
}

function addCounts(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total = new Map<string, number>();
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) total.set(name, (total.get(name) ?? 0) + count);
  }
  return sortedCounts(total);
}

function extreme(
  times: readonly (string | null)[],
  before: (a: bigint, b: bigint) => boolean,
): string | null {
  let best: bigint | undefined;
  for (const time of times) {
    if (time !== null && (best === undefined || before(BigInt(time), best))) best = BigInt(time);
  }
  return best === undefined ? null : String(best);
}
