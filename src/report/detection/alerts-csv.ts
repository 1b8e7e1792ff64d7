import type { Alert, Incident } from '../../detect/alerts/alert.js';
import { csv } from '../page/csv.js';

const HEADINGS = [
  'alert',
  'incident',
  'severity',
  'score',
  'empirical_p',
  'host',
  'type',
  'name',
  'pid',
  'cmd',
  'entity',
  'first',
  'last',
  'reasons',
  'evidence',
  'relation',
  'evidence_p',
  'evidence_n',
  'sentence',
];

/** Alerts for spreadsheets, each with its strongest evidence. The JSON files have the rest. */
export function alertsCsv(alerts: readonly Alert[], incidents: readonly Incident[]): string {
  const incidentOf = new Map(incidents.flatMap(({ id, alerts }) => alerts.map((alert) => [alert.id, id])));
  return csv(
    HEADINGS,
    alerts.map((alert) => {
      const { entity, evidence } = alert;
      const strongest = evidence.at(0);
      return [
        alert.id,
        incidentOf.get(alert.id),
        alert.severity,
        alert.score,
        alert.empiricalP,
        alert.host,
        entity.type,
        entity.name,
        entity.pid,
        entity.cmd,
        entity.id,
        alert.first.iso,
        alert.last.iso,
        alert.reasons.join(' '),
        strongest?.kind,
        strongest?.relation,
        strongest?.p,
        strongest?.n,
        alert.sentence,
      ];
    }),
  );
}
