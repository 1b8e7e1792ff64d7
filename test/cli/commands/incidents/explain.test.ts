import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeAlertFiles } from '../../../../src/report/detection/alert-files.js';
import { HOSTILE, MODEL, makeSmallAlerts, type SmallAlerts } from '../../../detect/alerts/small-alerts.js';
import { newFolder, sharedFolder } from '../../../folders.js';
import { runHere } from '../../run-here.js';
import { here, writeEpisodeAlerts } from '../episode-alerts.js';

const { terminal, bidi, long, surrogate, html } = HOSTILE;
const [plainFolder, hostileFolder] = [sharedFolder(), sharedFolder()];
let plain: SmallAlerts;
let hostile: SmallAlerts;

async function prepare(folder: string, small: SmallAlerts, store: string | null): Promise<void> {
  const { alerts, incidents } = small;
  const run = {
    model: MODEL,
    threshold: { value: 5, rule: 'fpr:0.001', note: null },
    selection: { split: null, host: null, from: null, to: null },
    store,
    hosts: ['h'],
    counts: {},
  };
  await writeAlertFiles(join(folder, 'alerts'), { run, alerts, incidents });
}

beforeAll(async () => {
  plain = await makeSmallAlerts(plainFolder);
  await prepare(plainFolder, plain, join(plainFolder, 'store'));
  hostile = await makeSmallAlerts(hostileFolder, {
    nginx: html,
    dropper: bidi,
    shell: terminal,
    secret: long,
    page: surrogate,
  });
  await prepare(hostileFolder, hostile, join(hostileFolder, 'gone'));
});

const run = (line: string, folder = plainFolder) =>
  runHere(['explain', ...line.split(' '), '--alerts', join(folder, 'alerts')], {
    cwd: folder,
    env: { LANG: 'C.UTF-8' },
  });

const idOf = (name: string) => plain.alerts.find(({ entity }) => entity.name === name)?.id as string;

describe('an alert', () => {
  test('sentence, evidence, neighbourhood, raw events', async () => {
    const { code, stdout, stderr } = await run(`${idOf('nginx').slice(0, 8)} --events 4`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^`nginx` \(pid 98651\) executed `\/var\/tmp\/dropper`: /);
    expect(stdout).toMatch(/^empirical p 1\.0e-3, /m);
    expect(stdout).toMatch(
      /^1 +name +EVENT_EXECUTE +subject +1 +1\.000 +all +9,999 +1\.0e-4 +70\.0 % +p cannot be smaller$/m,
    );
    expect(stdout).toMatch(
      /^2 +reconstruction +EVENT_READ +- +31 +0\.370 +98\.\d+ % +12,430 +0\.0200 +25\.0 %$/m,
    );
    expect(stdout).toMatch(/^3 +distance .* 50 +0\.2941 +5\.0 % +benign: all relations; few benign values$/m);
    expect(stdout).toContain('#1 no process in training ever executed anything under `/var/tmp`');
    expect(stdout).toMatch(/^looks like +sshd \(0\.5000\)$/m);
    expect(stdout).toMatch(/^EVENT_READ → EVENT_EXECUTE +transition +0 +321$/m);
    expect(stdout).toContain(
      [
        'nginx (process, pid 98651)',
        '├─ EVENT_EXECUTE → /var/tmp/dropper (file)',
        '├─ EVENT_FORK → sh (process)',
        '├─ EVENT_PTRACE ← sh (process)',
        '└─ EVENT_READ ×31 → /srv/index.html (file)',
      ].join('\n'),
    );
    // The event behind the strongest evidence is among the four, though 31 came before it.
    expect(stdout).toMatch(
      /^2018-04-06T00:01:00\.000000007Z +nginx +EVENT_EXECUTE +\/var\/tmp\/dropper +#1$/m,
    );
    expect(stdout.match(/^2018\S+ +nginx +EVENT_READ .*#2$/gm)).toHaveLength(3);
    expect(stdout).toContain(
      '34 events of this entity in the window, 30 left out (show more with --events N)',
    );
    expect(stdout).toMatch(/^incident +[0-9a-f]{16} \(rank 1, 3 alerts\)$/m);
  });

  test('--json', async () => {
    const { stdout } = await run(`${idOf('sh')} --json`);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ kind: 'alert', alert: plain.alerts[0], incident: { rank: 1 } });
    expect(answer.rawEvents).toHaveLength(1);
    const [{ events, total, leftOut }] = answer.rawEvents;
    // Without an object too: the exit.
    expect([total, leftOut]).toEqual([4, 0]);
    expect(events.map(({ relation }: { relation: string }) => relation)).toEqual([
      'EVENT_FORK',
      'EVENT_READ',
      'EVENT_PTRACE',
      'EVENT_EXIT',
    ]);
    expect(events[1]).toMatchObject({
      time: { ns: '1522972862000000007' },
      object: { name: '/etc/master.passwd' },
      object2: null,
      evidence: [1],
    });
  });
});

