import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Format, makeLog, parseOnly, recal } from './logs.js';

/** Events per second of `recal watch --once`, beside a loop that only parses each line. */
export async function measureSpeed(
  folder: string,
  formats: readonly Format[],
  events: string,
): Promise<void> {
  for (const format of formats) {
    const log = await makeLog(folder, format, events);
    const megabytes = statSync(log).size / 1e6;
    const peer = await parseOnly(log, format);
    const learning = watchOnce(log, join(folder, `${format}-learn`), '100w');
    const scored = watchOnce(log, join(folder, `${format}-score`), '3d');
    const rate = (seconds: number) => Math.round(learning.events / seconds).toLocaleString('en');
    console.log(`\n${format}: ${megabytes.toFixed(0)} MB, ${learning.events} events`);
    console.log(`  only parses each line      ${rate(peer)} events/s`);
    console.log(`  watch, to the store        ${rate(learning.seconds)} events/s, ${learning.peakMiB} MiB`);
    const seconds = scored.seconds - scored.training;
    console.log(`  watch, to scored windows   ${rate(seconds)} events/s, ${scored.peakMiB} MiB`);
  }
}

function watchOnce(log: string, dir: string, learn: string) {
  const started = performance.now();
  const flags = [
    '--once',
    '--json',
    '--log',
    'json',
    '--epochs',
    '1',
    '--retrain',
    'never',
    '--max-line',
    '8000000',
  ];
  const { stdout, stderr } = recal(['watch', log, '--dir', dir, '--learn', learn, ...flags]);
  const seconds = (performance.now() - started) / 1000;
  const trained = /"event":"model-accepted".*?"seconds":(\d+)/.exec(stderr)?.[1] ?? '0';
  const peak = /"event":"stopped".*?"peakMiB":(\d+)/.exec(stderr)?.[1] ?? '?';
  const { events } = JSON.parse(stdout) as { events: number };
  return { seconds, events, training: Number(trained), peakMiB: peak };
}
