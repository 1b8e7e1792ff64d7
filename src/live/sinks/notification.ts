import type { Alert, EntityRef, Incident } from '../../detect/alerts/alert.js';
import type { Severity } from '../../detect/alerts/severity.js';

/** The most entities that a notification names. The incident itself has all of them. */
const MOST_ENTITIES = 20;

/** An entity of an incident, as a receiver needs it. */
export interface NotificationEntity extends EntityRef {
  readonly score: number;
  readonly pid: number | null;
  readonly cmd: string | null;
}

/**
 * What a receiver gets about an incident. The same incident always has the same id, so a receiver that gets a notification twice
 * can drop the second one.
 */
export interface Notification {
  readonly id: string;
  /** Counts the notifications about this incident, from 1. */
  readonly revision: number;
  readonly status: 'new' | 'updated' | 'closed';
  readonly host: string;
  readonly model: string;
  readonly rank: number;
  readonly score: number;
  readonly severity: Severity;
  /** One line. */
  readonly title: string;
  readonly sentence: string;
  /** Milliseconds since 1970. */
  readonly first: number;
  readonly last: number;
  readonly root: EntityRef;
  /** Highest score first. */
  readonly entities: readonly NotificationEntity[];
  /** The last decision about it; only in updates that follow a decision. */
  readonly triage?: NotificationTriage;
}

/** A decision of a person about an incident. */
export interface NotificationTriage {
  readonly verdict: 'benign' | 'malicious' | 'unsure';
  readonly note: string;
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** The notification about a new incident. */
export function notificationOf(incident: Incident, alerts: ReadonlyMap<string, Alert>): Notification {
  const { id, host, model, rank, score, severity, sentence, first, last, root } = incident;
  return {
    id,
    revision: 1,
    status: 'new',
    host,
    model,
    rank,
    score,
    severity,
    title: `${nameOf(root)} on ${host}`,
    sentence,
    first: milliseconds(first.ns),
    last: milliseconds(last.ns),
    root,
    entities: incident.alerts.slice(0, MOST_ENTITIES).map((member) => {
      const alert = alerts.get(member.id);
      return {
        id: member.entity.id,
        type: member.entity.type,
        name: member.entity.name,
        score: member.score,
        pid: alert?.entity.pid ?? null,
        cmd: alert?.entity.cmd ?? null,
      };
    }),
  };
}

/** The same for every delivery of a notification: receivers drop what they have seen. */
export function deliveryKey({ id, revision }: Notification): string {
  return `${id}.${revision}`;
}

/** The last part of a path, or the whole name. */
function nameOf({ name, type, id }: EntityRef): string {
  if (name === null) return `unnamed ${type} ${id.slice(0, 8)}`;
  const base = name.split(/[\\/]/).at(-1);
  return base === undefined || base === '' ? name : base;
}

function milliseconds(ns: string): number {
  return Number(BigInt(ns) / 1_000_000n);
}
