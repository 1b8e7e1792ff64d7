import { spawnSync } from 'node:child_process';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { exportEvents } from '../dist/store/export.js';
import { Store } from '../dist/store/store.js';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** The captures in both orders: the one to test, to train on, and to calibrate on. */
export const OTRF_ORDERS = ['01-03-04', '01-04-03', '03-01-04', '03-04-01', '04-01-03', '04-03-01'];

export const captureOf = (data: string, number: string) => join(data, `campaign_${number}.sysmon.json.gz`);

/**
 * Writes a capture as recal NDJSON without the processes that are labelled or ambiguous, and without their events, so that
 * a model can be trained on it. Returns the file.
 */
export async function writeBenign(data: string, number: string, folder: string): Promise<string> {
  const store = join(folder, `capture-${number}`);
  const { status, stderr } = spawnSync(
    process.execPath,
    [CLI, 'ingest', captureOf(data, number), '--store', store, '--quiet', '--json'],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  const listed = new Set(['labels.csv', 'ambiguous.csv'].flatMap((file) => processesIn(join(data, file))));
  const file = join(folder, `benign-${number}.ndjson`);
  await pipeline(Readable.from(linesWithout(await Store.open(store), listed)), createWriteStream(file));
  return file;
}

/** Writes the labels of the attack in one capture, so that the attacks of the others do not count as missed. */
export function writeLabels(data: string, number: string, folder: string): string {
  const [head, ...rows] = readFileSync(join(data, 'labels.csv'), 'utf8').split('\n');
  const file = join(folder, `labels-${number}.csv`);
  writeFileSync(file, [head, ...rows.filter((row) => row.includes(`campaign_${number}`))].join('\n'));
  return file;
}

/** The ids of the processes in a list. They are never quoted. */
function processesIn(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(','))
    .filter(([, type]) => type === 'process')
    .map(([id]) => id);
}

async function* linesWithout(store: Store, listed: ReadonlySet<string>): AsyncGenerator<string> {
  for await (const line of exportEvents(store)) {
    const event = JSON.parse(line) as Record<string, { id?: string } | undefined>;
    const ids = [event.subj?.id, event.obj?.id, event.obj2?.id];
    if (!ids.some((id) => id !== undefined && listed.has(id.toLowerCase()))) yield line;
  }
}
