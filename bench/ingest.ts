import { spawn } from 'node:child_process';
import { createWriteStream, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type CdmLogOptions, cdmLog } from './cdm-log.js';
import { describeMachine, median, range, withFolder } from './measurement.js';
import { collect, ingestPiped } from './piped-ingest.js';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const PEER = fileURLToPath(new URL('./ingest-peer.js', import.meta.url));

const THROUGHPUT: CdmLogOptions = { events: 900_000, entities: 25_000 };
const MEMORY: CdmLogOptions = { events: 8_000_000, entities: 5_000_000 };

/**
 * `npm run bench -- ingest [FILE…] [--rounds 5] [--no-memory]` compares recal ingest with a JSON.parse loop that stores
 * nothing, then measures memory on 8 GB with 5 million entities. Without files it generates CDM18 logs.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { rounds: { type: 'string', default: '5' }, 'no-memory': { type: 'boolean', default: false } },
  });
  console.log(describeMachine());
  await withFolder('ingest', async (folder) => {
    if (Number(values.rounds) > 0) await measureThroughput(folder, positionals, Number(values.rounds));
    if (!values['no-memory']) await measureMemory(folder);
  });
}

async function measureThroughput(folder: string, given: readonly string[], rounds: number): Promise<void> {
  const files = given.length > 0 ? given : [join(folder, 'throughput.json')];
  if (given.length === 0) await pipeline(Readable.from(cdmLog(THROUGHPUT)), createWriteStream(files[0]));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const ours: number[] = [];
  const peer: number[] = [];
  let events = 0;
  for (let round = 0; round < rounds; round++) {
    // Both run in each round, so that other load on the machine affects both.
    peer.push(await peerSeconds(files));
    const store = join(folder, `store-${round}`);
    const result = JSON.parse(
      await output([CLI, 'ingest', ...files, '--store', store, '--json', '--quiet']),
    ) as {
      events: number;
      seconds: number;
    };
    ours.push(result.seconds);
    events = result.events;
    rmSync(store, { recursive: true, force: true });
  }
  const rate = (seconds: number) => `${(bytes / seconds / 1e6).toFixed(0).padStart(5)} MB/s`;
  const line = (name: string, times: readonly number[]) =>
    console.log(
      `${name.padEnd(34)} ${rate(median(times))}  ${(events / median(times) / 1e3).toFixed(0)} k events/s  (${range(times, 2)} s)`,
    );
  console.log(
    `\n${(bytes / 1e6).toFixed(0)} MB from the page cache, ${events} events, median of ${rounds} rounds, without the start of Node`,
  );
  line('JSON.parse loop (stores nothing)', peer);
  line('recal ingest', ours);
  const ratios = peer.map((seconds, round) => seconds / ours[round]);
  console.log(
    `recal ingest is ${(median(peer) / median(ours)).toFixed(2)}× as fast (by round: ${ratios.map((r) => r.toFixed(2)).join(', ')})`,
  );
}

async function measureMemory(folder: string): Promise<void> {
  const { bytes, samples, peak, result } = await ingestPiped(join(folder, 'store-memory'), MEMORY);
  console.log(
    `\nMemory of recal ingest: ${(bytes / 1e9).toFixed(1)} GB, ${result.events} events, ${result.entities.total} entities, ${result.seconds.toFixed(0)} s`,
  );
  for (const { gigabytes, mebibytes } of samples)
    console.log(`  after ${gigabytes.toFixed(0)} GB: ${mebibytes.toFixed(0)} MiB resident`);
  console.log(`  peak: ${peak.toFixed(0)} MiB`);
}

async function peerSeconds(files: readonly string[]): Promise<number> {
  let seconds = 0;
  for (const file of files)
    seconds += (JSON.parse(await output([PEER, file])) as { seconds: number }).seconds;
  return seconds;
}

function output(args: readonly string[]): Promise<string> {
  return collect(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
}
