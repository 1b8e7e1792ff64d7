import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { examine } from '../../../src/live/doctor/examine.js';
import { CHECKS, type CheckName, type Machine } from '../../../src/live/doctor/finding.js';
import { healthOf } from '../../../src/live/watch/metrics-server.js';
import { acceptancesPath } from '../../../src/pipeline/acceptances.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { readManifest } from '../../../src/store/manifest.js';
import { ROOT } from '../../built.js';
import { recal } from '../../cli/recal-process.js';
import { newFolder, sharedFolder } from '../../folders.js';
import { eventLine, file, MIDNIGHT, process as processOf, writeLog } from '../../store/small-logs.js';

const HOUR = 3_600_000;
const NOW = Number(MIDNIGHT / 1_000_000n) + HOUR;
const GIB = 2 ** 30;
const RULES = '-a always,exit -S execve,connect,openat -k recal\n';

const healthy: Machine = {
  now: () => NOW,
  isRoot: () => true,
  output: async (_, [option]) => (option === '-l' ? RULES : 'enabled 1\nlost 0\nbacklog 3\n'),
  disk: async () => ({ free: 50 * GIB, total: 100 * GIB }),
  memory: async () => 4 * GIB,
};

const folder = sharedFolder();
const store = join(folder, 'store');
const log = join(folder, 'audit.log');

beforeAll(async () => {
  const lines = [
    eventLine({ ts: MIDNIGHT, rel: 'EVENT_READ', subj: processOf('p'), obj: file('/f', { name: '/f' }) }),
  ];
  await ingestFiles([writeLog(folder, 'log.ndjson', lines)], { store, threads: 0 });
  writeFileSync(log, 'x\n');
});

async function statusOf(
  check: CheckName,
  { machine = {}, ...options }: Partial<Parameters<typeof examine>[0]> & { machine?: Partial<Machine> } = {},
): Promise<string> {
  utimesSync(log, NOW / 1000, NOW / 1000);
  const findings = await examine({ logs: [log], store, ...options }, { ...healthy, ...machine });
  const found = findings.find((each) => each.check === check);
  if (found === undefined) throw new Error(`no check ${check}`);
  if (found.status === 'warn' || found.status === 'fail') expect(found.action).toMatch(/\w/);
  return found.status;
}

