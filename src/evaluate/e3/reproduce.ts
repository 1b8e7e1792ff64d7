import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../base/replace-file.js';
import { safeJson } from '../../base/safe-json.js';
import { isoMilliseconds } from '../../base/time-text.js';
import { parseThreshold } from '../../detect/threshold/threshold.js';
import { evaluateEach } from '../evaluate.js';
import type { ContestOptions, EvaluateWatch, JudgeOptions } from '../evaluation.js';
import { openParts, type Parts, type ReadPartsOptions } from '../protocol/parts.js';
import { PROTOCOL_THRESHOLDS, PROTOCOLS } from '../protocol/protocol.js';
import { resolveVariant, variantOf } from '../protocol/variants.js';
import { compareOrder } from '../report/ablation-order.js';
import { compareWithPublished } from '../report/published-comparison.js';
import { removeEvaluation, writeEvaluation } from '../report/result-files.js';
import {
  relationCounts,
  type Study,
  type StudyRun,
  type StudySweeps,
  scoreSamples,
} from '../report/study.js';
import { runSweep, type SweepWatch } from '../sweep/sweep.js';
import type { Axis } from '../sweep/sweep-axes.js';
import { type E3Labels, findE3Labels } from './e3-labels.js';
import { type E3Parts, type E3Split, findE3Parts } from './e3-parts.js';
import { placeE3 } from './e3-store.js';
import { type E3Host, PUBLISHED_SIZES } from './published.js';

export interface ReproduceOptions {
  readonly host: E3Host;
  readonly split: E3Split;
  /** Folder of the log files. */
  readonly data: string;
  /** Folder of the labels. */
  readonly labels: string;
  readonly out: string;
  readonly seeds: readonly number[];
  readonly variants: readonly string[];
  readonly training: Readonly<Record<string, unknown>>;
  readonly detection: Readonly<Record<string, unknown>>;
  /** Axes to vary, one at a time; none for no sweeps. */
  readonly sweeps: readonly Axis[];
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  readonly versions?: Readonly<Record<string, string>> | undefined;
  readonly reading?: Omit<ReadPartsOptions, 'folder'> | undefined;
  readonly watch?: ReproduceWatch | undefined;
}

export interface ReproduceWatch {
  /** Everything is read; what a reader should know before the work begins. */
  placed?(notes: readonly string[]): void;
  /** A protocol that will be judged; all of them before the work begins. */
  run?(labels: E3Labels): void;
  /** An earlier run left results of a protocol that this one has no labels for. They are gone. */
  removed?(folder: string): void;
  readonly evaluation?: EvaluateWatch;
  readonly sweep?: Pick<SweepWatch, 'trial'>;
}

export interface Reproduction {
  readonly study: Study;
  /** False where it was stopped. */
  readonly complete: boolean;
}

/**
 * Runs the published comparison on the E3 logs of one host: all variants and seeds under each protocol whose labels are
 * there, and the sweeps if asked for.
 */
export async function reproduce(options: ReproduceOptions): Promise<Reproduction> {
  const { host, split, out } = options;
  const labels = await findE3Labels(options.labels, host);
  const found = await findE3Parts(options.data, host, split);
  const folder = join(out, 'store', `${host}-${split}`);
  const started = performance.now();
  const placed = await placeE3(found, { ...options.reading, folder, signal: options.signal });
  const parts = await openParts(placed.places);
  const read = (performance.now() - started) / 1000;
  const simulated = isSimulated(found);
  const notes = [
    ...simulationNotes(simulated, host),
    ...futureNotes(parts),
    ...found.notes,
    ...placed.notes,
    ...labelNotes(labels),
  ];
  options.watch?.placed?.(notes);

  for (const each of labels) options.watch?.run?.(each);
  const { runs, complete: ran } = await runProtocols(options, parts, labels, read);
  const sweeps =
    options.sweeps.length > 0 && ran ? await sweepSensitivity(options, parts, labels[0]) : undefined;
  const complete = ran && (sweeps?.complete ?? true);
  const study: Study = {
    title: simulated
      ? `A simulated host like ${host.toUpperCase()}, split ${split}`
      : `${host.toUpperCase()} of Engagement 3, split ${split}`,
    host,
    runs,
    sweeps,
    notes,
    extras: { relations: relationCounts(parts.train) },
  };
  const { writeStudy } = await import('../report/study-report.js'); // plots take a second to load
  await writeStudy(study, out);
  await writeReproduction(study, split, complete, simulated, out);
  return { study, complete };
}

