import { ENTITY_TYPES } from '../../ingest/event.js';
import { ALERT_VERSION, type Alert, type EntityRef, type Incident, stableId } from './alert.js';
import { phraseIncident } from './alert-sentence.js';
import type { IncidentGroup } from './incidents.js';
import { momentOf } from './moment.js';
import { severityRank } from './severity.js';

/** Describes incidents. `alerts[i]` is the alert of member i, and groups are ordered by rank. */
export function describeIncidents(groups: readonly IncidentGroup[], alerts: readonly Alert[]): Incident[] {
  return groups.map((group, index) => {
    const members = Array.from(group.members, (member) => alerts[member]);
    const [highest] = members;
    const incident = {
      version: ALERT_VERSION,
      id: stableId('incident', ...members.map(({ id }) => id).sort()),
      model: highest.model,
      rank: index + 1,
      host: highest.host,
      score: group.score,
      prominence: group.prominence,
      severity: members.reduce(
        (most, { severity }) => (severityRank(severity) > severityRank(most) ? severity : most),
        highest.severity,
      ),
      root: refOf(alerts[group.root]),
      first: momentOf(group.first),
      last: momentOf(group.last),
      entities: countEntities(members),
      alerts: members.map((alert) => ({ id: alert.id, entity: refOf(alert), score: alert.score })),
    } satisfies Omit<Incident, 'sentence' | 'episode'>;
    return { ...incident, sentence: phraseIncident(incident, highest), episode: null };
  });
}

function refOf({ entity: { id, type, name } }: Alert): EntityRef {
  return { id, type, name };
}

/** Counts entities in the order of ENTITY_TYPES. An entity with alerts in several windows counts once. */
function countEntities(alerts: readonly Alert[]): Incident['entities'] {
  const seen = new Map(alerts.map(({ entity }) => [entity.id, entity.type]));
  const counts: Incident['entities'] = {};
  for (const type of ENTITY_TYPES) {
    const count = [...seen.values()].filter((each) => each === type).length;
    if (count > 0) counts[type] = count;
  }
  return counts;
}
