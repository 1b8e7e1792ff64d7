import { describe, expect, test } from 'vitest';
import { describeChange } from '../../../../src/detect/episodes/changes/describe-change.js';
import type { JudgedEpisodes } from '../../../../src/detect/episodes/episode-detector.js';
import { type HostLog, judgeHour, programsOf } from '../judged-log.js';

/** Installs a program with a library through a package manager, and runs it from cron. */
function install(log: HostLog, manager: string): void {
  const session = log.process('/usr/bin/bash');
  const apt = log.start(session, manager);
  const dpkg = log.start(apt, '/usr/bin/dpkg-deb');
  log.write(dpkg, '/usr/bin/tool').write(dpkg, '/usr/lib/libtool.so').write(dpkg, '/etc/tool.conf');
  const script = log.start(apt, '/usr/bin/sh');
  log.read(script, '/var/lib/dpkg/info/tool.list');
  const cron = log.process('/usr/sbin/cron');
  for (let i = 0; i < 3; i++) {
    const tool = log.start(cron, '/usr/bin/tool');
    log.read(tool, '/usr/lib/libtool.so').read(tool, '/etc/tool.conf');
  }
}

const scoreOf = (judged: JudgedEpisodes, program: string): number => {
  const rank = judged.incidents.findIndex((_, i) => programsOf(judged, i).includes(program));
  return judged.incidents[rank]?.score ?? Number.NaN;
};
const rankOf = (judged: JudgedEpisodes, program: string): number =>
  judged.incidents.findIndex((_, i) => programsOf(judged, i).includes(program));

describe('a software change', () => {
  test('is one incident, discounted but not exempt', async () => {
    const known = await judgeHour((log) => install(log, '/usr/bin/apt-get'));
    const other = await judgeHour((log) => install(log, '/usr/bin/unknown-tool'));
    const rank = rankOf(known, '/usr/bin/tool');
    expect(programsOf(known, rank)).toEqual(
      expect.arrayContaining(['/usr/bin/apt-get', '/usr/bin/dpkg-deb', '/usr/bin/tool']),
    );
    expect(scoreOf(known, '/usr/bin/tool')).toBeGreaterThan(0);
    expect(scoreOf(known, '/usr/bin/tool')).toBeLessThan(scoreOf(other, '/usr/bin/unknown-tool') / 2);
    const change = describeChange(known.incidents[rank], known, () => 'apt-get install -y tool=1.2');
    expect(change).toMatchObject({ manager: 'apt-get', packages: ['tool'], action: 'installed' });
    expect(change?.newPrograms).toBeGreaterThanOrEqual(2);
  });

  test('ranks below an implant of the same hour', async () => {
    const judged = await judgeHour((log) => {
      install(log, '/usr/bin/apt-get');
      const implant = log.start(log.process('/usr/sbin/nginx'), '/tmp/x');
      log.connect(implant, '203.0.113.9:4444');
    });
    expect(rankOf(judged, '/tmp/x')).toBe(0);
  });

  test('keeps the full weight of a poisoned package', async () => {
    const poisoned = (manager: string) =>
      judgeHour((log) => {
        install(log, '/usr/bin/apt-get');
        const session = log.process('/usr/bin/bash');
        const apt = log.start(session, manager);
        const script = log.start(apt, '/usr/bin/sh');
        log.connect(script, '203.0.113.9:80').write(script, '/tmp/.x');
        const implant = log.start(script, '/tmp/.x');
        log.connect(implant, '203.0.113.9:4444').read(implant, '/root/.ssh/id_rsa');
      });
    const judged = await poisoned('/usr/bin/apt-get');
    const rank = rankOf(judged, '/tmp/.x');
    expect(rank).toBe(0);
    expect(describeChange(judged.incidents[rank], judged, () => undefined)).toBeUndefined();
    const plain = await poisoned('/usr/bin/bash');
    expect(scoreOf(judged, '/tmp/.x')).toBeGreaterThan(0.6 * scoreOf(plain, '/tmp/.x'));
  });

  test('needs a package manager that is not in a temporary directory', async () => {
    const real = await judgeHour((log) => install(log, '/usr/bin/apt-get'));
    const fake = await judgeHour((log) => install(log, '/tmp/apt-get'));
    expect(real.changes.changes.runs).toHaveLength(1);
    expect(scoreOf(fake, '/tmp/apt-get')).toBeGreaterThan(1.5 * scoreOf(real, '/usr/bin/tool'));
    const top = fake.incidents[0];
    expect(describeChange(top, fake, () => undefined)?.manager).not.toBe('apt-get');
  });

  test('does not explain a shell below the new service', async () => {
    const judged = await judgeHour((log) => {
      install(log, '/usr/bin/apt-get');
      const tool = log.start(log.process('/usr/sbin/cron'), '/usr/bin/tool');
      const shell = log.start(tool, '/usr/bin/sh');
      log.read(shell, '/etc/shadow');
    });
    const { view } = judged.changes;
    const { activity } = judged.novelty;
    const kept = Array.from(activity.actorAt.keys()).flatMap((actor) =>
      Array.from(view.news(actor), (row) => activity.catalogue.describe(activity.done.secondAt(row))),
    );
    expect(kept).toContainEqual(['parent', '/usr/bin/tool']);
    expect(kept).toContainEqual(['name', 'read', 'file', '/etc/shadow']);
    expect(kept).not.toContainEqual(['name', 'read', 'file', '/usr/lib/libtool.so']);
  });
});