test('an incident: its sentence, its alerts, the strongest in full', async () => {
  const { code, stdout } = await run(plain.incidents[0].id);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^2 processes and 1 file around `nginx` on h between /);
  expect(stdout).toMatch(/^1 +[0-9a-f]{16} +20\.25 +process +sh$/m);
  expect(stdout).toMatch(/^root +nginx$/m);
  expect(stdout).toContain('├─ EVENT_FORK ← nginx (process) [alert #2]');
  expect(stdout.match(/^evidence$/gm)).toHaveLength(3);
});

describe('what cannot be found', () => {
  test('an unknown identifier names some that there are', async () => {
    const { code, stdout, stderr } = await run('zzzz --json');
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'alerts-unknown' } });
    expect(stderr).toMatch(/'zzzz'\nhint: .*[0-9a-f]{16} \(/);
  });

  test('a missing store is reported; a store that was given must exist', async () => {
    const id = hostile.alerts[0].id;
    const { code, stderr } = await run(id, hostileFolder);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/raw events are not shown without the store \(.*gone does not exist\)/),
    ]);
    expect(await run(`${id} --store ${join(hostileFolder, 'gone')} --json`, hostileFolder)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"no-store"'),
    });
  });

  test('no folder of alerts', async () => {
    const { stdout } = await run('x --json', newFolder());
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'no-alerts' } });
  });
});

test('hostile names stay in their place', async () => {
  for (const { id } of [...hostile.alerts, ...hostile.incidents]) {
    for (const more of ['', ' --json']) {
      const { code, stdout, stderr } = await run(
        `${id}${more} --store ${join(hostileFolder, 'store')}`,
        hostileFolder,
      );
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      expect(stdout).not.toMatch(/^forged line/m);
      if (more === '') for (const line of stdout.split('\n')) expect(line.length).toBeLessThan(6000);
    }
  }
});

test('the parts of the score of an episode add up', async () => {
  const changes = [
    { name: 'job', score: 16.2 },
    { name: 'tool', score: 10 },
  ];
  const { alerts, incidents } = await writeEpisodeAlerts(newFolder(), changes);
  const [job, tool] = await Promise.all(
    incidents.map(({ id }) => here(['explain', id, '--alerts', alerts]).then(({ stdout }) => stdout)),
  );
  expect(job).toContain(
    '5.0 from novelty, 5.0 from learned scores, 6.2 from regular contacts with a new address',
  );
  expect(tool).toMatch(/5\.0 from novelty, 5\.0 from learned scores$/m);
});

test('a rate of benign incidents that calibration cannot tell is unknown', async () => {
  const { alerts, incidents } = await writeEpisodeAlerts(newFolder(), [{ name: 'tool', sure: 'unresolved' }]);
  const { stdout } = await here(['explain', incidents[0].id, '--alerts', alerts]);
  expect(stdout).toContain('how often benign activity raises such an incident is unknown');
  expect(stdout).not.toContain('per host and day');
});
