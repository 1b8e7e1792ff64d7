import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { type NodeNames, nameOf, readNodeNames } from '../../graph/node-names.js';
import { commonTable } from '../../graph/relation-vocabulary.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { type LoadedEvents, loadEvents } from '../../store/load.js';
import type { Store } from '../../store/store.js';
import type { Alert, AlertMoment, EntityRef, Incident } from './alert.js';
import { momentOf } from './moment.js';

/** The alert or incident of an id. */
export type Explained =
  | { readonly kind: 'alert'; readonly alert: Alert; readonly incident: Incident | undefined }
  | { readonly kind: 'incident'; readonly incident: Incident; readonly alerts: readonly Alert[] };

const MOST_SUGGESTIONS = 5;
const MOST_ALIKE = 3;

/** Finds an alert or an incident by the beginning of its id. */
export function findExplained(
  id: string,
  { alerts, incidents }: { alerts: readonly Alert[]; incidents: readonly Incident[] },
): Explained {
  const wanted = id.toLowerCase();
  const isMeant = (each: { id: string }) => wanted !== '' && each.id.startsWith(wanted);
  const [foundAlerts, foundIncidents] = [alerts.filter(isMeant), incidents.filter(isMeant)];
  if (foundAlerts.length + foundIncidents.length !== 1) {
    throw notOne(id, [...foundIncidents, ...foundAlerts], [...incidents, ...alerts]);
  }
  const [alert] = foundAlerts;
  if (alert !== undefined) {
    const incident = incidents.find((each) => each.alerts.some((member) => member.id === alert.id));
    return { kind: 'alert', alert, incident };
  }
  const [incident] = foundIncidents;
  const byId = new Map(alerts.map((each) => [each.id, each]));
  const members = incident.alerts.flatMap((member) => byId.get(member.id) ?? []);
  return { kind: 'incident', incident, alerts: members };
}

/** Finds an incident by the beginning of its id. */
export function findIncident<Each extends Pick<Incident, 'id' | 'rank' | 'score'>>(
  id: string,
  incidents: readonly Each[],
): Each {
  const wanted = id.toLowerCase();
  const found = incidents.filter((each) => wanted !== '' && each.id.startsWith(wanted));
  if (found.length === 1) return found[0];
  throw notOne(id, found, incidents);
}

function notOne(id: string, found: readonly Found[], all: readonly Found[]): RecalError {
  const shown = printable(id, 40);
  if (found.length > 1) {
    return new RecalError(
      'alerts-ambiguous',
      `the ids of ${found.length} alerts and incidents begin with '${shown}'`,
      {
        hint: `give more characters of the id: ${list(found)}`,
        exit: EXIT.usage,
      },
    );
  }
  const near = [...all].sort((a, b) => shared(b.id, id) - shared(a.id, id) || b.score - a.score);
  return new RecalError('alerts-unknown', `no alert or incident has the id '${shown}'`, {
    hint: near.length === 0 ? 'this run raised no alerts' : `choose one of: ${list(near)}`,
    exit: EXIT.usage,
  });
}

type Found = Alert | Pick<Incident, 'id' | 'rank' | 'score'>;

function list(records: readonly Found[]): string {
  const names = records.slice(0, MOST_SUGGESTIONS).map((record) => {
    const name = 'rank' in record ? `incident ${record.rank}` : (record.entity.name ?? record.entity.type);
    return `${record.id} (${printable(name, 40)})`;
  });
  const more = records.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}