/** Protocols differ in labels and threshold, so all of them judge the same scores. Stopped, what is finished stays. */
async function runProtocols(
  options: ReproduceOptions,
  parts: Parts,
  labels: readonly E3Labels[],
  read: number,
): Promise<{ runs: StudyRun[]; complete: boolean }> {
  const { training, detection } = options;
  const variants = options.variants.map((name) => resolveVariant(variantOf(name), training, detection));
  const work = {
    ...contestOptions(options, parts),
    variants,
    timings: { read },
    watch: options.watch?.evaluation,
  };
  const evaluations = await evaluateEach(work, labels.map(judgeOptions));
  // What an earlier run left would look like a part of this one.
  for (const name of PROTOCOLS.filter((each) => labels.every(({ protocol }) => protocol !== each))) {
    const folder = join(options.out, name);
    if (await removeEvaluation(folder)) options.watch?.removed?.(folder);
  }
  const runs: StudyRun[] = [];
  for (const evaluation of evaluations) {
    const { result, curves } = evaluation;
    const name = result.protocol;
    await writeEvaluation(join(options.out, name), evaluation, parts.test);
    runs.push({ name, result, curves, scores: scoreSamples(evaluation) });
  }
  return { runs, complete: evaluations.every(({ complete }) => complete) };
}

function contestOptions(
  { seeds, threads, signal, versions }: ReproduceOptions,
  parts: Parts,
): Omit<ContestOptions, 'variants'> {
  return { parts, seeds, threads, signal, versions };
}

function judgeOptions({ protocol, labels, tier }: E3Labels): JudgeOptions {
  return {
    labels,
    tier,
    protocol,
    matching: 'node',
    // The published lists are what they are: what is out of order is said, not refused.
    allowPast: true,
    threshold: parseThreshold(PROTOCOL_THRESHOLDS[protocol], { oracle: true }),
    firstCurves: true, // the report draws no others
  };
}

/** One axis at a time, the others as they are (method §10); of the method as published where it is run. */
async function sweepSensitivity(
  options: ReproduceOptions,
  parts: Parts,
  labels: E3Labels,
): Promise<StudySweeps> {
  const { evaluation, sweep } = options.watch ?? {};
  const [first] = options.variants;
  const variant = options.variants.includes('paper') ? 'paper' : first;
  const { trials, complete } = await runSweep({
    ...contestOptions(options, parts),
    ...judgeOptions(labels),
    variants: [variant],
    training: options.training,
    detection: options.detection,
    trials: options.sweeps.flatMap(({ key, values }) => values.map((value) => ({ [key]: value }))),
    folder: join(options.out, 'trials'),
    watch: { ...sweep, ...(evaluation === undefined ? {} : { evaluation }) },
  });
  return {
    run: `variant ${variant}, protocol ${labels.protocol}`,
    axes: options.sweeps,
    trials,
    complete,
  };
}

/** The simulator leaves its manifest beside the logs, whose names are those of the release. */
function isSimulated({ train, test, other }: E3Parts): boolean {
  const folders = new Set([...train, ...test, ...other].map((path) => dirname(path)));
  return [...folders].some((folder) => existsSync(join(folder, 'scenario.json')));
}

function simulationNotes(simulated: boolean, host: E3Host): string[] {
  return simulated
    ? [
        `the logs are simulated: nothing here is a figure of the real ${host.toUpperCase()}, though published ones of it stand beside`,
      ]
    : [];
}

/** Training and calibration together are what a publication trains on. */
function futureNotes({ train, calibrate, test }: Parts): string[] {
  return [train, calibrate]
    .filter(({ last }) => last > test.first)
    .map(
      ({ name, last }) =>
        `this split trains on the future: its part to ${name} on reaches to ${isoMilliseconds(last)}, and the test begins at ${isoMilliseconds(test.first)}`,
    );
}

function labelNotes(labels: readonly E3Labels[]): string[] {
  if (labels.length > 1) return [];
  const [{ protocol }] = labels;
  return [
    protocol === 'paper'
      ? 'no expert labels were given, so the honest protocol was not run'
      : 'no list of ThreaTrace was given, so the protocol of the paper was not run',
  ];
}

async function writeReproduction(
  study: Study,
  split: E3Split,
  complete: boolean,
  simulated: boolean,
  folder: string,
): Promise<void> {
  const { host, runs, sweeps, notes } = study;
  const path = join(folder, 'result.json');
  const content = {
    version: 1,
    kind: 'reproduction',
    host,
    split,
    complete,
    notes,
    simulated,
    published: host === undefined ? null : PUBLISHED_SIZES[host],
    beside: compareWithPublished(study),
    order: host === undefined ? null : orderOf(runs, host),
    runs: Object.fromEntries(runs.map(({ name, result }) => [name, result])),
    sweeps: sweeps ?? null,
  };
  await replaceFile(path, `${safeJson(content)}\n`);
}

/** How the ablations stand beside the paper's, by protocol. */
function orderOf(runs: readonly StudyRun[], host: E3Host) {
  return Object.fromEntries(runs.map(({ name, result }) => [name, compareOrder(result, host)]));
}
