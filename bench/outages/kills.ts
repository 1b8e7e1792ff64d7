import { appendFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../dist/base/random.js';
import { type Receiver, startReceiver } from './receiver.js';
import {
  type CampaignResult,
  differences,
  ended,
  openOf,
  type Replay,
  undisturbed,
  WatchedFolder,
} from './watched-log.js';

/**
 * Writes the log piece by piece, with two rotations, and kills the watch with SIGKILL at random moments. Every third time its HTTP
 * receiver is killed, too, and started again later.
 */
export async function killsOfWatch(
  replay: Replay,
  { folder, seed, count }: { folder: string; seed: number; count: number },
): Promise<CampaignResult> {
  const random = new Random(seed).stream('watch-kills');
  const expected = await undisturbed(replay, join(folder, 'calm'));
  let receiver = await startReceiver(join(folder, 'received.jsonl'));
  const { port } = receiver;
  const rough = new WatchedFolder(join(folder, 'rough'), { receivers: [`recal:http://127.0.0.1:${port}/`] });
  const perRun = Math.ceil(replay.lines.length / Math.max(1, count));
  let receiverKills = 0;
  for (let run = 0; run < count; run++) {
    const part = replay.lines.slice(run * perRun, (run + 1) * perRun);
    const child = rough.start();
    child.stderr?.resume();
    const cut = Math.floor(part.length * random.float());
    appendFileSync(rough.log, part.slice(0, cut).join(''));
    await sleep(400 + 2200 * random.float());
    if (run === Math.floor(count / 3) || run === Math.floor((2 * count) / 3)) rotate(rough.log);
    const isReceiverKilled = run % 3 === 0;
    if (isReceiverKilled) {
      await receiver.kill();
      receiverKills++;
    }
    // Half a line stands at the end when the watch dies.
    const rest = part.slice(cut).join('');
    const half = Math.floor(rest.length * random.float());
    appendFileSync(rough.log, rest.slice(0, half));
    await sleep(300 * random.float());
    child.kill('SIGKILL');
    await ended(child);
    appendFileSync(rough.log, rest.slice(half));
    if (isReceiverKilled) receiver = await startReceiver(receiver.path, port);
    if ((run + 1) % 20 === 0) console.error(`kill ${run + 1} of ${count}`);
  }
  await rough.finish();
  const found = rough.outcome();
  const problems = [...differences(found, expected), ...receivedProblems(receiver, expected.told)];
  const distinct = new Set(receiver.received().map(({ id, revision }) => `${id}.${revision}`)).size;
  const repeats = receiver.received().length - distinct;
  await receiver.kill();
  const done = [
    `${count} kills of the watch, ${receiverKills} of its receiver`,
    `${found.events} events, ${found.told.length} notifications in the file`,
    `${distinct} at the receiver, ${repeats} of them again with the same key`,
  ];
  return { name: 'kills', done: done.join('; '), problems };
}

/** A receiver drops what has a key that it knows; what is left must be as open as in the undisturbed run. */
function receivedProblems(receiver: Receiver, expected: Parameters<typeof openOf>[0]): string[] {
  const [ours, theirs] = [openOf(receiver.received()), openOf(expected)];
  return ours.join(' ') === theirs.join(' ')
    ? []
    : [`receiver: ${ours.join(' ')} instead of ${theirs.join(' ')}`];
}

function rotate(log: string): void {
  if (existsSync(`${log}.1`)) renameSync(`${log}.1`, `${log}.2`);
  renameSync(log, `${log}.1`);
}
