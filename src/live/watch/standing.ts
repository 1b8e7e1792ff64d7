import type { Alert } from '../../detect/alerts/alert.js';
import { readAlertFolders } from '../../report/detection/alert-folders.js';
import { notificationOf } from '../sinks/notification.js';
import { statusOf } from '../triage/list-incidents.js';
import type { Suppression, TriageState } from '../triage/triage-ledger.js';
import type { HeldIncident } from './checkpoint.js';
import type { JudgedIncident } from './judge-span.js';
import type { WatchFolder } from './watch-folder.js';

/** Whether people let an incident be told. `wait`: that depends on its alerts, and they are not known yet. */
export type Standing =
  | { readonly kind: 'tell' | 'wait' }
  | { readonly kind: 'hold'; readonly suppression: string | null };

type Identified = Pick<HeldIncident, 'notification'>;

/** The incidents of a span as the detection wrote them, with their alerts. */
export class SpanRecords {
  readonly #incidents: ReadonlyMap<string, Awaited<ReturnType<typeof readAlertFolders>>['incidents'][number]>;
  readonly #alerts: ReadonlyMap<string, Alert>;

  private constructor({
    incidents,
    alerts,
  }: Pick<Awaited<ReturnType<typeof readAlertFolders>>, 'incidents' | 'alerts'>) {
    this.#incidents = new Map(incidents.map((each) => [each.id, each]));
    this.#alerts = new Map(alerts.map((alert) => [alert.id, alert]));
  }

  static readonly none = new SpanRecords({ incidents: [], alerts: [] });

  /** A folder that is gone or damaged has no records: then only the roots of incidents count. */
  static async read(folder: string): Promise<SpanRecords> {
    return readAlertFolders([folder]).then(
      (found) => new SpanRecords(found),
      () => SpanRecords.none,
    );
  }

  entitiesOf(id: string): ReturnType<typeof notificationOf>['entities'] {
    const incident = this.#incidents.get(id);
    return incident === undefined ? [] : notificationOf(incident, this.#alerts).entities;
  }

  /** As `recal incidents` lists it. */
  standingOf({ notification }: Identified, triage: TriageState, active: readonly Suppression[]): Standing {
    const incident = this.#incidents.get(notification.id) ?? { ...notification, alerts: [] };
    const last = triage.verdicts.get(notification.id)?.at(-1);
    const { status, suppression } = statusOf(incident, last, active, (id) => this.#alerts.get(id));
    return status === 'suppressed' || status === 'closed' ? { kind: 'hold', suppression } : { kind: 'tell' };
  }
}

/** The records of several spans, by their starts. */
export async function readRecords(
  spans: Iterable<string>,
  folder: WatchFolder,
): Promise<Map<string, SpanRecords>> {
  const records = new Map<string, SpanRecords>();
  for (const span of spans) records.set(span, await SpanRecords.read(folder.alerts(BigInt(span))));
  return records;
}

/** The standing of an incident whose alerts are not known yet. `asked` are the suppressions that the judge looked at. */
export function standingWithoutAlerts(
  judged: JudgedIncident,
  triage: TriageState,
  active: readonly Suppression[],
  asked: readonly Suppression[],
): Standing {
  const standing = SpanRecords.none.standingOf(judged, triage, active);
  if (standing.kind === 'hold') return standing;
  const seen = new Set(asked.map(({ id }) => id));
  const isOpen = active.some(({ id }) => !seen.has(id) || judged.undecided.includes(id));
  return isOpen ? { kind: 'wait' } : standing;
}
