import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../base/make-folder.js';
import { Random } from '../base/random.js';
import { replaceFile } from '../base/replace-file.js';
import { yieldToSignals } from '../base/yield-to-signals.js';
import { HostRun } from './host-run.js';
import { profileOf } from './hosts/profiles.js';
import {
  type HostSummary,
  manifestOf,
  type ScenarioManifest,
  summariseAttack,
  summariseFiles,
  summariseLabels,
  totalRelations,
} from './manifest.js';
import { type Settings, type SimulateOptions, settingsOf } from './options.js';
import { clearWorld, LABEL_FILES, MANIFEST_FILE, removeFiles, removeIfEmpty } from './world-folder.js';

export interface SimulateProgress {
  /** Counted from 1. */
  readonly host: number;
  readonly hosts: number;
  /** Events written so far, all hosts together. */
  readonly events: number;
  /** Events asked for, all hosts together. */
  readonly eventsAsked: number;
}

/** The event loop gets a turn after this many events: often enough to be stopped, seldom enough to cost nothing. */
const TURN = 20_000;

/**
 * Writes a simulated world to a directory: logs, labels and `scenario.json`. The same options give the same bytes, on
 * any machine and at any time. A world that is there is replaced. The manifest is written last, so a directory without
 * one is unfinished; stopped, what was written is taken away.
 */
export async function simulate(
  options: SimulateOptions,
  progress?: (progress: SimulateProgress) => void,
  signal?: AbortSignal,
): Promise<ScenarioManifest> {
  const settings = settingsOf(options);
  await clearWorld(settings.out);
  const runs: HostRun[] = [];
  try {
    return await writeWorld(settings, runs, progress, signal);
  } catch (error) {
    await takeAway(settings, runs).catch(() => undefined); // what went wrong first is what counts
    throw error;
  }
}

async function writeWorld(
  settings: Settings,
  runs: HostRun[],
  progress?: (progress: SimulateProgress) => void,
  signal?: AbortSignal,
): Promise<ScenarioManifest> {
  const random = new Random(settings.seed).stream(settings.scenario);
  const summaries: HostSummary[] = [];
  const labels = new LabelFiles();
  let before = 0;
  for (let index = 0; index < settings.hosts; index++) {
    const folder = settings.hosts === 1 ? '' : `host-${String(index + 1).padStart(2, '0')}`;
    const directory = join(settings.out, folder);
    await makeFolder(directory);
    // Of a fleet a third is attacked, the first host always.
    const run = new HostRun(
      settings,
      profileOf(settings.scenario),
      directory,
      random.stream(`host ${index}`),
      index,
      settings.attacks === 'test' && index % 3 === 0,
    );
    runs.push(run);
    try {
      await drive(run, signal, (events) => {
        progress?.({
          host: index + 1,
          hosts: settings.hosts,
          events: before + events,
          eventsAsked: settings.events * settings.hosts,
        });
      });
    } finally {
      run.recorder.close();
    }
    before += run.recorder.total;
    summaries.push(summarise(run, folder));
    labels.add(run);
  }
  await labels.write(settings);
  const manifest = manifestOf(settings, summaries);
  await replaceFile(join(settings.out, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** Only what this run has opened. */
async function takeAway({ out, hosts }: Settings, runs: readonly HostRun[]): Promise<void> {
  for (const { directory, timeline, recorder } of runs) {
    const opened = timeline.files.filter((_, index) => recorder.counts[index] !== undefined);
    await removeFiles(opened.map(({ name }) => join(directory, name)));
    if (hosts > 1) await removeIfEmpty(directory);
  }
  await removeFiles(Object.values(LABEL_FILES).map((name) => join(out, name)));
}

async function drive(
  run: HostRun,
  signal: AbortSignal | undefined,
  report: (events: number) => void,
): Promise<void> {
  let nextTurn = TURN;
  for (let tick = 0; tick < run.ticks; tick++) {
    run.advance(tick);
    if (run.recorder.total < nextTurn) continue;
    nextTurn = run.recorder.total + TURN;
    report(run.recorder.total);
    await yieldToSignals();
    signal?.throwIfAborted();
  }
  report(run.recorder.total);
}

/** One set of label files for all hosts: identifiers are unique across them. */
class LabelFiles {
  private csv = '';
  private text = '';
  private scan = '';
  private unusual = '';

  add({ book }: HostRun): void {
    this.csv += withoutHeader(book.csv(), this.csv);
    this.unusual += withoutHeader(book.unusualCsv(), this.unusual);
    this.text += book.text();
    this.scan += book.scanText();
  }

  async write({ out }: Settings): Promise<void> {
    await writeFile(join(out, LABEL_FILES.csv), this.csv);
    await writeFile(join(out, LABEL_FILES.text), this.text);
    await writeFile(join(out, LABEL_FILES.scan), this.scan);
    await writeFile(join(out, LABEL_FILES.unusual), this.unusual);
  }
}

function withoutHeader(csv: string, earlier: string): string {
  return earlier === '' ? csv : csv.slice(csv.indexOf('\n') + 1);
}

function summarise(run: HostRun, directory: string): HostSummary {
  const { timeline, recorder, book, identity, machine, attacks } = run;
  const files = summariseFiles(timeline.files, recorder.counts, timeline.startSeconds);
  return {
    name: identity.name,
    uuid: identity.uuid,
    directory,
    events: recorder.total,
    relations: totalRelations(files),
    processes: machine.processes.started,
    pidsReused: machine.processes.reused,
    files,
    attacks: attacks.map((attack) => summariseAttack(attack, timeline.startSeconds)),
    labels: summariseLabels(book.seen, book.scanFlows, timeline.files),
  };
}
