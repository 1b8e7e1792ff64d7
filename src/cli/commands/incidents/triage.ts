import { z } from 'zod';
import { EXIT, RecalError } from '../../../base/errors.js';
import { printable } from '../../../base/printable.js';
import { defineSettings } from '../../../base/settings/settings.js';
import { judgeIncident } from '../../../live/triage/decide.js';
import { TriageState, triagePath, VERDICTS } from '../../../live/triage/triage-ledger.js';
import { readTold } from '../../../live/watch/checkpoint.js';
import { WatchFolder } from '../../../live/watch/watch-folder.js';
import { readAlertFolders } from '../../../report/detection/alert-folders.js';
import { defineCommand } from '../../command.js';
import { alertFoldersSetting, authorSetting, triageSetting } from '../../settings/triage.js';
import { placesOf, watchFolderSetting } from '../../settings/watch-folder.js';
import { describeTorn } from '../../terminal/accepted-table.js';
import { renderTable } from '../../terminal/tables.js';

export const command = defineCommand({
  details:
    'Records a verdict with author and time. benign closes the incident; malicious and unsure keep it open until --close. A verdict does ' +
    'not change the model; recal accept does. The next recal send, or a running recal watch, reports the verdict to the receivers. --log shows every decision.',
  examples: [
    'recal triage 4be2f5 --alerts alerts --verdict malicious --note "web shell, host isolated"',
    'recal triage 4be2f5 --alerts alerts --verdict malicious --close --note "host rebuilt"',
    'recal triage --log --alerts alerts',
    'recal triage 4be2f5 --dir /var/lib/recal --verdict benign',
  ],
  arguments: { incident: { description: 'id of an incident, or its first characters', optional: true } },
  settings: defineSettings({
    alerts: alertFoldersSetting,
    dir: watchFolderSetting,
    triage: triageSetting,
    verdict: {
      type: z.enum(VERDICTS).optional(),
      description: 'your verdict: benign, malicious or unsure',
      value: VERDICTS.join('|'),
    },
    note: { type: z.string().max(4096).default(''), description: 'why, or what was done', value: 'TEXT' },
    close: {
      type: z.boolean().optional(),
      description: 'close the incident (default for benign)',
    },
    author: authorSetting,
    log: { type: z.boolean().default(false), description: 'show all decisions, oldest first' },
  }),
  async run({ incident }, { verdict, note, close, author, log, ...given }, { out }) {
    const { alerts, triage } = placesOf(given);
    if (log) {
      const { folders } = await readAlertFolders(alerts);
      const path = triagePath({ triage, folders });
      if (path === undefined) throw usage('--log needs --alerts, --dir or --triage', 'add --alerts DIR');
      const { entries, tornBytes } = await TriageState.read(path);
      if (tornBytes > 0) out.warn(describeTorn(path, tornBytes));
      out.result({ path, tornBytes, entries }, () =>
        renderTable(
          ['time', 'author', 'decision', 'about', 'why'],
          entries.map((entry) => [
            entry.time.slice(0, 19).replace('T', ' '),
            entry.author,
            entry.kind === 'verdict' ? `${entry.verdict}${entry.closed ? ', closed' : ''}` : entry.kind,
            entry.kind === 'verdict'
              ? `${entry.incident.id.slice(0, 8)} ${entry.incident.title}`
              : entry.kind === 'suppress'
                ? `${entry.id.slice(0, 8)} ${JSON.stringify(entry.rule)}`
                : entry.suppression.slice(0, 8),
            entry.kind === 'verdict' ? entry.note : entry.reason,
          ]),
          out,
        ),
      );
      return EXIT.done;
    }
    if (incident === undefined || verdict === undefined || (alerts.length === 0 && given.dir === undefined)) {
      throw usage(
        'an incident, --verdict, and --alerts or --dir are required',
        'for example: recal triage INCIDENT --alerts DIR --verdict benign; --log shows past decisions',
      );
    }
    // A watch tells an incident before it writes its alerts.
    const told = given.dir === undefined ? [] : await readTold(new WatchFolder(given.dir).checkpoint);
    const by = { verdict, note, close, author };
    const where =
      given.dir === undefined
        ? `--alerts ${alerts.length === 1 ? printable(alerts[0]) : 'DIR'} --model FILE`
        : `--dir ${printable(given.dir)}`;
    const entry = await judgeIncident({ alerts, id: incident, triage, told, ...by });
    out.result(entry, () => [
      `${entry.incident.id.slice(0, 8)} is ${entry.verdict} and ${entry.closed ? 'closed' : 'open'}`,
      ...(entry.verdict === 'benign'
        ? [
            `to accept its behaviours as normal: recal accept ${entry.incident.id.slice(0, 8)} ${where} --reason TEXT`,
          ]
        : []),
    ]);
    return EXIT.done;
  },
});

function usage(message: string, hint: string): RecalError {
  return new RecalError('usage-invalid-argument', message, { hint, exit: EXIT.usage });
}
