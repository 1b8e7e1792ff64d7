import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../folders.js';
import { answer, recal } from '../../recal-process.js';
import { here, type IncidentChanges, writeEpisodeAlerts } from '../episode-alerts.js';

interface Listed {
  incidents: { id: string; status: string; host: string; root: { id: string } }[];
  suppressed: number;
  matching: number;
}

async function prepare(changes: readonly IncidentChanges[]) {
  const folder = newFolder();
  const store = join(folder, 'store');
  const written = await writeEpisodeAlerts(folder, changes, { store });
  const where = ['--alerts', written.alerts];
  const list = async (...args: string[]) =>
    answer(await here(['incidents', ...where, ...args, '--json'])) as never as Listed;
  const names = async (...args: string[]) => (await list(...args)).incidents.map(({ root }) => root.id);
  return { folder, where, list, names, ledger: `${store}.triage.jsonl`, ...written };
}

const three = [
  { name: 'one', host: 'web1', severity: 'critical' },
  { name: 'two', host: 'web2', severity: 'low' },
  { name: 'three', host: 'db1', severity: 'high' },
] as const;

describe('recal incidents', () => {
  it('filters by host, severity, status and time', async () => {
    const { names, incidents, where } = await prepare(three);
    expect(await names()).toEqual(['one', 'two', 'three']);
    expect(await names('--host', 'web*')).toEqual(['one', 'two']);
    expect(await names('--min-severity', 'high')).toEqual(['one', 'three']);
    expect(await names('--from', '2018-04-07')).toEqual([]);
    expect(await names('--to', '2018-04-06')).toEqual([]);
    await here(['triage', incidents[0].id.slice(0, 8), ...where, '--verdict', 'benign']);
    expect(await names('--new')).toEqual(['two', 'three']);
    expect(await names('--status', 'closed')).toEqual(['one']);
  });

  it('reads folders below a folder, the latest first, and shows names harmlessly', async () => {
    const folder = newFolder();
    const daily = join(folder, 'daily');
    await writeEpisodeAlerts(daily, [{ name: 'old' }], { name: '2026-11-15' });
    await writeEpisodeAlerts(daily, [{ name: 'new' }], { name: '2026-11-16' });
    const { stdout } = await here(['incidents', '--alerts', daily]);
    expect(stdout.indexOf('/opt/new')).toBeLessThan(stdout.indexOf('/opt/old'));
    expect(stdout).not.toContain('\u001b[2J');
    expect(stdout).toContain('\\e[2J');
  });
});

