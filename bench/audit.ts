import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import { describeMachine, median, range, withFolder } from './measurement.js';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const PEER = fileURLToPath(new URL('./audit-peer.js', import.meta.url));
const LAB = fileURLToPath(new URL('../../shared/data/linux-lab/', import.meta.url));

/**
 * `npm run bench -- audit [FILE…] [--rounds 3]` compares recal ingest of Linux audit logs with one thread that takes each
 * field with a regular expression and stores nothing. Without files it takes the linux-lab logs or, without those,
 * simulates a host.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { rounds: { type: 'string', default: '3' } },
  });
  console.log(describeMachine());
  await withFolder('audit', async (folder) => {
    const files = positionals.length > 0 ? positionals : await makeLogs(folder);
    const rounds = Number(values.rounds);
    const ours: number[] = [];
    const peer: number[] = [];
    let events = 0;
    for (let round = 0; round < rounds; round++) {
      // Both run in each round, so that other load on the machine affects both.
      peer.push(files.reduce((sum, file) => sum + output([PEER, file]).seconds, 0));
      const store = join(folder, `store-${round}`);
      const result = output([CLI, 'ingest', ...files, '--store', store, '--json', '--quiet']);
      ours.push(result.seconds);
      events = result.events;
      rmSync(store, { recursive: true, force: true });
    }
    const megabytes = files.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6;
    console.log(
      `\n${megabytes.toFixed(0)} MB from the page cache, ${events} events, median of ${rounds} rounds`,
    );
    const line = (name: string, times: readonly number[]): void =>
      console.log(
        `${name.padEnd(44)} ${(megabytes / median(times)).toFixed(0).padStart(5)} MB/s  (${range(times, 2)} s)`,
      );
    line('readline, a pattern per field, keeps nothing', peer);
    line('recal ingest', ours);
    const ratios = peer.map((seconds, round) => (seconds / ours[round]).toFixed(2));
    console.log(
      `recal ingest is ${(median(peer) / median(ours)).toFixed(2)}× as fast (by round: ${ratios.join(', ')})`,
    );
  });
}

async function makeLogs(folder: string): Promise<string[]> {
  const files: string[] = [];
  if (existsSync(LAB)) {
    for (const [index, part] of ['train', 'calibrate', 'test'].entries()) {
      const file = join(folder, `${index}-${part}.log`);
      await pipeline(
        createReadStream(join(LAB, `audit.${part}.log.gz`)),
        createGunzip(),
        createWriteStream(file),
      );
      files.push(file);
    }
    return files;
  }
  const world = join(folder, 'world');
  output([CLI, 'simulate', '--out', world, '--format', 'auditd', '--json', '--quiet']);
  return ['train', 'calibrate', 'test']
    .map((split) => join(world, `${split}.log`))
    .filter((file) => existsSync(file));
}

function output(args: readonly string[]): { seconds: number; events: number } {
  const { status, stdout } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`a measured process failed with exit code ${status}`);
  return JSON.parse(stdout.toString()) as { seconds: number; events: number };
}
