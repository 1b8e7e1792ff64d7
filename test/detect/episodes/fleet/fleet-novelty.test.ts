import { expect, test } from 'vitest';
import type { JudgedEpisodes } from '../../../../src/detect/episodes/episode-detector.js';
import { HostLog, judgeLogs, programsOf } from '../judged-log.js';

const HOSTS = ['web1', 'web2', 'web3', 'web4', 'web5'];

/** Four of five hosts run a tool every day; the fifth does not. */
function day(hour: number, isTest: boolean): string[] {
  return HOSTS.flatMap((host, i) => {
    const log = new HostLog(hour, host).everyday();
    const cron = log.process('/usr/sbin/cron');
    if (i < 4 || isTest) log.read(log.start(cron, '/usr/bin/fleet-tool'), '/etc/fleet-tool.conf');
    if (i === 4 && isTest) {
      log.read(log.start(cron, '/usr/bin/unheard-of'), '/etc/unheard-of.conf');
      log.connect(log.start(log.process('/usr/sbin/nginx'), '/tmp/x'), '203.0.113.9:4444');
    }
    return log.lines;
  });
}

const judge = (hosts: (lines: string[]) => string[]): Promise<JudgedEpisodes> =>
  judgeLogs({
    train: hosts(day(0, false)),
    calibrate: hosts(day(2, false)),
    test: hosts(day(4, true)),
  });
const noveltyOf = ({ novelty, incidents }: JudgedEpisodes, program: string, host: string): number => {
  const { catalogue, actors } = novelty.activity;
  const found = incidents
    .flatMap(({ episodes }) => episodes)
    .filter(({ processes }) =>
      actors.firsts.some(
        (process, actor) =>
          processes.includes(process) &&
          catalogue.hosts[catalogue.hostOf(process)] === host &&
          catalogue.programName(actors.seconds[actor]) === program,
      ),
    );
  return Math.max(0, ...found.map((episode) => episode.novelty));
};

test('what four hosts do is less surprising on the fifth than what none does', async () => {
  const judged = await judge((lines) => lines);
  const usual = noveltyOf(judged, '/usr/bin/fleet-tool', 'web5');
  const unheard = noveltyOf(judged, '/usr/bin/unheard-of', 'web5');
  expect(usual).toBeGreaterThan(0);
  expect(usual).toBeLessThan(unheard / 3);
  expect(noveltyOf(judged, '/usr/bin/fleet-tool', 'web1')).toBe(0);
  expect(programsOf(judged, 0)).toContain('/tmp/x');
});

test('a single host is judged without the fleet', async () => {
  const alone = await judge((lines) => lines.filter((line) => line.includes('"web5"')));
  expect(noveltyOf(alone, '/usr/bin/fleet-tool', 'web5')).toBeCloseTo(
    noveltyOf(alone, '/usr/bin/unheard-of', 'web5'),
  );
});
