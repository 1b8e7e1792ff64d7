import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeEpisodes, encodeEpisodes } from '../../../src/detect/episodes/episode-arrays.js';
import {
  calibrateEpisodes,
  EpisodeJudge,
  type JudgedEpisodes,
  learnBehaviours,
} from '../../../src/detect/episodes/episode-detector.js';
import { nameEvents } from '../../../src/detect/episodes/named-events.js';
import { incidentActs } from '../../../src/detect/episodes/telling-acts.js';
import { EntityKey, formatKey } from '../../../src/ingest/entity-key.js';
import type { Entity } from '../../../src/ingest/event.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { loadEvents } from '../../../src/store/load.js';
import { Store } from '../../../src/store/store.js';
import { newFolder } from '../../folders.js';
import { eventLine, file, MIDNIGHT, process, writeLog } from '../../store/small-logs.js';

function keyOf(id: string): string {
  const key = new EntityKey();
  key.fromText(id);
  return formatKey(key.w0, key.w1, key.w2, key.w3);
}

const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
const at = (hour: bigint, minute = 0n, second = 0n) =>
  MIDNIGHT + hour * HOUR + minute * MINUTE + second * SECOND;
const act = (rel: string, subj: Entity, obj: Entity, ts: bigint) =>
  eventLine({ ts, rel: `EVENT_${rel}`, subj, obj });
const named = (id: string, name: string) => process(id, { name });
const path = (name: string) => file(name, { name });
const flow = (name: string): Entity => ({ id: name, type: 'flow', name });

/** Cron starts a job that reads a table; nginx serves. */
function ordinary(part: string, hour: bigint): string[] {
  const cron = named(`cron-${part}`, 'cron');
  const nginx = named('nginx', 'nginx');
  return Array.from({ length: 24 }, (_, i) => {
    const ts = at(hour, BigInt(i * 2));
    const job = named(`job-${part}${i}`, 'backup');
    return [
      act('FORK', cron, job, ts),
      act('READ', job, path('/srv/data/table'), ts + SECOND),
      act('EXIT', job, job, ts + 2n * SECOND),
      act('ACCEPT', nginx, flow(`10.0.0.${i % 5}:50000`), ts + 3n * SECOND),
      act('READ', nginx, path('/srv/www/index.html'), ts + 4n * SECOND),
    ];
  }).flat();
}

async function judge(
  test: readonly string[],
): Promise<{ judged: JudgedEpisodes; idOf: (process: number) => string }> {
  const folder = newFolder();
  const store = join(folder, 'store');
  const parts = {
    train: ordinary('a', 0n),
    calibrate: ordinary('b', 2n),
    test: [...ordinary('c', 4n), ...test],
  };
  for (const [split, lines] of Object.entries(parts)) {
    await ingestFiles([writeLog(folder, `${split}.ndjson`, lines)], { store, split, append: true });
  }
  const opened = await Store.open(store);
  const read = async (split: string) => nameEvents(opened, await loadEvents(opened, { split }));
  const known = learnBehaviours(await read('train'));
  const benign = await read('calibrate');
  const fitted = calibrateEpisodes(known, benign, new Float64Array(benign.events.keys.size));
  const arrays = encodeEpisodes(fitted);
  const tensor = (name: string) => {
    const [, group, key] = name.split('.');
    return arrays[group]?.[key] as never;
  };
  const calibration = decodeEpisodes({
    words: tensor,
    signed: tensor,
    floats: tensor,
    has: (name) => tensor(name) !== undefined,
  });
  const judged = new EpisodeJudge(known, calibration, await read('test')).judge([]);
  const { catalogue } = judged.novelty.activity;
  return { judged, idOf: (entity) => catalogue.uuid(entity) };
}

