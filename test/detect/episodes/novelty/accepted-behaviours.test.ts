import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  calibrateEpisodes,
  EpisodeJudge,
  type JudgedEpisodes,
  learnBehaviours,
} from '../../../../src/detect/episodes/episode-detector.js';
import { IncidentBehaviourFinder } from '../../../../src/detect/episodes/incident-behaviours.js';
import { nameEvents } from '../../../../src/detect/episodes/named-events.js';
import {
  type Acceptance,
  AcceptedBehaviours,
} from '../../../../src/detect/episodes/novelty/accepted-behaviours.js';
import {
  formatBehaviour,
  keyOfText,
  parseBehaviour,
} from '../../../../src/detect/episodes/novelty/behaviour-key.js';
import type { Entity } from '../../../../src/ingest/event.js';
import { ingestFiles } from '../../../../src/store/ingest.js';
import { loadEvents } from '../../../../src/store/load.js';
import { Store } from '../../../../src/store/store.js';
import { newFolder } from '../../../folders.js';
import { eventLine, file, MIDNIGHT, process, writeLog } from '../../../store/small-logs.js';

const SECOND = 1_000_000_000n;
const at = (minute: bigint, second = 0n) => MIDNIGHT + minute * 60n * SECOND + second * SECOND;
const act = (rel: string, subj: Entity, obj: Entity, ts: bigint) =>
  eventLine({ ts, rel: `EVENT_${rel}`, subj, obj });
const named = (id: string, name: string) => process(id, { name });
const path = (name: string) => file(name, { name });

/** Cron starts a job that reads a table, and signals it. */
function ordinary(part: string, minute: bigint): string[] {
  const cron = named('cron', 'cron');
  return Array.from({ length: 24 }, (_, i) => {
    const ts = at(minute + BigInt(i * 2));
    const job = named(`job-${part}${i}`, 'backup');
    return [
      act('FORK', cron, job, ts),
      act('READ', job, path('/srv/data/table'), ts + SECOND),
      act('SIGNAL', cron, job, ts + 2n * SECOND),
    ];
  }).flat();
}

/** A new tool that cron starts; it reads what jobs read, and its own files. */
function tool(id: string, minute: bigint, more: (tool: Entity) => string[] = () => []): string[] {
  const job = named(id, '/opt/tool/run');
  return [
    act('FORK', named('cron', 'cron'), job, at(minute)),
    act('READ', job, path('/srv/data/table'), at(minute, 1n)),
    act('WRITE', job, path('/opt/tool/state'), at(minute, 2n)),
    act('SIGNAL', named('cron', 'cron'), job, at(minute, 3n)),
    ...more(job),
  ];
}

/** Judges test events after the host above was learned. The learned score of every process is `score`. */
async function judging(
  lines: readonly string[],
): Promise<(acceptances?: Acceptance[], score?: number) => JudgedEpisodes> {
  const folder = newFolder();
  const store = join(folder, 'store');
  const parts = { train: ordinary('a', 0n), calibrate: ordinary('b', 120n), test: lines };
  for (const [split, each] of Object.entries(parts)) {
    await ingestFiles([writeLog(folder, `${split}.ndjson`, each)], { store, split, append: true });
  }
  const opened = await Store.open(store);
  const read = async (split: string) => nameEvents(opened, await loadEvents(opened, { split }));
  const known = learnBehaviours(await read('train'));
  const benign = await read('calibrate');
  const calibration = calibrateEpisodes(known, benign, new Float64Array(benign.events.keys.size));
  const events = await read('test');
  return (acceptances = [], score = 0) =>
    new EpisodeJudge(known, calibration, events, new AcceptedBehaviours(acceptances)).judge(
      new Float64Array(events.events.keys.size).fill(score),
    );
}

const acceptFirst = (judged: JudgedEpisodes) => new IncidentBehaviourFinder(judged).of(judged.incidents[0]);
const programs = ({ incidents, novelty }: JudgedEpisodes) =>
  incidents[0].episodes[0].newPrograms.map((each) => novelty.activity.catalogue.programName(each));

describe('accepted behaviours', () => {
  test('make an incident as ordinary as any other, and no more', async () => {
    const judge = await judging([...ordinary('c', 240n), ...tool('tool', 250n)]);
    const before = judge();
    expect(programs(before)).toEqual(['/opt/tool/run']);
    const after = judge([acceptFirst(before)]);
    expect(after.incidents.map(({ episodes }) => episodes[0].novelty)).toEqual(after.incidents.map(() => 0));
  });

  test('something else that the accepted program does is still new', async () => {
    const accepted = acceptFirst((await judging([...ordinary('c', 240n), ...tool('tool', 250n)]))());
    const secret = (job: Entity) => [act('READ', job, path('/etc/shadow'), at(250n, 5n))];
    const judge = await judging([...ordinary('c', 240n), ...tool('later', 250n, secret)]);
    const { incidents, novelty } = judge([accepted]);
    const [first] = incidents[0].episodes;
    expect(first.newPrograms).toEqual([]);
    expect(first.novelty).toBeGreaterThan(0);
    const { catalogue, done } = novelty.activity;
    const told = Array.from(done.seconds).filter((_, row) => novelty.isFresh[row] === 1);
    const texts = told.map((each) => JSON.stringify(catalogue.describe(each)));
    expect(texts.join()).toContain('/etc/shadow');
    expect(texts.join()).not.toContain('/opt/tool/state');
  });

  test('say nothing about another program in the same place that does the same', async () => {
    const accepted = acceptFirst((await judging([...ordinary('c', 240n), ...tool('tool', 250n)]))());
    const other = named('other', '/opt/tool/other');
    const judge = await judging([
      ...ordinary('c', 240n),
      act('FORK', named('cron', 'cron'), other, at(251n)),
      act('WRITE', other, path('/opt/tool/state'), at(251n, 1n)),
    ]);
    const [first] = judge([accepted]).incidents[0].episodes;
    expect(first.newPlaces).toEqual(['/opt/tool']);
    expect(first.novelty).toBe(judge().incidents[0].episodes[0].novelty);
  });

  test('lower the learned score of repeats by what was accepted, not of what is new', async () => {
    const judge = await judging([...ordinary('c', 240n), ...tool('tool', 250n)]);
    const accepted = acceptFirst(judge([], 5));
    expect(accepted.trees.map(({ learned }) => learned)).toEqual([5]);
    const learnedOfTool = (judged: JudgedEpisodes) =>
      judged.incidents
        .flatMap(({ episodes }) => episodes)
        .find(({ processes }) =>
          processes.some((each) =>
            judged.novelty.activity.catalogue
              .programName(judged.novelty.activity.lastPrograms.get(each) ?? 0)
              .startsWith('/opt'),
          ),
        )?.learned;
    expect(learnedOfTool(judge([accepted], 5))).toBe(0);
    expect(learnedOfTool(judge([accepted], 9))).toBe(4);
    expect(learnedOfTool(judge([], 5))).toBe(5);
    const grown = await judging([
      ...ordinary('c', 240n),
      ...tool('tool', 250n, (job) => [act('FORK', job, named('sh', 'backup'), at(250n, 9n))]),
    ]);
    // `backup` did not run in the accepted tree, so nothing is explained.
    expect(learnedOfTool(grown([accepted], 5))).toBe(10);
  });

  test('keys are 16 digits and read back as written', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const key = keyOfText(text);
        expect(formatBehaviour(key)).toMatch(/^[0-9a-f]{16}$/);
        expect(parseBehaviour(formatBehaviour(key))).toEqual(key);
      }),
    );
  });
});
