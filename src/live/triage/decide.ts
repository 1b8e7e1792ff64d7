import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { type Incident, stableId } from '../../detect/alerts/alert.js';
import { findIncident } from '../../detect/alerts/explain.js';
import { currentUser } from '../../pipeline/accept.js';
import { type AlertFolders, readAlertFolders } from '../../report/detection/alert-folders.js';
import { type Notification, notificationOf } from '../sinks/notification.js';
import {
  type Suppression,
  type SuppressionRule,
  TriageState,
  triageLedger,
  triagePath,
  type Verdict,
  type VerdictEntry,
} from './triage-ledger.js';

interface By {
  /** Default: the name of the user who runs the process. */
  readonly author?: string | undefined;
  /** Default: now. */
  readonly time?: Date | undefined;
}

export interface JudgeOptions extends By {
  /** Folders that `detect` wrote. */
  readonly alerts: readonly string[];
  /** Id of an incident, or its beginning. */
  readonly id: string;
  readonly verdict: Verdict;
  readonly note?: string | undefined;
  /** Whether to close the incident. Default: true for benign. */
  readonly close?: boolean | undefined;
  /** Ledger of decisions. Default: beside the store. */
  readonly triage?: string | undefined;
  /** Incidents that receivers were told of, but that no alerts folder has yet. */
  readonly told?: readonly Notification[] | undefined;
}

/** Records a verdict about an incident. The last verdict counts; all are kept. */
export async function judgeIncident({
  alerts,
  id,
  triage,
  told = [],
  ...options
}: JudgeOptions): Promise<VerdictEntry> {
  const found = await readAlertFolders(alerts);
  const known = new Set(found.incidents.map((incident) => incident.id));
  const incidents = [
    ...found.incidents.map(snapshotOf),
    ...told.filter((each) => !known.has(each.id)).map(snapshotOfNotification),
  ];
  const [entry] = await record(found, [findIncident(id, incidents)], { ...options, triage });
  return entry;
}

/** Records one verdict about several incidents. */
export function recordVerdicts(
  found: Pick<AlertFolders, 'folders'>,
  incidents: readonly Incident[],
  options: VerdictOptions,
): Promise<VerdictEntry[]> {
  return record(found, incidents.map(snapshotOf), options);
}

type VerdictOptions = Omit<JudgeOptions, 'alerts' | 'id' | 'told'>;

async function record(
  { folders }: Pick<AlertFolders, 'folders'>,
  incidents: readonly VerdictEntry['incident'][],
  { verdict, note = '', close = verdict === 'benign', triage, ...by }: VerdictOptions,
): Promise<VerdictEntry[]> {
  const path = triagePath({ triage, folders }) as string;
  const time = (by.time ?? new Date()).toISOString();
  const author = by.author ?? currentUser();
  const added = await triageLedger(path).append((entries) =>
    incidents.map((incident, i) => ({
      kind: 'verdict',
      version: 1,
      id: stableId('verdict', incident.id, String(entries.length + i), time),
      author,
      time,
      incident,
      verdict,
      closed: close,
      note,
    })),
  );
  return added as VerdictEntry[];
}

export interface SuppressOptions extends By {
  /** Ledger of decisions. */
  readonly triage: string;
  readonly rule: SuppressionRule;
  /** Glob of host names; all hosts without it. */
  readonly host?: string | undefined;
  readonly reason: string;
  /** Who is responsible for it. Default: the author. */
  readonly owner?: string | undefined;
  readonly expires: Date;
}

/** Hides matching incidents until a time. They are still counted. */
export async function suppress(options: SuppressOptions): Promise<Suppression> {
  const { triage, rule, host = null, reason, expires } = options;
  const now = options.time ?? new Date();
  const author = options.author ?? currentUser();
  if (expires.getTime() <= now.getTime()) {
    throw new RecalError(
      'suppression-invalid',
      `the suppression would end at ${expires.toISOString()}, in the past`,
      {
        hint: 'set --expires to a later time, such as 14d',
        exit: EXIT.usage,
      },
    );
  }
  const time = now.toISOString();
  const own = {
    author,
    time,
    owner: options.owner ?? author,
    reason,
    expires: expires.toISOString(),
    host,
    rule,
  };
  let id = '';
  await triageLedger(triage).append((entries) => {
    id = stableId('suppress', JSON.stringify(rule), String(entries.length), time);
    return [{ kind: 'suppress', version: 1, id, ...own }];
  });
  return { id, ...own };
}

export interface UnsuppressOptions extends By {
  /** Ledger of decisions. */
  readonly triage: string;
  /** Id of a suppression, or its beginning. */
  readonly id: string;
  readonly reason: string;
}

/** Ends a suppression. `start` is its id or the beginning of it. */
export async function unsuppress(options: UnsuppressOptions): Promise<Suppression> {
  const time = (options.time ?? new Date()).toISOString();
  const author = options.author ?? currentUser();
  let found: Suppression | undefined;
  await triageLedger(options.triage).append((entries) => {
    found = findOne(new TriageState(entries).suppressions, options.id);
    const id = stableId('unsuppress', found.id, String(entries.length), time);
    return [
      { kind: 'unsuppress', version: 1, id, author, time, suppression: found.id, reason: options.reason },
    ];
  });
  return found as Suppression;
}

function findOne(
  suppressions: readonly (Suppression & { readonly removed: boolean })[],
  start: string,
): Suppression {
  const standing = suppressions.filter(({ removed }) => !removed);
  const found = standing.filter(({ id }) => start !== '' && id.startsWith(start.toLowerCase()));
  if (found.length === 1) return found[0];
  const ids = (found.length > 1 ? found : standing).slice(-5).map(({ id }) => id.slice(0, 8));
  throw new RecalError(
    'suppression-unknown',
    `${found.length > 1 ? 'several suppressions have' : 'no suppression has'} the id '${printable(start, 40)}'`,
    {
      hint: ids.length === 0 ? 'nothing is suppressed' : `choose one of: ${ids.join(', ')}`,
      exit: EXIT.usage,
    },
  );
}

function snapshotOf(incident: Incident): VerdictEntry['incident'] {
  return snapshotOfNotification(notificationOf(incident, new Map()));
}

function snapshotOfNotification(notification: Notification): VerdictEntry['incident'] {
  const { id, host, model, rank, score, severity, title, sentence, first, last, root } = notification;
  return { id, host, model, rank, score, severity, title, sentence, first, last, root };
}
