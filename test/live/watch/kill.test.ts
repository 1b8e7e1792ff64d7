import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { simulate } from '../../../src/simulate/simulate.js';
import { newFolder, sharedFolder } from '../../folders.js';
import { finishWatch, outcomeOf, type ReplayedLog, runWithKills } from './kill-runs.js';

const KILLS = Number(process.env.RECAL_TEST_KILLS ?? 20);
const ARGS = ['--learn', '3d', '--retrain', 'never', '--epochs', '1', '--threads', '1', '--late', '1s'];

let log: ReplayedLog;

beforeAll(async () => {
  const world = sharedFolder();
  await simulate({
    scenario: 'linux-desktop',
    format: 'auditd',
    events: 20_000,
    days: [2, 1, 1],
    seed: 3,
    out: join(world, 'w'),
  });
  const text = ['train', 'calibrate', 'test']
    .map((part) => readFileSync(join(world, 'w', `${part}.log`), 'utf8'))
    .join('');
  const lines = text.split(/(?<=\n)/);
  // The last event happens again a day later, so that the last day is over.
  const [, event] = /msg=audit\(([\d.]+:\d+)\)/.exec(lines.at(-1) as string) as RegExpExecArray;
  const [seconds, serial] = [Number(event.split('.')[0]), Number(event.split(':')[1])];
  const later = `${seconds + 86_400}.000:${serial + 1}`;
  const after = lines.filter((line) => line.includes(event)).map((line) => line.replace(event, later));
  log = { lines: [...lines, ...after], args: ARGS };
});

it(
  `tells the same incidents after ${KILLS} kills as without any, each revision once`,
  async () => {
    const [calm, rough] = [newFolder(), newFolder()];
    writeFileSync(join(calm, 'audit.log'), log.lines.join(''));
    await finishWatch(calm, log.args);
    const random = new Random(11);
    await runWithKills(rough, log, KILLS, () => random.float());
    const [expected, found] = [outcomeOf(calm), outcomeOf(rough)];
    expect(Object.keys(expected.incidents).length).toBeGreaterThan(0);
    expect(found.incidents).toEqual(expected.incidents);
    const keys = found.told.map(({ id, revision }) => `${id}.${revision}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(openIncidents(found.told)).toEqual(openIncidents(expected.told));
    expect(openIncidents(found.told).length).toBeGreaterThan(0);
  },
  120_000 + KILLS * 20_000,
);

/** The incidents whose last notification does not close them. */
function openIncidents(told: readonly { id: string; status: string }[]): string[] {
  const last = new Map(told.map(({ id, status }) => [id, status]));
  return [...last]
    .filter(([, status]) => status !== 'closed')
    .map(([id]) => id)
    .sort();
}