describe('recal triage', () => {
  it('keeps every verdict beside the store; the last one counts', async () => {
    const { where, incidents, list, ledger } = await prepare(three);
    const judge = (...args: string[]) => here(['triage', incidents[0].id, ...where, ...args, '--json']);
    await judge('--verdict', 'malicious', '--note', 'web shell \u001b[2J', '--author', 'anna');
    expect((await list()).incidents[0]).toMatchObject({ status: 'open', verdict: { author: 'anna' } });
    await judge('--verdict', 'malicious', '--close', '--author', 'ben');
    expect((await list()).incidents[0]).toMatchObject({ status: 'closed' });
    expect(existsSync(ledger)).toBe(true);
    const { stdout } = await here(['triage', '--log', ...where]);
    expect(stdout).toMatch(/anna +malicious .*web shell \\e\[2J/);
    expect(stdout).toMatch(/ben +malicious, closed/);
  });

  it('an incident that became more severe is new again', async () => {
    const { where, incidents, names, folder } = await prepare([{ name: 'one', severity: 'low' }]);
    await here(['triage', incidents[0].id, ...where, '--verdict', 'benign']);
    expect(await names('--new')).toEqual([]);
    await writeEpisodeAlerts(folder, [{ name: 'one', severity: 'critical' }], {
      store: join(folder, 'store'),
    });
    expect(await names('--new')).toEqual(['one']);
  });

  it('an unknown id or verdict is a usage error', async () => {
    const { where } = await prepare(three);
    expect(await here(['triage', 'ffff', ...where, '--verdict', 'benign'])).toMatchObject({ code: 2 });
    expect(await here(['triage', 'ffff', ...where, '--verdict', 'fine'])).toMatchObject({ code: 2 });
  });
});

describe('recal suppress', () => {
  const why = ['--reason', 'pen test', '--expires', '14d', '--json'];

  it('covers incidents by path, entity or host, and counts what it hides', async () => {
    const { where, names, list } = await prepare(three);
    const added = answer(await here(['suppress', 'add', ...where, '--path', '/opt/t*', ...why]));
    expect(added).toMatchObject({ covers: 2, owner: expect.any(String) });
    expect(await names()).toEqual(['one']);
    expect(await list()).toMatchObject({ suppressed: 2 });
    expect(await names('--status', 'suppressed')).toEqual(['two', 'three']);
    const plain = await here(['incidents', ...where]);
    expect(plain.stdout).toContain('2 are suppressed');
    const id = String(added.id).slice(0, 8);
    await here(['suppress', 'remove', id, ...where, '--reason', 'over']);
    expect(await names()).toHaveLength(3);
    await here(['suppress', 'add', ...where, '--entity', '/opt/one', '--host', 'db*', ...why]);
    expect(await names()).toHaveLength(3);
    await here(['suppress', 'add', ...where, '--entity', '/opt/one', '--host', 'web*', ...why]);
    expect(await names()).toEqual(['two', 'three']);
    const { stdout } = await here(['suppress', 'list', ...where]);
    expect(stdout).toMatch(/removed .*\/opt\/t\*/);
  });

  it('one alert that matches hides nothing', async () => {
    const { where, names } = await prepare(three);
    const rule = [...where, '--path', '/var/tmp/dropper', '--reason', 'r', '--expires', '1d'];
    const { stdout } = await here(['suppress', 'add', ...rule]);
    expect(stdout).toContain('if its root matches, or the entities of all its alerts do');
    expect(await names()).toHaveLength(3);
  });

  it.each([
    [['--path', 'x', '--entity', 'y', ...why]],
    [['--parent', 'x', ...why]],
    [['--path', 'x', '--reason', 'r']],
    [['--path', 'x', '--reason', 'r', '--expires', '2001-01-01']],
    [['--path', 'x', '--reason', 'r', '--expires', 'soon']],
  ])('%j is a usage error', async (args) => {
    const { where } = await prepare(three);
    expect(await here(['suppress', 'add', ...where, ...args])).toMatchObject({ code: 2 });
  });
});

describe('recal send after triage', () => {
  it('sends updates and closes once, and no suppressed incident', async () => {
    const { where, incidents, folder } = await prepare(three);
    const out = join(folder, 'findings.jsonl');
    const send = async () => answer(await recal(['send', `ocsf:${out}`, ...where, '--json']));
    await here(['suppress', 'add', ...where, '--entity', '/opt/three', '--reason', 'r', '--expires', '1d']);
    expect(await send()).toMatchObject({ incidents: 2, suppressed: 1, delivered: 2, updates: 0 });
    const judge = (i: number, ...args: string[]) =>
      here(['triage', incidents[i].id, ...where, '--note', 'seen', ...args]);
    await judge(0, '--verdict', 'malicious');
    await judge(1, '--verdict', 'benign');
    await judge(2, '--verdict', 'benign'); // its receiver never heard of it
    expect(await send()).toMatchObject({ delivered: 2, updates: 2 });
    expect(await send()).toMatchObject({ delivered: 0, updates: 0 });
    const told = readFileSync(out, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told.slice(2)).toMatchObject([
      { activity_id: 2, status_id: 2, comment: 'seen', finding_info: { uid: incidents[0].id } },
      { activity_id: 3, status_id: 4, type_uid: 200403, unmapped: { verdict: 'benign' } },
    ]);
  });
});
