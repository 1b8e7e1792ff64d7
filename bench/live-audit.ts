import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startRecording } from './audited/recording.js';
import { intrude, startHost } from './audited/small-host.js';
import { startWatch } from './audited/watch-process.js';
import { describeMachine, withFolder } from './measurement.js';
import { startReceiver } from './outages/receiver.js';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
/** A user whom nobody else is. */
const USER = 61_235;
const MINUTE_MS = 60_000;
const WINDOW_MINUTES = 2;

/**
 * `npm run bench -- live-audit [--learn 30] [--calm 5]` records a small web service of a user of its own with the real audit
 * system (as root), lets `recal watch` learn for so many minutes, and then breaks in through the service with harmless commands.
 * Prints how long after the end of the intrusion a webhook receiver was told, in windows of two minutes.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { learn: { type: 'string', default: '30' }, calm: { type: 'string', default: '5' } },
  });
  console.log(describeMachine());
  await withFolder('live-audit', async (folder) => {
    chmodSync(folder, 0o755);
    const capture = join(folder, 'capture');
    mkdirSync(capture, { mode: 0o700 });
    const rules = spawnSync(process.execPath, [CLI, 'rules', 'auditd'], { encoding: 'utf8' }).stdout;
    const recording = await startRecording(capture, rules, USER);
    const receiver = await startReceiver(join(folder, 'received.jsonl'));
    const host = await startHost(join(folder, 'work'), USER);
    const watch = startWatch([
      recording.log,
      '--dir',
      join(folder, 'watch'),
      '--to',
      `recal:http://127.0.0.1:${receiver.port}/`,
      '--learn',
      `${values.learn}m`,
      '--window',
      String(WINDOW_MINUTES),
      '--retrain',
      'never',
    ]);
    try {
      const accepted = await watch.said('model-accepted');
      console.log(`learned: ${accepted}`);
      await sleep(Number(values.calm) * MINUTE_MS);
      const before = receiver.received().length;
      console.log(`${before} notifications before the intrusion`);
      const started = Date.now();
      const names = await intrude(host.port);
      const end = Date.now();
      console.log(`the intrusion took ${seconds(end - started)} s`);
      const wanted = new RegExp(names.join('|'));
      let isTold = false;
      while (!isTold && Date.now() < end + 10 * MINUTE_MS) {
        await sleep(100);
        isTold = receiver
          .received()
          .slice(before)
          .some((each) => wanted.test(JSON.stringify(each)));
      }
      const windows = ((Date.now() - end) / MINUTE_MS / WINDOW_MINUTES).toFixed(2);
      console.log(
        isTold
          ? `told ${seconds(Date.now() - end)} s after its end: ${windows} windows`
          : 'NOT TOLD within 10 minutes',
      );
      if (!isTold) process.exitCode = 1;
      await sleep(2 * WINDOW_MINUTES * MINUTE_MS);
      for (const each of receiver.received()) {
        const { status, revision, severity, title } = each as unknown as Record<string, string>;
        console.log(
          `  ${status} ${revision} ${severity} ${title}${wanted.test(JSON.stringify(each)) ? ' (the intrusion)' : ''}`,
        );
      }
    } finally {
      await watch.stop();
      await host.stop();
      await receiver.kill();
      await recording.stop();
    }
  });
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
