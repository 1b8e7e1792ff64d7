import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import type { ListedIncident } from '../../live/triage/list-incidents.js';
import type { SinceLastResult } from '../../live/triage/since-last.js';
import { formatCount } from './quantities.js';
import { type Look, renderTable } from './tables.js';

/** Incidents printed; the files hold all of them. */
const LISTED = 20;

/** New and changed incidents; nothing at all without any, so that cron sends no mail. */
export function* renderNews({ fresh, changed, suppressed }: SinceLastResult, look: Look): Generator<string> {
  const news = [
    ...fresh.map((listed) => ({ listed, state: 'new' })),
    ...changed.map((listed) => ({ listed, state: 'changed' })),
  ];
  if (news.length === 0) return;
  yield `${formatCount(fresh.length)} new and ${countOf(changed.length, 'changed incident')}`;
  yield '';
  yield* renderTable(
    ['', 'incident', 'severity', 'host', 'first', 'what'],
    news.slice(0, LISTED).map(({ listed, state }) => rowOf(listed, state)),
    look,
  );
  yield '';
  if (news.length > LISTED) yield `… and ${formatCount(news.length - LISTED)} more`;
  if (suppressed > 0) yield `${formatCount(suppressed)} more are suppressed`;
  const [{ incident }] = [...fresh, ...changed];
  const [id, folder] = [incident.id.slice(0, 8), printable(incident.folder)];
  yield `explain the first:    recal explain ${id} --alerts ${folder}`;
  yield `record a verdict:     recal triage ${id} --alerts ${folder} --verdict benign|malicious|unsure --note TEXT`;
  yield `accept it as normal:  recal accept ${id} --alerts ${folder} --model FILE --reason TEXT`;
}

function rowOf({ incident }: ListedIncident, state: string): string[] {
  return [
    state,
    incident.id.slice(0, 8),
    incident.severity,
    incident.host,
    incident.first.iso.slice(0, 16).replace('T', ' '),
    incident.sentence,
  ];
}
