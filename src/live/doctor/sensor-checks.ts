import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import type { Manifest } from '../../store/manifest.js';
import { type Finding, fail, type Machine, ok, skipped, warn } from './finding.js';
import { latest, latestEvent } from './latest-event.js';

const MINUTE = 60_000;
/** A log that was not written for this long is probably not written at all. */
const QUIET = 15 * MINUTE;
/** Losses older than this are history. */
const RECENT = 7 * 24 * 60 * MINUTE;
/** A clock that is this far ahead makes events look new forever. */
const AHEAD = 5 * MINUTE;
const STALE = 24 * 60 * MINUTE;

/** Whether logs can be read and grow. */
export async function checkLog(logs: readonly string[], machine: Machine): Promise<Finding> {
  if (logs.length === 0) return skipped('no log was given; use --log FILE');
  let newest = Number.NEGATIVE_INFINITY;
  for (const log of logs) {
    const name = printable(log, 200);
    const found = await stat(log).catch(() => undefined);
    if (found === undefined)
      return fail(`${name} does not exist`, 'start the sensor, or correct the path of --log');
    const readable = await access(log, constants.R_OK).then(
      () => true,
      () => false,
    );
    if (!readable)
      return fail(`${name} is not readable`, 'run as a user who may read it, such as a member of group adm');
    newest = Math.max(newest, found.mtimeMs);
  }
  const age = machine.now() - newest;
  if (age > QUIET) {
    return warn(
      `nothing was written for ${Math.round(age / MINUTE)} minutes`,
      'check that the sensor runs: systemctl status auditd',
    );
  }
  return ok(`${logs.length} readable, last written ${Math.max(0, Math.round(age / 1000))} s ago`);
}

/** Whether the kernel records what RECAL needs. */
export async function checkRules(machine: Machine): Promise<Finding> {
  if (!machine.isRoot()) return skipped('only root may list audit rules');
  const text = await machine.output('auditctl', ['-l']);
  if (text === undefined) return skipped('auditctl is not installed or does not answer');
  const rules = text.split('\n').filter((line) => line.startsWith('-'));
  if (rules.length === 0) {
    return fail(
      'no audit rules are loaded',
      'load them: recal rules auditd > /etc/audit/rules.d/recal.rules && augenrules --load',
    );
  }
  const missing = ['execve', 'connect', 'openat'].filter(
    (call) => !rules.some((rule) => rule.includes(call) || /-S all\b/.test(rule)),
  );
  if (missing.length === 0) return ok(`${rules.length} rules are loaded`);
  return warn(
    `${rules.length} rules are loaded, but none records ${missing.join(', ')}`,
    'compare them with: recal rules auditd',
  );
}

/** Whether the kernel or the sensor loses events. */
export async function checkLosses(manifest: Manifest | undefined, machine: Machine): Promise<Finding> {
  const status = machine.isRoot() ? await machine.output('auditctl', ['-s']) : undefined;
  const lost = Number(/^lost (\d+)$/m.exec(status ?? '')?.[1] ?? 0);
  const since = BigInt(Math.round(machine.now() - RECENT)) * 1_000_000n;
  const stored = (manifest?.ingests ?? [])
    .flatMap(({ summary }) => summary.losses)
    .filter(({ to }) => BigInt(to) >= since);
  const action =
    'raise the backlog (-b 65536 in the audit rules), record less, or give the sensor more processor time';
  if (stored.length > 0) {
    const records = stored.reduce((sum, loss) => sum + loss.records, 0);
    const last = new Date(latest(stored.map(({ to }) => to)) ?? 0).toISOString();
    const host = printable(stored[stored.length - 1].host, 80);
    // A filter between the sensor and the log leaves gaps too, so that gaps alone are no proof.
    const onlyGaps = stored.every(({ reason }) => reason === 'serial-gap') && lost === 0;
    return (onlyGaps ? warn : fail)(
      `the logs of the last week ${onlyGaps ? 'have gaps of' : 'report'} ${countOf(records, onlyGaps ? 'record' : 'lost record')} in ${countOf(stored.length, 'place')}, the last at ${last} on host ${host}`,
      action,
    );
  }
  if (lost > 0) return warn(`the kernel lost ${countOf(lost, 'record')} since it started`, action);
  if (manifest === undefined && status === undefined)
    return skipped('no store to read, and auditctl does not answer');
  return ok('none in the last week');
}

/** Whether the times of events make sense. */
export function checkClock(manifest: Manifest | undefined, machine: Machine): Finding {
  const last = latestEvent(manifest);
  if (last === undefined) return skipped('no store with events to read');
  const age = machine.now() - last;
  const at = new Date(last).toISOString();
  if (age < -AHEAD) {
    return fail(
      `the last event is at ${at}, ${spanText(-age)} in the future`,
      'correct the clock of this machine or of the sensor: timedatectl status',
    );
  }
  if (age > STALE) {
    return warn(
      `the last event is at ${at}, ${spanText(age)} ago`,
      'ingest newer logs, or correct the clock: timedatectl status',
    );
  }
  return ok(`the last event is at ${at}`);
}

/** Milliseconds in the largest unit of which there are at least two. */
function spanText(milliseconds: number): string {
  const minutes = Math.round(milliseconds / MINUTE);
  if (minutes < 120) return countOf(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return hours < 48 ? countOf(hours, 'hour') : countOf(Math.round(hours / 24), 'day');
}
