import { globMatcher } from '../../base/glob-match.js';
import type { Alert } from '../../detect/alerts/alert.js';
import { type Severity, severityRank } from '../../detect/alerts/severity.js';
import type { AlertFolders, FoundIncident } from '../../report/detection/alert-folders.js';
import { findSuppression, type Suppressible } from './suppression-match.js';
import type { Suppression, TriageState, VerdictEntry } from './triage-ledger.js';

export const STATUSES = ['new', 'open', 'closed', 'suppressed'] as const;
export type IncidentStatus = (typeof STATUSES)[number];

/** An incident with its decisions. */
export interface ListedIncident {
  readonly incident: FoundIncident;
  /** `new`: it has no verdict, or became more severe since. `open` and `closed`: as the last verdict says. */
  readonly status: IncidentStatus;
  /** The last decision about it; null without any. */
  readonly verdict: Pick<VerdictEntry, 'verdict' | 'closed' | 'note' | 'author' | 'time'> | null;
  /** The id of the suppression that matches it. */
  readonly suppression: string | null;
}

export interface ListFilter {
  readonly status?: readonly IncidentStatus[] | undefined;
  /** Glob. */
  readonly host?: string | undefined;
  readonly minSeverity?: Severity | undefined;
  /** In nanoseconds since 1970: incidents that end at or after `from` and begin before `to`. */
  readonly from?: bigint | undefined;
  readonly to?: bigint | undefined;
}

/** Incidents that match, and how many were left out because they are suppressed. */
export interface IncidentList {
  readonly incidents: readonly ListedIncident[];
  readonly suppressed: number;
  /** All incidents in the folders. */
  readonly total: number;
}

/** Lists incidents, the latest folder first, then by rank. Suppressed incidents are counted, but listed only if `status` asks for them. */
export function listIncidents(
  { incidents, alerts, folders }: AlertFolders,
  triage: TriageState,
  { status = ['new', 'open', 'closed'], host = '*', minSeverity = 'info', from, to }: ListFilter = {},
  now = new Date(),
): IncidentList {
  const active = triage.active(now);
  const byId = new Map(alerts.map((alert) => [alert.id, alert]));
  const isHost = globMatcher(host);
  const places = new Map(folders.map(({ folder }, i) => [folder, i]));
  const listed = incidents
    .filter(
      (each) =>
        isHost(each.host) &&
        severityRank(each.severity) >= severityRank(minSeverity) &&
        (from === undefined || BigInt(each.last.ns) >= from) &&
        (to === undefined || BigInt(each.first.ns) < to),
    )
    .map((incident): ListedIncident => {
      const last = triage.verdicts.get(incident.id)?.at(-1);
      return {
        incident,
        ...statusOf(incident, last, active, (id) => byId.get(id)),
        verdict: last === undefined ? null : pick(last),
      };
    });
  return {
    incidents: listed
      .filter((each) => status.includes(each.status))
      .sort(
        (a, b) =>
          (places.get(b.incident.folder) ?? 0) - (places.get(a.incident.folder) ?? 0) ||
          a.incident.rank - b.incident.rank,
      ),
    suppressed: listed.filter((each) => each.status === 'suppressed').length,
    total: incidents.length,
  };
}

/** What the last verdict and the suppressions that hold come to. The lists, `recal send` and `recal watch` all ask here. */
export function statusOf(
  incident: Suppressible & { readonly severity: Severity },
  last: VerdictEntry | undefined,
  active: readonly Suppression[],
  alertOf: (id: string) => Alert | undefined,
): Pick<ListedIncident, 'status' | 'suppression'> {
  const suppression = findSuppression(incident, active, alertOf);
  if (suppression !== undefined) return { status: 'suppressed', suppression: suppression.id };
  // An incident that became more severe after it was judged needs another look.
  if (last === undefined || severityRank(incident.severity) > severityRank(last.incident.severity))
    return { status: 'new', suppression: null };
  return { status: last.closed ? 'closed' : 'open', suppression: null };
}

function pick({ verdict, closed, note, author, time }: VerdictEntry): ListedIncident['verdict'] {
  return { verdict, closed, note, author, time };
}
