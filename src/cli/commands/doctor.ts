import { existsSync } from 'node:fs';
import { z } from 'zod';
import { EXIT } from '../../base/errors.js';
import { defineSettings } from '../../base/settings/settings.js';
import { examine } from '../../live/doctor/examine.js';
import { defineCommand } from '../command.js';
import { placesOf, watchFolderSetting } from '../settings/watch-folder.js';
import { renderTable } from '../terminal/tables.js';

const AUDIT_LOG = '/var/log/audit/audit.log';

export const command = defineCommand({
  details:
    'Checks that the log is readable, audit rules are loaded, no events are lost, the clock is right, the model is recent, there is enough free disk ' +
    `space and memory, and the store and the decisions are intact. Changes nothing. Exits with code ${EXIT.error} if a check fails; warnings do ` +
    'not count. docs/how-to/runbook.md has a section for each check.',
  examples: [
    'recal doctor --store host --model host.recal',
    'recal doctor --dir /var/lib/recal',
    'recal doctor --log /var/log/sysmon.json --store host --json',
  ],
  arguments: {},
  settings: defineSettings({
    log: {
      type: z.array(z.string().min(1)).default([]),
      description: `log file of the sensor; ${AUDIT_LOG} by default, if it exists`,
      value: 'FILE',
    },
    dir: watchFolderSetting,
    store: { type: z.string().min(1).optional(), description: 'folder of the store', value: 'DIR' },
    model: { type: z.string().min(1).optional(), description: 'model file', value: 'FILE' },
    verify: { type: z.boolean().default(true), description: 'do not read every file of the store' },
  }),
  async run(_args, { log, verify, ...given }, { out, signal }) {
    const { store, model } = placesOf({ ...given, alerts: [] });
    const logs = log.length > 0 ? log : existsSync(AUDIT_LOG) ? [AUDIT_LOG] : [];
    const findings = await examine({ logs, store, model, verify, signal });
    const count = (status: string) => findings.filter((each) => each.status === status).length;
    const healthy = count('fail') === 0;
    out.result({ healthy, findings }, () => [
      ...renderTable(
        ['check', 'result', 'finding', 'what to do'],
        findings.map(({ check, status, message, action }) => [check, status, message, action ?? '']),
        out,
      ),
      '',
      `${count('ok')} ok, ${count('warn')} ${count('warn') === 1 ? 'warning' : 'warnings'}, ${count('fail')} failed, ${count('skipped')} skipped`,
    ]);
    return healthy ? EXIT.done : EXIT.error;
  },
});
