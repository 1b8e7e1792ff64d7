import { groupThousands } from '../../base/number-text.js';
import { nameTemplate } from '../../features/name-template.js';
import { type Alert, type Incident, stableId } from './alert.js';
import { kindOfAlert } from './alert-kind.js';
import { foldFloods } from './floods.js';

/** More incidents than this with alerts of one kind around one name are a flood. */
const MOST_OF_KIND = 20;
/** More incidents than this with alerts of one kind are a flood, whatever their names. */
const MOST_OF_ALERTS = 40;
/** Alerts that are written with a flood, and with any other incident. */
const MOST_OF_FLOOD = 100;
const MOST_OF_INCIDENT = 2000;
/** The alerts of an incident that say what it looks like. */
const MOST_COMPARED = 8;
/** One over the smallest share of a flood that makes an incident stand for it. */
const OWN_SHARE = 10;
const LONGEST = 4096;

/** Says at the beginning of an incident's sentence that it is a flood. */
function markFlood(incident: Incident, flood: NonNullable<Incident['flood']>): Incident {
  const count = (number: number) => groupThousands(String(number));
  const alerts = `${count(flood.alerts)} alerts of one kind`;
  const incidents = `${count(flood.incidents)} incidents`;
  const what =
    flood.incidents === 1
      ? alerts
      : flood.alerts === 0
        ? `${incidents} of one kind`
        : `${alerts} in ${incidents}`;
  return { ...incident, flood, sentence: `flood: ${what}. ${incident.sentence}`.slice(0, LONGEST) };
}

/**
 * Folds floods of incidents whose alerts look alike, caps the alerts of each incident, and marks incidents of which most
 * alerts were too many to keep. `leftOutLike` tells how many alerts of the same kind were not kept.
 */
export function foldFloodIncidents(
  incidents: readonly Incident[],
  alerts: readonly Alert[],
  leftOutLike: (alert: Alert) => number,
): Incident[] {
  const byId = new Map(alerts.map((alert) => [alert.id, alert]));
  const alertsOf = (incident: Incident) => incident.alerts.flatMap(({ id }) => byId.get(id) ?? []);
  const groupsOf = (incident: Incident) => {
    const kinds = alertsOf(incident)
      .slice(0, MOST_COMPARED)
      .map((alert) => kindOfAlert(alert).group);
    return [incident.host, ...[...new Set(kinds)].sort()];
  };
  const byRoot = (incident: Incident) =>
    JSON.stringify([nameTemplate((incident.root.name ?? '').slice(0, 200)), ...groupsOf(incident)]);
  const byAlerts = (incident: Incident) => JSON.stringify(groupsOf(incident));
  const named = foldFloods(incidents, byRoot, { most: MOST_OF_KIND, fold: joinFolded(byRoot) });
  // Names are free to choose, so that very many incidents are a flood without regard to them.
  const all = foldFloods(named.ranked, byAlerts, { most: MOST_OF_ALERTS, fold: joinFolded(byAlerts) });
  const membersOf = (incident: Incident): readonly Incident[] =>
    (all.floods.get(incident) ?? [incident]).flatMap((each) => named.floods.get(each) ?? [each]);
  return all.ranked.map((incident, i): Incident => {
    const members = membersOf(incident);
    const ranked = { ...incident, rank: i + 1 };
    return markIfFlood(ranked, members.flatMap(alertsOf), members.length, leftOutLike);
  });
}

/** Marks an incident that stands for others, or of which most alerts were too many to keep. Caps its alerts. */
export function markIfFlood(
  incident: Incident,
  own: readonly Alert[],
  incidents: number,
  leftOutLike: (alert: Alert) => number,
): Incident {
  const flooding = own.filter((alert) => leftOutLike(alert) > 0);
  const kinds = new Map(flooding.map((alert) => [textOf(alert), leftOutLike(alert)]));
  const leftOut = [...kinds.values()].reduce((sum, count) => sum + count, 0);
  const isMost = 2 * flooding.length > own.length && OWN_SHARE * flooding.length > leftOut;
  const isFlood = incidents > 1 || isMost;
  const most = isFlood ? MOST_OF_FLOOD : MOST_OF_INCIDENT;
  const capped = { ...incident, alerts: incident.alerts.slice(0, most) };
  if (!isFlood) return capped;
  return markFlood(capped, { incidents, alerts: own.length + leftOut });
}

function textOf(alert: Alert): string {
  const { group, kind } = kindOfAlert(alert);
  return `${group} ${kind}`;
}

/** One incident that stands for many of a kind. The first ranks highest. */
function joinFolded(kindOf: (incident: Incident) => string): (folded: readonly Incident[]) => Incident {
  return (folded) => {
    const [best] = folded;
    const earliest = folded.reduce((a, b) => (BigInt(b.first.ns) < BigInt(a.first.ns) ? b : a));
    const latest = folded.reduce((a, b) => (BigInt(b.last.ns) > BigInt(a.last.ns) ? b : a));
    const entities: Incident['entities'] = {};
    for (const each of folded) {
      for (const [type, count] of Object.entries(each.entities) as [keyof typeof entities, number][]) {
        entities[type] = (entities[type] ?? 0) + count;
      }
    }
    return {
      ...best,
      id: stableId('flood', best.model, kindOf(best)),
      first: earliest.first,
      last: latest.last,
      entities,
      alerts: folded
        .flatMap(({ alerts }) => alerts)
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)),
    };
  };
}
