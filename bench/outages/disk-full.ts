import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
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

const DISK_MIB = 256;

/**
 * Puts the folder of the watch and its receiver's file on a small disk (a tmpfs), fills that disk to the last byte while the log
 * grows, and frees it again. Needs root to mount; says so otherwise.
 */
export async function diskFull(
  replay: Replay,
  { folder, seed, count }: { folder: string; seed: number; count: number },
): Promise<CampaignResult> {
  const random = new Random(seed).stream('disk-full');
  const disk = join(folder, 'disk');
  mkdirSync(disk, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', disk]);
  if (mounted.status !== 0)
    return { name: 'disk full', done: 'left out: cannot mount a tmpfs here', problems: [] };
  try {
    const expected = await undisturbed(replay, join(folder, 'calm'));
    const log = join(folder, 'audit.log');
    const watched = new WatchedFolder(join(disk, 'rough'), { log });
    writeFileSync(log, replay.lines.slice(0, replay.learned).join(''));
    await watched.finish(); // learns
    const child = watched.start();
    let [full, words] = [0, ''];
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      full += text.split(/disk is full|No space left|disk-full/).length - 1;
      words = (words + text).slice(-1000);
    });
    // It does not start on a full disk.
    for (let i = 0; i < 600 && !words.includes('"event":"started"'); i++) await sleep(100);
    const rest = replay.lines.slice(replay.learned);
    const per = Math.ceil(rest.length / Math.max(1, count));
    const ballast = join(disk, 'ballast');
    for (let i = 0; i < count; i++) {
      fill(ballast, disk);
      appendFileSync(log, rest.slice(i * per, (i + 1) * per).join(''));
      await sleep(1500 + 3000 * random.float());
      rmSync(ballast);
      await sleep(500 + 3000 * random.float());
    }
    const isAlive = child.exitCode === null;
    child.kill('SIGTERM');
    await ended(child);
    await watched.finish();
    const problems = differences(watched.outcome(), expected);
    if (!isAlive) problems.push(`the watch ended on a full disk: ${words}`);
    if (full === 0) problems.push('the disk was never full for the watch');
    return { name: 'disk full', done: `filled ${count} times, noticed ${full} times`, problems };
  } finally {
    spawnSync('umount', ['-l', disk]);
  }
}

/** Takes all of the space. */
function fill(path: string, disk: string): void {
  const { bavail, bsize } = statfsSync(disk);
  for (let bytes = bavail * bsize; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    try {
      appendFileSync(path, Buffer.alloc(bytes));
    } catch {
      // Somebody else took some of it; a smaller piece may still fit.
    }
  }
}
