import type { Notification } from '../sinks/notification.js';
import type { TriageState, VerdictEntry } from './triage-ledger.js';

/** What a receiver is told after the first notification of an incident: one update or close for each verdict. */
export function triageNotifications(
  triage: TriageState,
  entitiesOf: (incident: string) => Notification['entities'] = () => [],
): Notification[] {
  return [...triage.verdicts].flatMap(([id, verdicts]) =>
    verdicts.map((entry, i) => verdictNotification(entry, i + 2, entitiesOf(id))),
  );
}

/** Tells one verdict. */
export function verdictNotification(
  { incident, verdict, closed, note, author, time }: VerdictEntry,
  revision: number,
  entities: Notification['entities'],
): Notification {
  return {
    ...incident,
    revision,
    status: closed ? 'closed' : 'updated',
    entities,
    triage: { verdict, note, author, time: Date.parse(time) },
  };
}
