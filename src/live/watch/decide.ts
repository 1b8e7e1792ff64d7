import { type Severity, severityRank } from '../../detect/alerts/severity.js';
import { perDay, type ThresholdSpec } from '../../detect/threshold/threshold.js';
import type { Notification } from '../sinks/notification.js';
import type { ToldIncident } from './checkpoint.js';
import type { JudgedIncident } from './judge-span.js';

/** An incident that has grown to so many times the processes is told again. */
const GROWTH = 2;

export interface DecideOptions {
  readonly rule: ThresholdSpec;
  readonly minSeverity: Severity;
  /** Start of the span. */
  readonly span: bigint;
  /** True if the span is over: these are its last incidents. */
  readonly final: boolean;
}

export interface Decisions {
  readonly incidents: Record<string, ToldIncident>;
  /** What to tell now, by rank. */
  readonly notifications: readonly Notification[];
}

/**
 * Decides what is told about the incidents of a span. While the span is open, an incident must be one that benign events give
 * at most as often as the budget allows. At its end, everything that the threshold raises is told, and incidents that are no
 * longer raised are closed.
 */
export function decide(
  told: Readonly<Record<string, ToldIncident>>,
  judged: readonly JudgedIncident[],
  { rule, minSeverity, span, final }: DecideOptions,
): Decisions {
  const incidents = { ...told };
  const notifications: Notification[] = [];
  const tell = (
    notification: Notification,
    status: Notification['status'],
    { revision, processes }: { revision: number; processes: number },
  ): void => {
    const next = { ...notification, revision, status };
    const { severity } = notification;
    incidents[notification.id] = {
      revision,
      status,
      severity,
      processes,
      span: String(span),
      notification: final ? null : next,
    };
    notifications.push(next);
  };
  for (const each of judged) {
    const { notification, processes } = each;
    const known = incidents[notification.id];
    if (severityRank(notification.severity) < severityRank(minSeverity)) continue;
    const isOpen = known !== undefined && known.status !== 'closed';
    if (!isOpen && !final && !isWithin(rule, each)) continue;
    if (known === undefined) tell(notification, 'new', { revision: 1, processes });
    else if (!isOpen || hasGrown(known, each))
      tell(notification, 'updated', { revision: known.revision + 1, processes });
    else incidents[notification.id] = { ...known, span: String(span), notification };
  }
  if (!final) return { incidents, notifications };
  const raised = new Set(judged.map(({ notification }) => notification.id));
  for (const [id, known] of Object.entries(incidents)) {
    if (known.span !== String(span)) continue;
    if (!raised.has(id) && known.status !== 'closed' && known.notification !== null)
      tell(known.notification, 'closed', { revision: known.revision + 1, processes: known.processes });
    else incidents[id] = { ...known, notification: null };
  }
  return { incidents, notifications };
}

/** Whether benign events give incidents of this score at most as often as the budget allows. */
function isWithin(rule: ThresholdSpec, { falsePerDay, sure }: JudgedIncident): boolean {
  if (rule.kind !== 'top' || falsePerDay === null || !sure) return true;
  return falsePerDay <= perDay(rule);
}

function hasGrown(known: ToldIncident, { notification, processes }: JudgedIncident): boolean {
  return (
    severityRank(notification.severity) > severityRank(known.severity) ||
    processes >= Math.max(known.processes, 1) * GROWTH
  );
}