/** The length of the common prefix of two texts. */
function shared(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** An event of an alert's entity, as in the log. */
export interface RawEvent {
  readonly time: AlertMoment;
  readonly relation: string;
  readonly subject: EntityRef | null;
  readonly object: EntityRef | null;
  readonly object2: EntityRef | null;
  /** Numbers of the alert's evidence, from 1, that this event belongs to. */
  readonly evidence: readonly number[];
}

export interface RawEvents {
  readonly alert: string;
  /** In time order. */
  readonly events: readonly RawEvent[];
  readonly total: number;
  readonly leftOut: number;
}

/**
 * Loads the events of an alert's entity in its window from the store, at most `most` of them. Sources of evidence take
 * precedence over other events, and repetitions come last.
 */
export async function loadRawEvents(store: Store, alert: Alert, most: number): Promise<RawEvents> {
  const { host, window, entity } = alert;
  const loaded = await loadEvents(store, {
    from: BigInt(window.from.ns),
    to: BigInt(window.to.ns) + 1n,
    host,
  });
  const node = findNode(loaded, store, host, entity.id);
  const rows: number[] = [];
  const { subject, object, object2, length } = loaded.table;
  for (let row = 0; node >= 0 && row < length; row++) {
    if (subject[row] === node || object[row] === node || object2[row] === node) rows.push(row);
  }
  const isRepeat = repeatsOf(loaded);
  const common = commonTable(loaded.table);
  const isNamed = (row: number, name: string | null) =>
    name === loaded.table.relations[loaded.table.relation[row]] ||
    name === common.relations[common.relation[row]];
  const ranked = rows.map((row) => ({
    row,
    isRepeat: isRepeat(row),
    ...matchEvidence(loaded, row, node, alert, isNamed),
  }));
  ranked.sort((a, b) => Number(a.isRepeat) - Number(b.isRepeat) || a.place - b.place || a.row - b.row);
  const kept = ranked.slice(0, most).sort((a, b) => a.row - b.row);
  // Names are read only if there are events to show.
  const names = kept.length === 0 ? undefined : await readNodeNames(store, loaded);
  const events =
    names === undefined ? [] : kept.map(({ row, evidence }) => describeEvent(loaded, names, row, evidence));
  return { alert: alert.id, events, total: rows.length, leftOut: rows.length - events.length };
}

/** True from the fourth repetition of an event on, so that a loop does not displace other events. */
function repeatsOf({ table }: LoadedEvents): (row: number) => boolean {
  const times = new Map<string, number>();
  return (row) => {
    const key = `${table.subject[row]} ${table.relation[row]} ${table.object[row]} ${table.object2[row]}`;
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    return before >= MOST_ALIKE;
  };
}

/** Finds the node of this host only, because a host's name can match other hosts as a glob. */
function findNode({ keys, hosts, uuid }: LoadedEvents, store: Store, host: string, id: string): number {
  const { hostNames } = store.manifest;
  const isMeant = hosts.map(
    (each) => each === host || (Object.hasOwn(hostNames, each) && hostNames[each] === host),
  );
  for (let node = 0; node < keys.size; node++) {
    if (isMeant[keys.hostAt(node)] && uuid(node) === id) return node;
  }
  return -1;
}

/** The evidence that an event belongs to, and its place: sources of values first, then other events of the relation. */
function matchEvidence(
  { table, uuid }: LoadedEvents,
  row: number,
  node: number,
  alert: Alert,
  isNamed: (row: number, name: string | null) => boolean,
): { evidence: number[]; place: number } {
  const [subject, object, object2] = [table.subject[row], table.object[row], table.object2[row]];
  const { evidence } = alert;
  const found: number[] = [];
  let place = 2 * evidence.length;
  evidence.forEach(({ role, relation: wanted, source }, i) => {
    if (!isNamed(row, wanted)) return;
    if (role === 'subject' && subject !== node) return;
    if (role === 'object' && object !== node && object2 !== node) return;
    found.push(i + 1);
    const isEnd = (end: number, id: string) => end >= 0 && uuid(end) === id;
    const isSource =
      source !== null &&
      (isEnd(subject, source.subject.id) || isEnd(object, source.subject.id)) &&
      (isEnd(object, source.object.id) || isEnd(object2, source.object.id));
    place = Math.min(place, isSource ? i : evidence.length + i);
  });
  return { evidence: found, place };
}

function describeEvent(
  { table, uuid }: LoadedEvents,
  names: NodeNames,
  row: number,
  evidence: readonly number[],
): RawEvent {
  const entity = (node: number): EntityRef | null =>
    node < 0
      ? null
      : { id: uuid(node), type: ENTITY_TYPES[names.types[node]], name: nameOf(names, node) ?? null };
  return {
    time: momentOf(table.ts[row]),
    relation: table.relations[table.relation[row]],
    subject: entity(table.subject[row]),
    object: entity(table.object[row]),
    object2: entity(table.object2[row]),
    evidence,
  };
}
