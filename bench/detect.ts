import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkSegment } from '../dist/store/integrity/verify-segments.js';
import { Store } from '../dist/store/store.js';
import { describeMachine } from './measurement.js';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const HOSTS = 5;
/** Events per host that give 3,200,000 nodes in the train parts of five hosts. */
const TRACE_EVENTS = 8_500_000;
/** Stages of the evidence that profile `recal` adds to the paper's. */
const NEW_EVIDENCE = ['surprise', 'lineage'];
/** Seconds of the paper's detection on TRACE, on an RTX 5090; its kNN search takes 281 of them. */
const PUBLISHED_SECONDS = 284;

interface Detected {
  readonly counts: { readonly instances: number; readonly graphs: number; readonly events: number };
  readonly seconds: number;
  readonly stages: Readonly<Record<string, number>>;
  readonly peakBytes: number;
}

/**
 * `npm run bench -- detect [full] [--events N] [--epochs 3] [--scenario NAME] [--keep DIR] [--peer DIR] [--rounds N]` runs
 * recal detect on five simulated hosts with one graph each, and prints time by stage, memory and the cost of the added
 * evidence. `full` has the 3,200,000 nodes of TRACE and needs 30 GB of disk. `--peer` is a built checkout of version
 * 0.1.0: it learns and detects on the same logs, in turn with this version. `--keep` keeps the stores and models: a second
 * run with the same folder only detects, and `--rounds 0` only prepares.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      events: { type: 'string' },
      epochs: { type: 'string', default: '3' },
      scenario: { type: 'string', default: 'linux-desktop' },
      keep: { type: 'string' },
      peer: { type: 'string' },
      rounds: { type: 'string', default: '1' },
    },
  });
  const events = values.events ?? String(positionals[0] === 'full' ? TRACE_EVENTS : 300_000);
  const folder = values.keep ?? (await mkdtemp(join(tmpdir(), 'recal-detect-')));
  const world = join(folder, 'world');
  try {
    console.log(describeMachine());
    const own = prepared(MAIN, join(folder, 'own'));
    const peer =
      values.peer === undefined
        ? undefined
        : prepared(join(values.peer, 'dist/cli/main.js'), join(folder, 'peer'));
    const missing = [own, peer].filter((version) => version !== undefined && !existsSync(version.model));
    if (missing.length > 0) {
      const simulated = ['--scenario', values.scenario, '--hosts', String(HOSTS), '--events', events];
      recal(MAIN, 'simulate', ...simulated, '--out', world, '--format', 'ndjson', '--seed', '11');
      const hosts = (await readdir(world)).filter((name) => name.startsWith('host-')).sort();
      const logs = hosts.map((host) => join(world, host, 'train.ndjson'));
      const benign = join(world, hosts[0], 'calibrate.ndjson');
      for (const version of missing) prepare(version as Prepared, { logs, benign, epochs: values.epochs });
      await rm(world, { recursive: true });
    }
    const rounds = Array.from({ length: Number(values.rounds) }, (_, i) => {
      console.log(`\nround ${i + 1}, load ${loadavg()[0].toFixed(1)}`);
      return { peer: peer === undefined ? undefined : detect(peer), own: detect(own) };
    });
    if (rounds.length === 0) return;
    report(rounds[rounds.length - 1].own);
    for (const round of rounds) if (round.peer !== undefined) reportPeer(round.peer, round.own);
    await reportVerification(own.store, rounds[rounds.length - 1].own.seconds);
  } finally {
    if (values.keep === undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** A version of RECAL with its own store and model of the same logs. */
interface Prepared {
  readonly main: string;
  readonly store: string;
  readonly model: string;
  readonly out: string;
}

function prepared(main: string, folder: string): Prepared {
  mkdirSync(folder, { recursive: true });
  const [store, model, out] = ['store', 'model.recal', 'out'].map((name) => join(folder, name));
  return { main, store, model, out };
}

function prepare(
  { main, store, model }: Prepared,
  { logs, benign, epochs }: { logs: readonly string[]; benign: string; epochs: string },
): void {
  recal(main, 'ingest', ...logs, '--store', store, '--as', 'judged');
  recal(main, 'ingest', benign, '--store', store, '--as', 'learned', '--append');
  // Version 0.1.0 has a flag for what is now a setting.
  const graph = main === MAIN ? ['--set', 'graph=file'] : ['--graph', 'file'];
  recal(
    main,
    'train',
    '--store',
    store,
    '--model',
    model,
    '--split',
    'learned',
    ...graph,
    '--epochs',
    epochs,
  );
}

function detect({ main, store, model, out }: Prepared): Detected {
  return recal(main, 'detect', '--store', store, '--model', model, '--split', 'judged', '--out', out);
}

function reportPeer(peer: Detected, own: Detected): void {
  const gib = (bytes: number) => (bytes / 2 ** 30).toFixed(2);
  console.log(
    `peer ${peer.seconds.toFixed(1)} s, ${gib(peer.peakBytes)} GiB; own ${own.seconds.toFixed(1)} s, ${gib(own.peakBytes)} GiB; ratio ${(own.seconds / peer.seconds).toFixed(2)} of time, ${(own.peakBytes / peer.peakBytes).toFixed(2)} of memory`,
  );
}

function report({ counts, seconds, stages, peakBytes }: Detected): void {
  const { instances, graphs, events } = counts;
  console.log(`\n${instances} nodes in ${graphs} graphs, ${events} events\n`);
  console.log('| stage | seconds | share |\n|---|---|---|');
  const share = (part: number) => `${((100 * part) / seconds).toFixed(1)} %`;
  for (const [stage, spent] of Object.entries(stages).sort((a, b) => b[1] - a[1])) {
    console.log(`| ${stage} | ${spent.toFixed(1)} | ${share(spent)} |`);
  }
  console.log(`| total | ${seconds.toFixed(1)} | |`);
  const added = NEW_EVIDENCE.reduce((sum, stage) => sum + (stages[stage] ?? 0), 0);
  const scoring = seconds - (stages.reading ?? 0) - (stages.files ?? 0);
  console.log(
    `\n${NEW_EVIDENCE.join(' and ')} take ${share(added)} of the total time, ${((100 * added) / scoring).toFixed(1)} % without reading and writing files`,
  );
  console.log(
    `peak memory ${(peakBytes / 2 ** 30).toFixed(2)} GiB; the paper reports ${PUBLISHED_SECONDS} s for TRACE on a GPU`,
  );
}

/** Compares the content of all segments with the manifest again, as detection does before it reads them. */
async function reportVerification(folder: string, seconds: number): Promise<void> {
  const { segments } = (await Store.open(folder)).manifest;
  const before = process.cpuUsage();
  for (const segment of segments) await checkSegment(folder, segment);
  const { user, system } = process.cpuUsage(before);
  const megabytes = segments.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
  const share = (100 * (user + system)) / 1e6 / seconds;
  console.log(
    `comparing checksums of ${megabytes.toFixed(0)} MB takes ${((user + system) / 1e3).toFixed(0)} ms, ${share.toFixed(1)} % of the total time`,
  );
}

function recal(main: string, command: string, ...rest: string[]): Detected {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [main, command, '--json', '--quiet', ...rest],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  );
  if (status !== 0)
    throw new Error(`recal ${command} failed with exit code ${status}: ${stderr.slice(-2000)}`);
  console.log(`recal ${command}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return JSON.parse(stdout);
}
