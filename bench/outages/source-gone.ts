import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../dist/base/random.js';
import {
  type CampaignResult,
  differences,
  ended,
  type Replay,
  undisturbed,
  WatchedFolder,
} from './watched-log.js';

/** Takes the folder of the log away and brings it back, as an unmounted disk would, while the watch runs. */
export async function sourceGone(
  replay: Replay,
  { folder, seed }: { folder: string; seed: number },
): Promise<CampaignResult> {
  const random = new Random(seed).stream('source-gone');
  const expected = await undisturbed(replay, join(folder, 'calm'));
  const place = join(folder, 'logs');
  mkdirSync(place);
  const log = join(place, 'audit.log');
  const rough = new WatchedFolder(join(folder, 'rough'), { log });
  writeFileSync(log, replay.lines.slice(0, replay.learned).join(''));
  await rough.finish();
  const child = rough.start();
  child.stderr?.resume();
  const rest = replay.lines.slice(replay.learned);
  const times = 8;
  const per = Math.ceil(rest.length / times);
  for (let i = 0; i < times; i++) {
    appendFileSync(log, rest.slice(i * per, (i + 1) * per).join(''));
    await sleep(500 * random.float());
    renameSync(place, `${place}-gone`);
    await sleep(500 + 1500 * random.float());
    renameSync(`${place}-gone`, place);
    await sleep(500 * random.float());
  }
  const isAlive = child.exitCode === null;
  child.kill('SIGTERM');
  await ended(child);
  await rough.finish();
  const problems = differences(rough.outcome(), expected);
  if (!isAlive) problems.push('the watch ended when its log was gone');
  return { name: 'source gone', done: `gone ${times} times`, problems };
}
