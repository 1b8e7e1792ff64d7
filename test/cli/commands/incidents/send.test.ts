import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeAlertFiles } from '../../../../src/report/detection/alert-files.js';
import { HOSTILE, MODEL, makeSmallAlerts } from '../../../detect/alerts/small-alerts.js';
import { newFolder, sharedFolder } from '../../../folders.js';
import { recal } from '../../recal-process.js';

let alerts: string;
let count: number;

beforeAll(async () => {
  const folder = sharedFolder();
  const made = await makeSmallAlerts(folder, { nginx: HOSTILE.formula, shell: HOSTILE.terminal });
  alerts = join(folder, 'alerts');
  count = made.incidents.length;
  await writeAlertFiles(alerts, {
    ...made,
    run: {
      model: MODEL,
      threshold: { value: 5, rule: 'budget:5/day', note: null },
      selection: { split: null, host: null, from: null, to: null },
      store: null,
      hosts: ['h'],
      counts: {},
    },
  });
});

describe('recal send', () => {
  it('writes every incident once, also if it runs again', async () => {
    const out = join(newFolder(), 'findings.jsonl');
    const send = () => recal(['send', `ocsf:${out}`, '--alerts', alerts, '--json']);
    const first = await send();
    expect(first).toMatchObject({ code: 0 });
    expect(JSON.parse(first.stdout)).toMatchObject({
      incidents: count,
      delivered: count,
      known: 0,
      failed: [],
    });
    expect(JSON.parse((await send()).stdout)).toMatchObject({ delivered: 0, known: count });
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).class_uid)).toEqual(new Array(count).fill(2004));
  });

  it('fails if a receiver is gone, and keeps what it missed', async () => {
    const folder = newFolder();
    const [state, dead] = [join(folder, 'sent.json'), join(folder, 'dead.jsonl')];
    const where = ['--alerts', alerts, '--state', state, '--dead-letters', dead, '--attempts', '1'];
    const ended = await recal(['send', 'recal:http://127.0.0.1:9/x', ...where]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('cannot reach 127.0.0.1:9');
    expect(readFileSync(dead, 'utf8').trimEnd().split('\n')).toHaveLength(count);
  });

  it('an unknown receiver is a usage error', async () => {
    expect(await recal(['send', 'mail:root', '--alerts', alerts])).toMatchObject({ code: 2 });
  });
});
