import type { Severity } from '../../detect/alerts/severity.js';
import { readAlertFolders } from '../../report/detection/alert-folders.js';
import { listIncidents } from '../triage/list-incidents.js';
import { TriageState, triagePath } from '../triage/triage-ledger.js';
import { triageNotifications } from '../triage/triage-notifications.js';
import { DeadLetters } from './dead-letters.js';
import { DeliveredNotifications, type Delivery, deliver } from './deliver.js';
import { notificationOf } from './notification.js';
import type { RetryOptions } from './retry.js';
import type { Sink } from './sink.js';

export interface SendOptions extends RetryOptions {
  /** Only the first incidents. Default: all. */
  readonly top?: number | undefined;
  /** Default: info. */
  readonly minSeverity?: Severity | undefined;
  /** File that records what was sent. Without it, everything is sent again. */
  readonly state?: string | undefined;
  /** File for notifications that could not be delivered. */
  readonly deadLetters?: string | undefined;
  /** Ledger of decisions about incidents. Default: beside the store that the alerts come from. */
  readonly triage?: string | undefined;
}

/** What was sent, and what was left out. */
export interface SendResult extends Delivery {
  /** Incidents to send. */
  readonly incidents: number;
  /** Incidents that a suppression covers. They are not sent. */
  readonly suppressed: number;
  /** Decisions about incidents that were sent before. */
  readonly updates: number;
}

/**
 * Sends the incidents of an alerts folder to every sink, by rank. Then sends the decisions about incidents that the sink
 * already got.
 */
export async function sendAlerts(
  folder: string,
  sinks: readonly Sink[],
  { top, minSeverity = 'info', state, deadLetters, triage: ledger, ...options }: SendOptions = {},
): Promise<SendResult> {
  const found = await readAlertFolders([folder]);
  const triage = await TriageState.read(triagePath({ triage: ledger, folders: found.folders }));
  const alertsById = new Map(found.alerts.map((alert) => [alert.id, alert]));
  const ranked = top === undefined ? found.incidents : found.incidents.filter(({ rank }) => rank <= top);
  const { incidents: listed, suppressed } = listIncidents({ ...found, incidents: ranked }, triage, {
    minSeverity,
  });
  const wanted = listed.map(({ incident }) => notificationOf(incident, alertsById));
  const entities = new Map(wanted.map((each) => [each.id, each.entities]));
  const updates = triageNotifications(triage, (id) => entities.get(id) ?? []);
  const known = await DeliveredNotifications.open(state);
  const sending = {
    ...options,
    deadLetters: deadLetters === undefined ? undefined : new DeadLetters(deadLetters),
  };
  const first = await deliver(wanted, sinks, known, sending);
  // A receiver that never heard of an incident needs no news of it.
  const rest = await deliver(updates, sinks, known, {
    ...sending,
    isWanted: (sink, notification) => known.has(sink, { ...notification, revision: 1 }),
  });
  return {
    delivered: first.delivered + rest.delivered,
    known: first.known + rest.known,
    failed: [...first.failed, ...rest.failed],
    incidents: wanted.length,
    suppressed,
    updates: rest.delivered,
  };
}
