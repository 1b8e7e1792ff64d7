import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ingestFiles } from '../dist/store/ingest.js';
import { describeMachine, withFolder } from './measurement.js';

const FIRST_NS = 1_522_972_800_000_000_000n;
const STEP_NS = 5_000_000_000n;

/**
 * `npm run bench -- hosts [HOSTS] [--events 10] [--threads 0]` measures the processor time of reading many small hosts into a
 * store, per host. The peer is one host with the same events, in the same run.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { events: { type: 'string', default: '10' }, threads: { type: 'string', default: '0' } },
  });
  const hosts = Number(positionals[0] ?? 10_000);
  const events = Number(values.events);
  const threads = Number(values.threads);
  console.log(describeMachine());
  await withFolder('hosts', async (folder) => {
    const one = await measure(folder, { hosts: 1, events: hosts * events, threads });
    const many = await measure(folder, { hosts, events, threads });
    console.log(`\n${hosts} hosts of ${events} events, and one host with as many events, CPU of all threads`);
    for (const [name, { milliseconds, seconds, segments }] of Object.entries({ one, many })) {
      console.log(
        `  ${name.padEnd(5)} ${(milliseconds / 1000).toFixed(1)} s CPU, ${seconds.toFixed(1)} s, ${segments} segments`,
      );
    }
    console.log(
      `  ${(many.milliseconds / hosts).toFixed(2)} ms CPU a host, ${(many.milliseconds / one.milliseconds).toFixed(2)}× the one host`,
    );
  });
}

async function measure(folder: string, size: { hosts: number; events: number; threads: number }) {
  const log = join(folder, 'hosts.ndjson');
  const store = join(folder, 'store');
  writeFileSync(log, linesOf(size.hosts, size.events));
  const before = process.cpuUsage();
  const began = performance.now();
  await ingestFiles([log], { store, threads: size.threads });
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - began) / 1000;
  const segments = readdirSync(store, { recursive: true }).filter((path) => `${path}`.endsWith('.parquet'));
  rmSync(store, { recursive: true });
  return { milliseconds: (user + system) / 1000, seconds, segments: segments.length };
}

/** The hosts take turns, as they do where many send to one collector. */
function linesOf(hosts: number, events: number): string {
  const lines: string[] = [];
  for (let event = 0; event < events; event++) {
    for (let host = 0; host < hosts; host++) {
      lines.push(
        JSON.stringify({
          ts: String(FIRST_NS + BigInt(event) * STEP_NS + BigInt(host)),
          host: `host-${host}`,
          rel: event % 3 === 0 ? 'EVENT_WRITE' : 'EVENT_READ',
          subj: { id: `p${event % 2}`, type: 'process', name: event % 2 === 0 ? 'sshd' : 'cron' },
          obj: { id: `f${event}`, type: 'file', name: `/var/log/${event}` },
        }),
      );
    }
  }
  return `${lines.join('\n')}\n`;
}