describe('examine', () => {
  it('finds nothing wrong with a healthy machine', async () => {
    for (const check of CHECKS)
      expect([check, await statusOf(check)]).toEqual([check, check === 'model' ? 'skipped' : 'ok']);
  });

  it('tells in words how far the clock is off', async () => {
    const findingOf = async (now: number) => {
      const findings = await examine({ logs: [log], store }, { ...healthy, now: () => now });
      return findings.find(({ check }) => check === 'clock')?.message;
    };
    expect(await findingOf(NOW - 4000 * 24 * HOUR)).toMatch(/, 4,000 days in the future$/);
    expect(await findingOf(NOW + 29 * HOUR)).toMatch(/, 30 hours ago$/);
  });

  it.each<[CheckName, string, Partial<Parameters<typeof examine>[0]> & { machine?: Partial<Machine> }]>([
    ['log', 'fail', { logs: ['/nowhere/audit.log'] }],
    ['log', 'warn', { machine: { now: () => NOW + HOUR } }],
    ['log', 'skipped', { logs: [] }],
    ['rules', 'fail', { machine: { output: async () => 'No rules\n' } }],
    ['rules', 'warn', { machine: { output: async () => '-w /etc/passwd -p wa\n' } }],
    ['rules', 'skipped', { machine: { output: async () => undefined } }],
    ['rules', 'skipped', { machine: { isRoot: () => false } }],
    ['losses', 'warn', { machine: { output: async () => 'lost 17\n' } }],
    ['losses', 'skipped', { store: undefined, machine: { isRoot: () => false } }],
    ['clock', 'fail', { machine: { now: () => NOW - 2 * HOUR } }],
    ['clock', 'warn', { machine: { now: () => NOW + 48 * HOUR } }],
    ['model', 'fail', { model: '/nowhere/m.recal' }],
    ['disk', 'fail', { machine: { disk: async () => ({ free: GIB, total: 100 * GIB }) } }],
    ['disk', 'warn', { machine: { disk: async () => ({ free: 9 * GIB, total: 100 * GIB }) } }],
    ['memory', 'fail', { machine: { memory: async () => 2 ** 20 } }],
    ['memory', 'warn', { machine: { memory: async () => GIB / 2 } }],
    ['store', 'fail', { store: '/nowhere/store' }],
    ['store', 'skipped', { verify: false }],
  ])('%s can be %s', async (check, status, options) => {
    expect(await statusOf(check, options)).toBe(status);
  });

  it('reports losses in the logs of the last week only', async () => {
    const own = join(newFolder(), 'store');
    const lines = [
      'type=SYSCALL msg=audit(1522972800.000:10): arch=c000003e syscall=59 success=yes exit=0 ppid=1 pid=2 auid=0 uid=0 ses=1 comm="a" exe="/bin/a"',
      'type=SYSCALL msg=audit(1522972801.000:99): arch=c000003e syscall=59 success=yes exit=0 ppid=1 pid=2 auid=0 uid=0 ses=1 comm="a" exe="/bin/a"',
    ];
    await ingestFiles([writeLog(folder, 'gap.log', lines)], { store: own, threads: 0 });
    expect((await readManifest(own))?.ingests[0].summary.losses).toHaveLength(1);
    expect(await statusOf('losses', { store: own })).toBe('warn');
    expect(await statusOf('losses', { store: own, machine: { output: async () => 'lost 9\n' } })).toBe(
      'fail',
    );
    const later = { now: () => NOW + 9 * 24 * HOUR };
    expect(await statusOf('losses', { store: own, machine: later })).toBe('ok');
  });

  it('finds a damaged segment and a damaged ledger', async () => {
    const place = newFolder();
    const own = join(place, 'store');
    await ingestFiles([join(folder, 'log.ndjson')], { store: own, threads: 0 });
    const [segment] = (await readManifest(own))?.segments ?? [];
    writeFileSync(join(own, segment.path), 'damaged');
    expect(await statusOf('store', { store: own })).toBe('fail');
    const model = join(place, 'm.recal');
    writeFileSync(acceptancesPath(model), '{"kind":"acc');
    expect(await statusOf('decisions', { model })).toBe('warn');
    writeFileSync(acceptancesPath(model), '{"kind":"accept"}\n');
    expect(await statusOf('decisions', { model })).toBe('fail');
  });

  it('every check has a section in the runbook', () => {
    const page = readFileSync(join(ROOT, 'docs/how-to/runbook.md'), 'utf8');
    const sections = [...page.matchAll(/^## `(\w+)`/gm)].map(([, name]) => name);
    expect(sections).toEqual([...CHECKS]);
  });

  it('every alarm of a watch has an entry in the runbook', () => {
    const page = readFileSync(join(ROOT, 'docs/how-to/runbook.md'), 'utf8');
    const entries = page.slice(page.indexOf('## Alarms of'));
    const source = readFileSync(join(ROOT, 'src/live/watch/metrics.ts'), 'utf8');
    const alarms = [...source.matchAll(/^ {2}(recal_\w+): \[[^\]]*'alarm'/gm)].map(([, name]) => name);
    expect(alarms.length).toBeGreaterThan(10);
    const rows = [...alarms, ...healthProblems()];
    expect(rows.filter((name) => !new RegExp(`^\\| \`${name}\\b`, 'm').test(entries))).toEqual([]);
  });
});

describe('recal doctor', () => {
  it('prints every check and fails if one does', async () => {
    const args = ['doctor', '--log', '/nowhere/\u001b[2Jaudit.log', '--store', store];
    const plain = await recal(args);
    expect(plain.code).toBe(1);
    expect(plain.stdout).toMatch(/^log +fail +\/nowhere\/\\e\[2Jaudit\.log does not exist/m);
    const json = await recal([...args, '--json']);
    const { findings } = JSON.parse(json.stdout) as { findings: { check: string }[] };
    expect(findings.map(({ check }) => check)).toEqual([...CHECKS]);
  });
});

/** The names of everything that `/healthz` can report. The type of its argument asks for all of them. */
function healthProblems(): string[] {
  const all = { store: 'bad', judge: 'bad', checkpoint: 'bad', decisions: 'bad' };
  return healthOf('detecting', all).problems.map((problem) => problem.replace(/:.*/, ''));
}
