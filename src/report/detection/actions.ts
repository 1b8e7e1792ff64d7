import type { Alert, Incident } from '../../detect/alerts/alert.js';
import { phraseAction } from '../../detect/alerts/alert-sentence.js';
import { phraseChange } from '../../detect/episodes/changes/describe-change.js';

/** Lower alerts add little. */
const MOST_ALERTS = 200;

/**
 * Who did what, according to the strongest evidence that comes from a single interaction. Evidence about an entity as a
 * whole may weigh more, but it does not tell the reader where to look.
 */
export function mainAction(alert: Pick<Alert, 'entity' | 'evidence'>): string {
  return phraseAction({ entity: alert.entity, evidence: withSource(alert) });
}

/** The main actions of alerts, given by score. Each combination of actor and relation occurs once. */
export function mainActions(alerts: readonly Alert[], most: number): string[] {
  const actions = new Map<string, string>();
  for (const alert of alerts.slice(0, MOST_ALERTS)) {
    const source = withSource(alert).at(0)?.source ?? null;
    if (source === null) continue;
    const kind = JSON.stringify([source.subject.name, source.relation]);
    if (!actions.has(kind)) actions.set(kind, mainAction(alert));
    if (actions.size === most) break;
  }
  return actions.size === 0 && alerts.length > 0 ? [mainAction(alerts[0])] : [...actions.values()];
}

/**
 * Returns a function that says in one line what an incident is about: the main new acts of its process trees, or the main
 * actions of its alerts.
 */
export function incidentActions(alerts: readonly Alert[], most: number): (incident: Incident) => string {
  const byId = new Map(alerts.map((alert) => [alert.id, alert]));
  return (incident) => {
    const told = mainActs(incident);
    if (told.length > 0) return told.join('; ');
    const own = incident.alerts.flatMap(({ id }) => byId.get(id) ?? []);
    return mainActions(own, most).join('; ');
  };
}

/** The acts of process trees that say most, in order of time, after the software change that they are. */
function mainActs({ episode }: Incident): string[] {
  if (episode === null) return [];
  const acts = episode.acts.filter(({ main }) => main).map(({ what }) => what);
  return episode.change === null ? acts : [phraseChange(episode.change), ...acts];
}

function withSource({ evidence }: Pick<Alert, 'evidence'>): Alert['evidence'] {
  return evidence.filter(({ source }) => source !== null);
}
