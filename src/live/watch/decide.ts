import { type Severity, severityRank } from '../../detect/alerts/severity.js';
import { perDay, type ThresholdSpec } from '../../detect/threshold/threshold.js';
import type { Notification } from '../sinks/notification.js';
import type { HeldIncident, ToldIncident, WatchState } from './checkpoint.js';
import type { JudgedIncident } from './judge-span.js';
import type { Standing } from './standing.js';

/** An incident that has grown to so many times the processes is told again. */
const GROWTH = 2;

export interface DecideOptions {
  readonly rule: ThresholdSpec;
  readonly minSeverity: Severity;
  /** Start of the span. */
  readonly span: bigint;
  /** True if the span is over: these are its last incidents. */
  readonly final: boolean;
  /** What people decided about an incident. */
  readonly standingOf: (incident: JudgedIncident) => Standing;
}

export interface Decisions {
  readonly incidents: Record<string, ToldIncident>;
  /** What is not told because a person decided so. */
  readonly held: Record<string, HeldIncident>;
  /** What to tell now, by rank. */
  readonly notifications: readonly Notification[];
}

/**
 * Decides what is told about the incidents of a span. While the span is open, an incident must be one that benign events give
 * at most as often as the budget allows. At its end, everything that the threshold raises is told, and incidents that are no
 * longer raised are closed. What people suppressed or closed is held back as long as it is raised.
 */
export function decide(
  { incidents: told, held: before }: Pick<WatchState, 'incidents' | 'held'>,
  judged: readonly JudgedIncident[],
  { rule, minSeverity, span, final, standingOf }: DecideOptions,
): Decisions {
  const incidents = { ...told };
  // This judgement says which incidents of the span stand.
  const held = Object.fromEntries(Object.entries(before).filter(([, each]) => each.span !== String(span)));
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
      verdicts: incidents[notification.id]?.verdicts ?? 0,
    };
    notifications.push(next);
  };
  for (const each of judged) {
    const { notification, processes } = each;
    const known = incidents[notification.id];
    if (severityRank(notification.severity) < severityRank(minSeverity)) continue;
    const isOpen = known !== undefined && known.status !== 'closed';
    if (!isOpen && !final && !isWithin(rule, each)) continue;
    if (isOpen && !hasGrown(known, each)) {
      incidents[notification.id] = { ...known, span: String(span), notification };
      continue;
    }
    const standing = standingOf(each);
    if (standing.kind !== 'tell') {
      if (known !== undefined) incidents[notification.id] = { ...known, span: String(span) };
      if (standing.kind === 'hold') {
        const { suppression } = standing;
        held[notification.id] = { span: String(span), suppression, processes, notification };
      }
      continue;
    }
    delete held[notification.id]; // of an earlier span
    if (known === undefined) tell(notification, 'new', { revision: 1, processes });
    else tell(notification, 'updated', { revision: known.revision + 1, processes });
  }
  if (!final) return { incidents, held, notifications };
  const raised = new Set(judged.map(({ notification }) => notification.id));
  for (const [id, known] of Object.entries(incidents)) {
    if (known.span !== String(span)) continue;
    if (!raised.has(id) && known.status !== 'closed' && known.notification !== null)
      tell(known.notification, 'closed', { revision: known.revision + 1, processes: known.processes });
    else incidents[id] = { ...known, notification: null };
  }
  return { incidents, held, notifications };
}

/**
 * Whether benign events give incidents of this score at most as often as the budget allows. A calibration too short for the
 * budget cannot show this. An incident above every benign one is then told, because its rank is within the budget.
 */
function isWithin(rule: ThresholdSpec, { falsePerDay, counted }: JudgedIncident): boolean {
  if (rule.kind !== 'top' || falsePerDay === null || !counted) return true;
  return falsePerDay <= perDay(rule);
}

function hasGrown(known: ToldIncident, { notification, processes }: JudgedIncident): boolean {
  return (
    severityRank(notification.severity) > severityRank(known.severity) ||
    processes >= Math.max(known.processes, 1) * GROWTH
  );
}
