import { createReadStream, createWriteStream, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import { FORMATS } from '../dist/ingest/formats/known-formats.js';
import { defaultThreads, LogReader } from '../dist/ingest/read.js';
import { openInput } from '../dist/ingest/sources/byte-source.js';
import { ReadThread } from '../dist/ingest/sources/read-thread.js';
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

/** The width of the names. */
const WIDTH = 24;
/** How many copies of a fixture have the same identifiers, as the records of a process follow each other. */
const COPIES = 4;

/**
 * `npm run bench -- formats [NAME|FILE…] [--megabytes 768] [--rounds 3]` compares reading each format with one thread that
 * splits lines and parses them (JSON.parse, or a regular expression per field for auditd) and keeps nothing. A name stands
 * for copies of a fixture, of a size that logs of a day or a week have. A file is a log, also with gzip, and is read once.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { megabytes: { type: 'string', default: '768' }, rounds: { type: 'string', default: '3' } },
  });
  console.log(describeMachine());
  console.log(
    `\n${'format'.padEnd(WIDTH)} ${'MB'.padStart(5)} ${'recal'.padStart(10)} ${'peer'.padStart(10)}   ratio (by round)      processor time   first events`,
  );
  const names = positionals.length > 0 ? positionals : Object.keys(LOGS).sort();
  for (const name of names) {
    await withFolder('formats', async (folder) => {
      const file = join(folder, 'log');
      const isFixture = Object.hasOwn(LOGS, name);
      if (isFixture)
        await pipeline(Readable.from(copies(name, Number(values.megabytes) * 1e6)), createWriteStream(file));
      else if (name.endsWith('.gz'))
        await pipeline(createReadStream(name), createGunzip(), createWriteStream(file));
      await measure(name, isFixture || name.endsWith('.gz') ? file : name, Number(values.rounds));
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
  const first: number[] = [];
  const format = await formatOf(file);
  const ours: number[] = [];
  const peer: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // Both run in each round, so that other load on the machine affects both.
    const start = process.cpuUsage();
    peer.push(await peerSeconds(format, file));
    const between = process.cpuUsage(start);
    const again = process.cpuUsage();
    const { total, start: waited } = await readSeconds(file, bytes);
    ours.push(total);
    first.push(waited);
    const used = process.cpuUsage(again);
    cpu.push((between.user + between.system) / (used.user + used.system));
  }
  const rate = (seconds: number): string => `${(bytes / seconds / 1e6).toFixed(0)} MB/s`.padStart(10);
  const ratios = peer.map((seconds, round) => seconds / ours[round]);
  console.log(
    `${basename(name).slice(0, WIDTH).padEnd(WIDTH)} ${(bytes / 1e6).toFixed(0).padStart(5)} ${rate(median(ours))} ${rate(median(peer))}   ${median(ratios).toFixed(2)} (${range(ratios, 2)})   ${median(cpu).toFixed(2).padStart(14)}   ${median(first).toFixed(2)} s`,
  );
}

async function formatOf(file: string): Promise<string> {
  const reader = new LogReader();
  for await (const { source } of reader.readPath(file)) return source.format;
  throw new Error(`${file} gave no events`);
}

/** Reads the file as `recal ingest` does to batches of events, without a store. Returns the seconds, and those before the first batch. */
async function readSeconds(file: string, bytes: number): Promise<{ total: number; start: number }> {
  const reader = new LogReader({ threads: defaultThreads(bytes) });
  const started = performance.now();
  const thread = new ReadThread();
  const input = await openInput(file, { thread });
  let start = 0;
  try {
    let events = 0;
    for await (const { batch } of reader.read(input)) {
      if (events === 0) start = (performance.now() - started) / 1000;
      events += batch.events;
      reader.reuse(batch);
    }
    if (events === 0) throw new Error(`${file} gave no events`);
  } finally {
    await reader.close();
    await input.close();
    await thread.close();
  }
  return { total: (performance.now() - started) / 1000, start };
}
