import { z } from 'zod';
import { EXIT, RecalError } from '../../../base/errors.js';
import { printable } from '../../../base/printable.js';
import { defineSettings } from '../../../base/settings/settings.js';
import { SEVERITIES } from '../../../detect/alerts/severity.js';
import { type IncidentList, listIncidents, STATUSES } from '../../../live/triage/list-incidents.js';
import { TriageState, triagePath } from '../../../live/triage/triage-ledger.js';
import { readAlertFolders } from '../../../report/detection/alert-folders.js';
import { defineCommand } from '../../command.js';
import { selectionSettings } from '../../settings/selection.js';
import { alertFoldersSetting, triageSetting } from '../../settings/triage.js';
import { placesOf, watchFolderSetting } from '../../settings/watch-folder.js';
import { describeTorn } from '../../terminal/accepted-table.js';
import type { Output } from '../../terminal/output.js';
import { formatCount } from '../../terminal/quantities.js';
import { renderTable } from '../../terminal/tables.js';

export const command = defineCommand({
  details:
    'Lists incidents, those of the latest folder first, then by rank. An incident is new if it has no verdict, or if it has become more severe since. ' +
    'Otherwise it is open or closed, as its last verdict says (recal triage). It is suppressed if a rule of recal suppress matches it. ' +
    'Suppressed incidents are counted, but listed only with --status.',
  examples: [
    'recal incidents --alerts alerts --new',
    'recal incidents --alerts daily --host "web-*" --min-severity high --json',
    'recal incidents --alerts alerts --status suppressed',
    'recal incidents --dir /var/lib/recal --new',
  ],
  arguments: {},
  settings: defineSettings({
    alerts: alertFoldersSetting,
    dir: watchFolderSetting,
    triage: triageSetting,
    new: { type: z.boolean().default(false), description: 'only incidents with status new' },
    status: {
      type: z.enum([...STATUSES, 'all']).optional(),
      description: `only incidents with this status: ${STATUSES.join(', ')} or all (default: all but suppressed)`,
      value: 'STATUS',
    },
    minSeverity: {
      type: z.enum(SEVERITIES).default('info'),
      description: 'leave out incidents below this severity',
      value: 'LEVEL',
    },
    host: { ...selectionSettings.host, description: 'host names; * and ? are wildcards' },
    from: { ...selectionSettings.from, description: 'leave out incidents that ended before this time' },
    to: { ...selectionSettings.to, description: 'leave out incidents that began at or after this time' },
    top: {
      type: z.coerce.number().int().min(1).optional(),
      description: 'show at most N incidents',
      value: 'N',
    },
  }),
  async run(_args, { alerts: given, dir, triage: asked, status, top, ...settings }, { out }) {
    const { alerts, triage: ledger } = placesOf({ alerts: given, triage: asked, dir });
    if (alerts.length === 0 && dir === undefined) throw noPlace();
    const found = await readAlertFolders(alerts);
    const path = triagePath({ triage: ledger, folders: found.folders });
    const triage = await TriageState.read(path);
    if (triage.tornBytes > 0) out.warn(describeTorn(String(path), triage.tornBytes));
    const wanted = settings.new ? (['new'] as const) : status === 'all' ? STATUSES : status && [status];
    const { minSeverity, host, from, to } = settings;
    const list = listIncidents(found, triage, { status: wanted, minSeverity, host, from, to });
    const shown = { ...list, incidents: list.incidents.slice(0, top) };
    const value = {
      ...shown,
      matching: list.incidents.length,
      incidents: shown.incidents.map(({ incident: { folder, ...incident }, ...rest }) => ({
        ...incident,
        folder,
        ...rest,
      })),
    };
    out.result(value, () => render(shown, list.incidents.length, out));
    return EXIT.done;
  },
});

function noPlace(): RecalError {
  return new RecalError('usage-invalid-argument', 'either --alerts or --dir is required', {
    hint: 'add --alerts DIR for a folder of recal detect, or --dir DIR for one of recal watch',
    exit: EXIT.usage,
  });
}

function* render(
  { incidents, suppressed, total }: IncidentList,
  matching: number,
  look: Output,
): Generator<string> {
  if (incidents.length > 0) {
    yield* renderTable(
      ['', 'incident', 'status', 'verdict', 'severity', 'score', 'host', 'first', 'what'],
      incidents.map(({ incident, status, verdict }) => [
        String(incident.rank),
        incident.id.slice(0, 8),
        status,
        verdict === null ? '' : `${verdict.verdict} (${verdict.author})`,
        incident.severity,
        incident.score.toFixed(1),
        incident.host,
        incident.first.iso.slice(0, 16).replace('T', ' '),
        incident.sentence,
      ]),
      look,
    );
    yield '';
  }
  yield `${formatCount(incidents.length)} of ${formatCount(matching)} matching incidents shown, ${formatCount(total)} in total`;
  if (suppressed > 0) yield `${formatCount(suppressed)} are suppressed; show them with --status suppressed`;
  const [first] = incidents;
  if (first === undefined) return;
  yield `explain the first: recal explain ${first.incident.id.slice(0, 8)} --alerts ${printable(first.incident.folder)}`;
}
