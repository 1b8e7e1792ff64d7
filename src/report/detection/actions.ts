import type { Alert, Incident } from '../../detect/alerts/alert.js';
import { phraseAction } from '../../detect/alerts/alert-sentence.js';

/** Alerts that are looked through for deeds worth telling; lower ones add little. */
const LOOKED_AT = 200;

/**
 * Who did what to whom, after the strongest evidence that comes from one deed. Evidence about an entity as a whole may
 * weigh more, but `stands out` tells nobody where to look.
 */
export function mainAction(alert: Pick<Alert, 'entity' | 'evidence'>): string {
  return phraseAction({ entity: alert.entity, evidence: sourced(alert) });
}

/** The most telling deeds of an incident, by score of the alerts, each of another kind: same actor and relation, once. */
export function mainActions(alerts: readonly Alert[], most: number): string[] {
  const told = new Map<string, string>();
  for (const alert of alerts.slice(0, LOOKED_AT)) {
    const source = sourced(alert).at(0)?.source ?? null;
    if (source === null) continue;
    const kind = JSON.stringify([source.subject.name, source.relation]);
    if (!told.has(kind)) told.set(kind, mainAction(alert));
    if (told.size === most) break;
  }
  return told.size === 0 && alerts.length > 0 ? [mainAction(alerts[0])] : [...told.values()];
}

/** The deeds of an incident in a line, for lists of incidents. */
export function incidentActions(alerts: readonly Alert[], most: number): (incident: Incident) => string {
  const byId = new Map(alerts.map((alert) => [alert.id, alert]));
  return (incident) =>
    mainActions(
      incident.alerts.flatMap(({ id }) => byId.get(id) ?? []),
      most,
    ).join('; ');
}

function sourced({ evidence }: Pick<Alert, 'evidence'>): Alert['evidence'] {
  return evidence.filter(({ source }) => source !== null);
}
