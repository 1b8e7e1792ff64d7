import type { Notification } from '../sinks/notification.js';
import type { TriageState } from './triage-ledger.js';

/** What a receiver is told after the first notification of an incident: one update or close for each verdict. */
export function triageNotifications(
  triage: TriageState,
  entitiesOf: (incident: string) => Notification['entities'] = () => [],
): Notification[] {
  return [...triage.verdicts].flatMap(([id, verdicts]) =>
    verdicts.map(
      ({ incident, verdict, closed, note, author, time }, i): Notification => ({
        ...incident,
        revision: i + 2,
        status: closed ? 'closed' : 'updated',
        entities: entitiesOf(id),
        triage: { verdict, note, author, time: Date.parse(time) },
      }),
    ),
  );
}
