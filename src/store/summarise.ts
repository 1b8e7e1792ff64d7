import type { SourceReport } from '../ingest/read.js';
import type { EntityCounts } from './entity-counts.js';
import { type IngestCounters, sortedCounts } from './ingest-counters.js';
import type { LossCollector } from './losses.js';
import type { Summary } from './manifest.js';

/** What an ingest read, as the manifest keeps it. */
export function summarise(
  counters: IngestCounters,
  losses: LossCollector,
  reports: Iterable<SourceReport>,
  { entities, unresolved, identities }: EntityCounts,
): Summary {
  const { firstTs, lastTs } = counters;
  const all = [...reports];
  const badTime = all.reduce((sum, report) => sum + report.badTime, 0);
  const farTime = all.reduce((sum, report) => sum + report.farTime, 0);
  return {
    events: counters.events,
    edges: { total: counters.edges, secondObject: counters.secondObject },
    entities,
    unresolved,
    relations: sortedCounts(counters.relations),
    readings: counters.readings.stored,
    identities,
    records: sortedCounts(counters.records),
    noObject: counters.noObject,
    malformed: counters.malformed,
    merged: sortedCounts(counters.merged),
    skipped: sortedCounts(counters.skipped),
    repaired: {
      ...(badTime > 0 ? { badTime } : {}),
      ...(farTime > 0 ? { farTime } : {}),
      ...(counters.badText > 0 ? { badText: counters.badText } : {}),
      ...(counters.shortened.size > 0 ? { longWord: counters.shortened.size } : {}),
      ...sortedCounts(counters.repaired),
    },
    losses: losses.stored,
    outOfOrder: counters.outOfOrder,
    lines: counters.lines,
    firstTs: firstTs === undefined ? null : String(firstTs),
    lastTs: lastTs === undefined ? null : String(lastTs),
  };
}
