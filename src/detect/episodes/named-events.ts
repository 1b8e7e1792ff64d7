import { NodeHistory } from '../../graph/node-history.js';
import { type NodeNames, readNodeNames } from '../../graph/node-names.js';
import { inVocabulary } from '../../graph/relation-vocabulary.js';
import { type LoadedEvents, loadEvents } from '../../store/load.js';
import type { Store } from '../../store/store.js';
import { roleOf } from './fleet/host-role.js';

/** A process belongs to its parent's tree if the parent started at most this long before it, in nanoseconds. */
export const GAP = 30n * 60n * 1_000_000_000n;

/** Events with the names that were known at each of them. */
export interface NamedEvents {
  readonly events: LoadedEvents;
  readonly history: NodeHistory;
  /** The role of each of `events.hosts`; without, all hosts have one role. */
  readonly roles?: readonly string[];
}

/** Selected events, and those shortly before them, which say where processes come from. */
export interface EventsWithLead extends NamedEvents {
  readonly lead: NamedEvents;
  /** Parents and sessions of processes, as the log states them. */
  readonly names: NodeNames;
}

/** Adds names and a lead to loaded events. With a lead, where a selection begins does not change the process trees in it. */
export async function nameEvents(
  store: Store,
  events: LoadedEvents,
  names?: NodeNames,
): Promise<EventsWithLead> {
  const first = events.table.length === 0 ? 0n : events.table.ts[0];
  const loaded = await loadEvents(store, { from: first - GAP, to: first });
  const before = inVocabulary(loaded, events.vocabulary ?? 'source');
  return {
    events,
    history: await NodeHistory.read(store, events),
    names: names ?? (await readNodeNames(store, events)),
    roles: rolesOf(store, events),
    lead: { events: before, history: await NodeHistory.read(store, before), roles: rolesOf(store, before) },
  };
}

function rolesOf({ manifest: { hostNames } }: Store, { hosts }: LoadedEvents): string[] {
  return hosts.map((host) => roleOf(Object.hasOwn(hostNames, host) ? hostNames[host] : host));
}
