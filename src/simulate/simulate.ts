import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../base/files/make-folder.js';
import { replaceFile } from '../base/files/replace-file.js';
import { Random } from '../base/random.js';
import { yieldToSignals } from '../base/yield-to-signals.js';
import { HostRun } from './host-run.js';
import { findProfile } from './hosts/profiles.js';
import {
  type HostSummary,
  makeManifest,
  type ScenarioManifest,
  summariseAttack,
  summariseFiles,
  summariseLabels,
  totalCounts,
} from './manifest.js';
import { resolveSettings, type SimulateOptions, type SimulationSettings } from './options.js';
import { clearOutput, LABEL_FILES, MANIFEST_FILE, removeFiles, removeIfEmpty } from './output-folder.js';

export interface SimulateProgress {
  /** Counted from 1. */
  readonly host: number;
  readonly hosts: number;
  /** Events written so far, by all hosts. */
  readonly events: number;
  /** Events requested, for all hosts. */
  readonly eventsAsked: number;
}

/** The event loop runs after this many events, so that signals can stop the simulation. */
const EVENTS_PER_TURN = 20_000;

/**
 * Writes logs, labels and `scenario.json` of simulated hosts to a folder. The same options give the same bytes on every
 * machine. An earlier simulation in the folder is replaced. `scenario.json` is written last, so a folder without it is
 * unfinished. If the simulation is stopped or fails, its files are removed.
 */
export async function simulate(
  options: SimulateOptions,
  progress?: (progress: SimulateProgress) => void,
  signal?: AbortSignal,
): Promise<ScenarioManifest> {
  const settings = resolveSettings(options);
  await clearOutput(settings.out);
  const runs: HostRun[] = [];
  try {
    return await writeSimulation(settings, runs, progress, signal);
  } catch (error) {
    await removeOutput(settings, runs).catch(() => undefined); // the first error matters more
    throw error;
  }
}

async function writeSimulation(
  settings: SimulationSettings,
  runs: HostRun[],
  progress?: (progress: SimulateProgress) => void,
  signal?: AbortSignal,
): Promise<ScenarioManifest> {
  const random = new Random(settings.seed).stream(settings.scenario);
  const summaries: HostSummary[] = [];
  const shared = new LabelFiles();
  let before = 0;
  for (let index = 0; index < settings.hosts; index++) {
    const folder = settings.hosts === 1 ? '' : `host-${String(index + 1).padStart(2, '0')}`;
    const directory = join(settings.out, folder);
    await makeFolder(directory);
    // Every third host is attacked, beginning with the first.
    const run = new HostRun({
      settings,
      profile: findProfile(settings.scenario),
      directory,
      random: random.stream(`host ${index}`),
      index,
      attacked: settings.attacks === 'test' && index % 3 === 0,
    });
    runs.push(run);
    try {
      await runHost(run, signal, (events) => {
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
    if (settings.hosts > 1 && run.labels.hasNaturalKeys) {
      // A path or a process number means another entity on each host.
      const own = new LabelFiles();
      own.add(run);
      await own.write(directory);
    } else {
      shared.add(run);
    }
  }
  if (!shared.isEmpty) await shared.write(settings.out);
  const manifest = makeManifest(settings, summaries);
  await replaceFile(join(settings.out, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** Removes the files that these runs opened. */
async function removeOutput({ out, hosts }: SimulationSettings, runs: readonly HostRun[]): Promise<void> {
  for (const { directory, timeline, recorder } of runs) {
    const opened = timeline.files.filter((_, index) => recorder.counts[index] !== undefined);
    await removeFiles(opened.map(({ name }) => join(directory, name)));
    await removeFiles(Object.values(LABEL_FILES).map((name) => join(directory, name)));
    if (hosts > 1) await removeIfEmpty(directory);
  }
  await removeFiles(Object.values(LABEL_FILES).map((name) => join(out, name)));
}

async function runHost(
  run: HostRun,
  signal: AbortSignal | undefined,
  report: (events: number) => void,
): Promise<void> {
  let nextTurn = EVENTS_PER_TURN;
  for (let tick = 0; tick < run.ticks; tick++) {
    run.advance(tick);
    if (run.recorder.total < nextTurn) continue;
    nextTurn = run.recorder.total + EVENTS_PER_TURN;
    report(run.recorder.total);
    await yieldToSignals();
    signal?.throwIfAborted();
  }
  report(run.recorder.total);
}

/** The label files of all hosts whose ids are unique across hosts, or of one host. */
class LabelFiles {
  private csv = '';
  private text = '';
  private scan = '';
  private unusual = '';

  get isEmpty(): boolean {
    return this.csv === '';
  }

  add({ labels }: HostRun): void {
    this.csv += withoutHeader(labels.csv(), this.csv);
    this.unusual += withoutHeader(labels.unusualCsv(), this.unusual);
    this.text += labels.text();
    this.scan += labels.scanText();
  }

  async write(folder: string): Promise<void> {
    await writeFile(join(folder, LABEL_FILES.csv), this.csv);
    await writeFile(join(folder, LABEL_FILES.text), this.text);
    await writeFile(join(folder, LABEL_FILES.scan), this.scan);
    await writeFile(join(folder, LABEL_FILES.unusual), this.unusual);
  }
}

function withoutHeader(csv: string, earlier: string): string {
  return earlier === '' ? csv : csv.slice(csv.indexOf('\n') + 1);
}

function summarise(run: HostRun, directory: string): HostSummary {
  const { timeline, recorder, labels, identity, machine, attacks } = run;
  const files = summariseFiles(timeline.files, recorder.counts, timeline.startSeconds);
  return {
    name: identity.name,
    uuid: identity.uuid,
    directory,
    events: recorder.events,
    relations: totalCounts(files.map(({ relations }) => relations)),
    ...(labels.hasNaturalKeys
      ? { unrecorded: totalCounts(files.map(({ unrecorded }) => unrecorded ?? {})) }
      : {}),
    processes: machine.processes.started,
    pidsReused: machine.processes.reused,
    files,
    attacks: attacks.map((attack) => summariseAttack(attack, timeline.startSeconds)),
    labels: summariseLabels(labels, timeline.files),
  };
}
