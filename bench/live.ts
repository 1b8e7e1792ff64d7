import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine, withFolder } from './measurement.js';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const FORMATS = ['auditd', 'cdm18', 'ndjson'] as const;
const PARTS = ['train', 'calibrate', 'test'];

/**
 * `npm run bench -- live [--events 500000] [--formats auditd,cdm18,ndjson]` measures `recal watch --once` on auditd text, CDM and recal NDJSON: events stored per
 * second while it learns, and events per second from the log to scored windows, without the training. The peer is a loop
 * that only parses each line, in the same run.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      events: { type: 'string', default: '500000' },
      formats: { type: 'string', default: FORMATS.join(',') },
    },
  });
  console.log(describeMachine());
  await withFolder('live', async (folder) => {
    for (const format of FORMATS.filter((each) => values.formats.split(',').includes(each))) {
      const log = await makeLog(folder, format, values.events);
      const megabytes = statSync(log).size / 1e6;
      const peer = await parseOnly(log, format === 'auditd');
      const learning = watch(log, join(folder, `${format}-learn`), '100w');
      const scored = watch(log, join(folder, `${format}-score`), '3d');
      const rate = (seconds: number) => Math.round(learning.events / seconds).toLocaleString('en');
      console.log(`\n${format}: ${megabytes.toFixed(0)} MB, ${learning.events} events`);
      console.log(`  only parses each line      ${rate(peer)} events/s`);
      console.log(`  watch, to the store        ${rate(learning.seconds)} events/s, ${learning.peakMiB} MiB`);
      const seconds = scored.seconds - scored.training;
      console.log(`  watch, to scored windows   ${rate(seconds)} events/s, ${scored.peakMiB} MiB`);
    }
  });
}

async function makeLog(folder: string, format: string, events: string): Promise<string> {
  const world = join(folder, format === 'auditd' ? 'auditd' : 'cdm18');
  const source = format === 'auditd' ? 'auditd' : 'cdm18';
  const scenario = ['--scenario', 'linux-desktop', '--days', '3,1,1', '--events', events];
  if (!existsSync(world)) recal(['simulate', ...scenario, '--format', source, '--out', world]);
  const log = join(folder, `${format}.log`);
  if (format === 'ndjson') {
    const files = PARTS.map((part) => join(world, `${part}.json`));
    recal(['ingest', ...files, '--store', join(folder, 'store')]);
    recal(['export', '--store', join(folder, 'store'), '--out', log]);
    return log;
  }
  for (const part of PARTS) {
    const file = join(world, `${part}.${format === 'auditd' ? 'log' : 'json'}`);
    await pipeline(createReadStream(file), createWriteStream(log, { flags: 'a' }));
  }
  return log;
}

function watch(log: string, dir: string, learn: string) {
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

function recal(args: readonly string[]): { stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`recal ${args[0]} failed: ${stderr.toString().slice(-500)}`);
  return { stdout: stdout.toString(), stderr: stderr.toString() };
}

/** Seconds to read every line and take it apart, and keep nothing. */
async function parseOnly(log: string, isText: boolean): Promise<number> {
  const started = performance.now();
  let fields = 0;
  for await (const line of createInterface({ input: createReadStream(log) })) {
    if (!isText) fields += Object.keys(JSON.parse(line) as object).length;
    else for (const _ of line.matchAll(/(\w+)=("[^"]*"|\S+)/g)) fields++;
  }
  if (fields === 0) throw new Error('nothing was parsed');
  return (performance.now() - started) / 1000;
}
