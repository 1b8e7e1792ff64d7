import { printable } from '../../../base/printable.js';
import { safeJson } from '../../../base/safe-json.js';
import type { Severity } from '../../../detect/alerts/severity.js';
import type { Shape } from '../shape.js';

const PRIORITIES: Readonly<Record<Severity, string>> = {
  info: 'Informational',
  low: 'Notification',
  medium: 'Warning',
  high: 'Error',
  critical: 'Critical',
};

/** An alert as Falco writes it, so that Falcosidekick forwards it. All fields are texts: its chat outputs drop others. */
export const falco: Shape = {
  name: 'falco',
  title: 'Falco JSON, for Falcosidekick',
  contentType: 'application/json',
  message(notification) {
    const [process] = notification.entities.filter(({ type }) => type === 'process');
    const fields: Record<string, string> = {
      'recal.incident': notification.id,
      'recal.status': notification.status,
      'recal.rank': String(notification.rank),
      'recal.score': notification.score.toFixed(2),
      'evt.hostname': notification.host,
    };
    if (notification.triage !== undefined) {
      fields['recal.verdict'] = notification.triage.verdict;
      fields['recal.note'] = printable(notification.triage.note);
      fields['recal.author'] = printable(notification.triage.author);
    }
    if (process !== undefined) {
      fields['proc.name'] = printable(process.name ?? process.id);
      if (process.pid !== null) fields['proc.pid'] = String(process.pid);
      if (process.cmd !== null) fields['proc.cmdline'] = printable(process.cmd);
    }
    return safeJson({
      uuid: `${notification.id}.${notification.revision}`,
      output: printable(notification.sentence),
      priority: PRIORITIES[notification.severity],
      rule: 'RECAL incident',
      source: 'recal',
      hostname: notification.host,
      time: new Date(notification.last).toISOString(),
      tags: ['recal', 'anomaly'],
      output_fields: fields,
    });
  },
};
