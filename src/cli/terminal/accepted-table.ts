import { printable } from '../../base/printable.js';
import type { Accepted } from '../../pipeline/acceptances.js';
import { formatBytes, formatCount } from './quantities.js';
import { type Look, renderTable } from './tables.js';

/** Acceptances in the order in which they were made. */
export function renderAccepted(accepted: readonly Accepted[], look: Look): string[] {
  if (accepted.length === 0) return ['nothing is accepted'];
  return renderTable(
    ['id', 'incident', 'host', 'time', 'author', 'new', 'undone', 'reason', 'what'],
    accepted.map(({ id, incident, host, time, author, keys, undone, reason, sentence }) => [
      id.slice(0, 8),
      incident.slice(0, 8),
      host,
      time.slice(0, 16).replace('T', ' '),
      author,
      keys.length,
      undone === null ? '' : `by ${undone.author}: ${undone.reason}`,
      reason,
      sentence,
    ]),
    look,
  );
}

/** Says that the last line of a ledger was not finished. */
export function describeTorn(path: string, bytes: number): string {
  return `${printable(path)} ends with ${formatBytes(bytes)} of an unfinished line, which is left out; the process that wrote it was interrupted`;
}

/** "3 acceptances". */
export function countAcceptances(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'acceptance' : 'acceptances'}`;
}