const programsOf = ({ judged }: { judged: JudgedEpisodes }, rank: number): string[] => {
  const { lastPrograms, catalogue } = judged.novelty.activity;
  const processes = judged.incidents[rank].episodes.flatMap((episode) => episode.processes);
  return [...new Set(processes.map((each) => catalogue.programName(lastPrograms.get(each) ?? 0)))].sort();
};

describe('EpisodeJudge', () => {
  test('ranks a new program and what it starts before ordinary jobs', async () => {
    const implant = named('implant', '/tmp/x');
    const found = await judge([
      act('FORK', named('nginx', 'nginx'), implant, at(4n, 10n)),
      act('CONNECT', implant, flow('203.0.113.9:4444'), at(4n, 10n, 1n)),
      act('FORK', implant, named('shell', 'sh'), at(4n, 55n)),
      act('READ', named('shell', 'sh'), path('/etc/shadow'), at(4n, 55n, 1n)),
    ]);
    expect(programsOf(found, 0)).toEqual(['/tmp/x', 'sh']);
    const [first] = found.judged.incidents[0].episodes;
    expect(first.newPlaces).toEqual(['/tmp']);
    const sentences = incidentActs([first], found.judged).acts.map(({ sentence }) => sentence);
    expect(sentences.filter((each) => /^`\/tmp\/x` .*ran/.test(each))).toHaveLength(1);
  });

  test('cuts a restarted server off the session that restarted it', async () => {
    const session = named('session', 'cron');
    const launcher = named('launcher', 'nginx');
    const server = named('server', 'nginx');
    const found = await judge([
      act('FORK', named('cron-c', 'cron'), session, at(4n, 20n)),
      act('READ', session, path('/root/notes'), at(4n, 20n, 1n)),
      act('FORK', session, launcher, at(4n, 20n, 2n)),
      act('FORK', launcher, server, at(4n, 20n, 3n)),
      act('EXIT', launcher, launcher, at(4n, 20n, 4n)),
      act('ACCEPT', server, flow('10.0.0.1:50000'), at(4n, 22n)),
      act('WRITE', server, path('/var/www/shell.php'), at(4n, 23n)),
    ]);
    const { judged, idOf } = found;
    const roots = judged.incidents.flatMap(({ episodes }) => episodes.map(({ root }) => idOf(root)));
    expect(roots).toContain(keyOf('server'));
    expect(roots).not.toContain(keyOf('launcher'));
  });

  test('folds jobs that are new in the same way', async () => {
    const lines = Array.from({ length: 6 }, (_, i) => {
      const job = named(`thief${i}`, 'backup');
      return [
        act('FORK', named('cron-c', 'cron'), job, at(4n, BigInt(5 + 5 * i))),
        act('READ', job, path('/home/anna/keys'), at(4n, BigInt(5 + 5 * i), 1n)),
        act('CONNECT', job, flow(`198.51.100.7:${40000 + i}`), at(4n, BigInt(5 + 5 * i), 2n)),
      ];
    }).flat();
    const { judged } = await judge(lines);
    expect(judged.incidents[0].episodes).toHaveLength(6);
  });

  test('joins episodes with an address that no one used before', async () => {
    const attacker = flow('203.0.113.9:443');
    const found = await judge([
      act('ACCEPT', named('nginx', 'nginx'), attacker, at(4n, 11n)),
      act('FORK', named('cron-c', 'cron'), named('thief', 'backup'), at(4n, 40n)),
      act('CONNECT', named('thief', 'backup'), flow('203.0.113.9:80'), at(4n, 40n, 1n)),
    ]);
    expect(programsOf(found, 0)).toEqual(['backup', 'nginx']);
  });

  test('takes a process without a name for a copy of the process that forked it', async () => {
    const worker = process('worker');
    const { judged } = await judge([
      act('FORK', named('nginx', 'nginx'), worker, at(4n, 30n)),
      act('READ', worker, path('/srv/www/index.html'), at(4n, 30n, 1n)),
    ]);
    const { catalogue, lastPrograms } = judged.novelty.activity;
    const programs = new Set([...lastPrograms.values()].map((program) => catalogue.programName(program)));
    expect(programs).not.toContain('');
    expect(judged.incidents.flatMap(({ episodes }) => episodes.flatMap((each) => each.newPrograms))).toEqual(
      [],
    );
  });

  test('joins the jobs in which a service starts a program for the first time, and adds up what is new', async () => {
    const cron = named('cron-c', 'cron');
    const fork = process('fork');
    const [direct, forked] = [named('direct', 'bash'), named('forked', 'bash')];
    const planted = [
      act('FORK', cron, direct, at(4n, 12n)),
      act('WRITE', direct, path('/etc/cron.d/job'), at(4n, 12n, 1n)),
    ];
    const run = [
      act('FORK', cron, fork, at(4n, 50n)),
      act('FORK', fork, forked, at(4n, 50n, 1n)),
      act('CONNECT', forked, flow('203.0.113.9:443'), at(4n, 50n, 2n)),
    ];
    const [both, one, other] = await Promise.all([[...planted, ...run], planted, run].map(judge));
    expect(both.judged.incidents[0].episodes.map(({ root }) => both.idOf(root)).sort()).toEqual(
      [keyOf('direct'), keyOf('fork')].sort(),
    );
    const scores = [one, other].map(({ judged }) => judged.incidents[0].score);
    expect(both.judged.incidents[0].score).toBeGreaterThan(Math.max(...scores));
    const { distinct } = both.judged.incidents[0];
    const { acts, inSentence } = incidentActs(distinct, both.judged);
    for (const part of ['/etc/cron.d', '203.0.113.9']) {
      expect(acts.filter(({ sentence }) => sentence.includes(part))).not.toEqual([]);
    }
    const ofHighest = incidentActs(distinct.slice(0, 1), both.judged).acts.map(({ sentence }) => sentence);
    expect(inSentence.filter(({ sentence }) => !ofHighest.includes(sentence))).toHaveLength(1);
    expect(acts.map(({ row }) => row)).toEqual(acts.map(({ row }) => row).sort((a, b) => a - b));
  });

  describe('with sessions in the log', () => {
    // Known programs: a new one would keep what it starts in any case.
    const inSession = (id: string) => process(id, { name: 'backup', session: '7' });
    const [shell, first, second] = ['shell', 'first', 'second'].map(inSession);
    /** A session, and a command more than 30 minutes after its shell started. */
    const login = [
      act('FORK', named('cron-c', 'cron'), shell, at(4n, 1n)),
      act('READ', shell, path('/root/.profile'), at(4n, 1n, 1n)),
      act('FORK', shell, first, at(4n, 25n)),
      act('READ', first, path('/root'), at(4n, 25n, 1n)),
      act('FORK', shell, second, at(4n, 45n)),
      act('READ', second, path('/root/notes'), at(4n, 45n, 1n)),
    ];
    const rootsOf = async (lines: readonly string[]) => {
      const { judged, idOf } = await judge(lines);
      return judged.incidents.flatMap(({ episodes }) => episodes.map(({ root }) => idOf(root)));
    };

    test('a session is one tree while something starts in it', async () => {
      const roots = await rootsOf(login);
      expect(roots).toContain(keyOf('shell'));
      expect(roots).not.toContain(keyOf('second'));
      const apart = await rootsOf(login.map((line) => line.replaceAll(',"session":"7"', '')));
      expect(apart).toContain(keyOf('second'));
    });

    test('a session that began before the events joins nothing', async () => {
      const began = login.slice(1);
      expect(await rootsOf(began)).toContain(keyOf('second'));
    });
  });

  test('ranks nothing above 0 novelty on a day like the others', async () => {
    const { judged } = await judge([]);
    expect(judged.incidents.every(({ episodes }) => episodes.every(({ novelty }) => novelty === 0))).toBe(
      true,
    );
  });
});
