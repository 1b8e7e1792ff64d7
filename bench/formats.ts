import { createWriteStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FORMATS } from '../dist/ingest/formats/known-formats.js';
import { defaultThreads, LogReader } from '../dist/ingest/read.js';
import { peerSeconds } from './formats-peer.js';
import { describeMachine, median, range, withFolder } from './measurement.js';

const FIXTURES = fileURLToPath(new URL('../test/fixtures/', import.meta.url));

/** The fixture that stands for each format, and what tells its records apart: the digits that vary from copy to copy. */
const LOGS: Readonly<Record<string, readonly [fixture: string, varied: RegExp]>> = {
  auditbeat: ['auditbeat', /(?<=pid[=":]+)\d+/g],
  auditd: ['auditd-raw', /(?<=pid=)\d+/g],
  ecar: ['ecar', /(?<=8000-)\d{12}/g],
  ecs: ['ecs', /(?<="entity_id":")[^"]+/g],
  falco: ['falco', /(?<="proc\.p?pid":)\d+/g],
  laurel: ['laurel', /(?<="p?pid":)\d+/g],
  ocsf: ['ocsf', /(?<="uid":"p-)\d+/g],
  sysmon: ['sysmon-flat', /(?<=ProcessGuid":"\{?)[0-9A-Fa-f]{8}/gi],
  tetragon: ['tetragon', /(?<=exec_id":")[^"]+/g],
};

/** How many copies of a fixture have the same identifiers, as the records of a process follow each other. */
const COPIES = 4;

/**
 * `npm run bench -- formats [NAME…] [--megabytes 64] [--rounds 3]` compares reading each format with one thread that splits
 * lines and parses them (JSON.parse, or a regular expression per field for auditd) and keeps nothing.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { megabytes: { type: 'string', default: '64' }, rounds: { type: 'string', default: '3' } },
  });
  console.log(describeMachine());
  console.log(
    `\n${'format'.padEnd(10)} ${'recal'.padStart(10)} ${'peer'.padStart(10)}   ratio (by round)      ratio of processor time`,
  );
  const names = positionals.length > 0 ? positionals : Object.keys(LOGS).sort();
  for (const name of names) {
    await withFolder('formats', async (folder) => {
      const file = join(folder, `${name}.log`);
      await pipeline(Readable.from(copies(name, Number(values.megabytes) * 1e6)), createWriteStream(file));
      await measure(name, file, Number(values.rounds));
    });
  }
  const missing = FORMATS.map((format) => format.name).filter((name) => !(name in LOGS));
  console.log(`\nnot measured here: ${missing.join(', ')} (see \`npm run bench -- ingest\`)`);
}

function* copies(name: string, bytes: number): Generator<string> {
  const [fixture, varied] = LOGS[name];
  const text = readFileSync(`${FIXTURES}${name}/${fixture}.in`, 'utf8');
  for (let copy = 0, written = 0; written < bytes; copy++) {
    const suffix = String(Math.floor(copy / COPIES) % 100_000);
    const part = text.replace(varied, (id) => id.slice(0, Math.max(0, id.length - suffix.length)) + suffix);
    written += part.length;
    yield part;
  }
}

async function measure(name: string, file: string, rounds: number): Promise<void> {
  const bytes = statSync(file).size;
  const ours: number[] = [];
  const peer: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // Both run in each round, so that other load on the machine affects both.
    const start = process.cpuUsage();
    peer.push(await peerSeconds(name, file));
    const between = process.cpuUsage(start);
    const again = process.cpuUsage();
    ours.push(await readSeconds(file, bytes));
    const used = process.cpuUsage(again);
    cpu.push((between.user + between.system) / (used.user + used.system));
  }
  const rate = (seconds: number): string => `${(bytes / seconds / 1e6).toFixed(0)} MB/s`.padStart(10);
  const ratios = peer.map((seconds, round) => seconds / ours[round]);
  console.log(
    `${name.padEnd(10)} ${rate(median(ours))} ${rate(median(peer))}   ${median(ratios).toFixed(2)} (${range(ratios, 2)})   ${median(cpu).toFixed(2)}`,
  );
}

/** Reads the file to batches of events, without a store. */
async function readSeconds(file: string, bytes: number): Promise<number> {
  const reader = new LogReader({ threads: defaultThreads(bytes) });
  const started = performance.now();
  try {
    let events = 0;
    for await (const { batch } of reader.readPath(file)) events += batch.events;
    if (events === 0) throw new Error(`${file} gave no events`);
  } finally {
    await reader.close();
  }
  return (performance.now() - started) / 1000;
}
