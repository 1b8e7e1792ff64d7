import type { Notification } from '../sinks/notification.js';
import type { Suppression, TriageState } from '../triage/triage-ledger.js';
import { verdictNotification } from '../triage/triage-notifications.js';
import type { HeldIncident, ToldIncident, WatchState } from './checkpoint.js';
import type { SpanRecords } from './standing.js';

export interface FollowContext {
  readonly triage: TriageState;
  readonly active: readonly Suppression[];
  readonly recordsOf: (span: string) => SpanRecords;
}

/** What people's decisions change outside of a judgement. */
export interface Followed {
  readonly incidents: Record<string, ToldIncident>;
  readonly held: Record<string, HeldIncident>;
  readonly notifications: readonly Notification[];
}

/**
 * Tells each new verdict about an incident that was told, and incidents of earlier spans that nothing holds back any longer.
 * Those of the open span are left to the next judgement, which knows whether they still stand.
 */
export function followDecisions(
  { incidents: told, held: before, span }: Pick<WatchState, 'incidents' | 'held' | 'span'>,
  { triage, active, recordsOf }: FollowContext,
): Followed {
  const incidents = { ...told };
  const held = { ...before };
  const notifications: Notification[] = [];
  for (const [id, each] of Object.entries(before)) {
    if (each.span === span) continue;
    const standing = recordsOf(each.span).standingOf(each, triage, active);
    if (standing.kind === 'hold') {
      held[id] = { ...each, suppression: standing.suppression };
      continue;
    }
    delete held[id];
    const known = incidents[id];
    const revision = (known?.revision ?? 0) + 1;
    const status = known === undefined ? 'new' : 'updated';
    const { severity } = each.notification;
    const verdicts = known?.verdicts ?? 0;
    incidents[id] = {
      revision,
      status,
      severity,
      verdicts,
      processes: each.processes,
      span: each.span,
      notification: null,
    };
    notifications.push({ ...each.notification, revision, status });
  }
  for (const [id, known] of Object.entries(incidents)) {
    const fresh = (triage.verdicts.get(id) ?? []).slice(known.verdicts);
    if (fresh.length === 0) continue;
    const entities = known.notification?.entities ?? recordsOf(known.span).entitiesOf(id);
    const tellings = fresh.map((entry, i) => verdictNotification(entry, known.revision + i + 1, entities));
    const { revision, status } = tellings[tellings.length - 1];
    incidents[id] = { ...known, revision, status, verdicts: known.verdicts + fresh.length };
    notifications.push(...tellings);
  }
  return { incidents, held, notifications };
}

/** The spans whose records `followDecisions` asks for. */
export function spansToRead(
  { incidents, held, span }: Pick<WatchState, 'incidents' | 'held' | 'span'>,
  triage: TriageState,
): Set<string> {
  const spans = new Set<string>();
  for (const each of Object.values(held)) if (each.span !== span) spans.add(each.span);
  for (const [id, known] of Object.entries(incidents))
    if (known.notification === null && (triage.verdicts.get(id)?.length ?? 0) > known.verdicts)
      spans.add(known.span);
  return spans;
}
