import { type Severity, severityRank } from '../../detect/alerts/severity.js';
import { readAlertFiles } from '../../report/detection/alert-files.js';
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
  /** File that remembers what was sent. Without it, everything is sent again. */
  readonly state?: string | undefined;
  /** File for notifications that no attempt delivered. */
  readonly deadLetters?: string | undefined;
}

/** Sends the incidents of an alerts folder to every sink, by rank. */
export async function sendAlerts(
  folder: string,
  sinks: readonly Sink[],
  { top, minSeverity = 'info', state, deadLetters, ...options }: SendOptions = {},
): Promise<Delivery & { readonly incidents: number }> {
  const { incidents, alerts } = await readAlertFiles(folder);
  const alertsById = new Map(alerts.map((alert) => [alert.id, alert]));
  const wanted = incidents
    .slice(0, top)
    .filter(({ severity }) => severityRank(severity) >= severityRank(minSeverity));
  const delivery = await deliver(
    wanted.map((incident) => notificationOf(incident, alertsById)),
    sinks,
    await DeliveredNotifications.open(state),
    { ...options, deadLetters: deadLetters === undefined ? undefined : new DeadLetters(deadLetters) },
  );
  return { ...delivery, incidents: wanted.length };
}
