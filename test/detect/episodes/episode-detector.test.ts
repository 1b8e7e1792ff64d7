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
import { tellingActs } from '../../../src/detect/episodes/telling-acts.js';
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
    expect(tellingActs(first, found.judged).map(({ sentence }) => sentence)).toContain(
      '`/tmp/x` ran for the first time',
    );
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

  test('ranks nothing above 0 novelty on a day like the others', async () => {
    const { judged } = await judge([]);
    expect(judged.incidents.every(({ episodes }) => episodes.every(({ novelty }) => novelty === 0))).toBe(
      true,
    );
  });
});
