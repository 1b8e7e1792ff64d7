import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../base/files/replace-file.js';
import { safeJson } from '../../base/safe-json.js';
import { isoMilliseconds } from '../../base/time-text.js';
import { parseThreshold } from '../../detect/threshold/threshold.js';
import { evaluateEach } from '../evaluate-variants.js';
import type { EvaluateWatch, MeasureOptions, ScoringOptions } from '../evaluation.js';
import type { MatchingProtocol } from '../metrics/matching.js';
import { PROTOCOL_THRESHOLDS, PROTOCOLS } from '../protocol/protocol.js';
import { openSplits, type ReadingOptions, type Splits } from '../protocol/splits.js';
import { resolveVariant, variantOf } from '../protocol/variants.js';
import { compareOrder } from '../report/ablation-order.js';
import { type InferenceTimes, inferenceTimes } from '../report/inference-times.js';
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
import { type E3Files, findE3Files, type SplitScheme } from './e3-files.js';
import { type E3Labels, findE3Labels } from './e3-labels.js';
import { ingestE3 } from './e3-store.js';
import { type E3Host, PUBLISHED_SIZES } from './published.js';

export interface ReproduceOptions {
  readonly host: E3Host;
  readonly scheme: SplitScheme;
  /** Folder with the log files. */
  readonly data: string;
  /** Folder with the labels. */
  readonly labels: string;
  readonly out: string;
  readonly seeds: readonly number[];
  readonly variants: readonly string[];
  readonly training: Readonly<Record<string, unknown>>;
  readonly detection: Readonly<Record<string, unknown>>;
  /** How the protocol `paper` matches alerts with labels; `honest` compares node by node. Default: node. */
  readonly match?: MatchingProtocol | undefined;
  /** Axes to sweep, one at a time. */
  readonly sweeps: readonly Axis[];
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  readonly versions?: Readonly<Record<string, string>> | undefined;
  readonly reading?: ReadingOptions | undefined;
  readonly watch?: ReproduceWatch | undefined;
}

export interface ReproduceWatch {
  /** Called when the splits are loaded, with notes about the data. */
  loaded?(notes: readonly string[]): void;
  /** Called for each protocol before training begins. */
  run?(labels: E3Labels): void;
  /** Called when results of an earlier run were removed, because this run has no labels for their protocol. */
  removed?(folder: string): void;
  readonly evaluation?: EvaluateWatch;
  readonly sweep?: Pick<SweepWatch, 'trial'>;
}

export interface Reproduction {
  readonly study: Study;
  /** False if the run was stopped early. */
  readonly complete: boolean;
}

/** Runs the published comparison on the E3 logs of one host, under each protocol that has labels, and then the sweeps. */
export async function reproduce(options: ReproduceOptions): Promise<Reproduction> {
  const { host, scheme, out } = options;
  const labels = await findE3Labels(options.labels, host);
  const found = await findE3Files(options.data, host, scheme);
  const folder = join(out, 'store', `${host}-${scheme}`);
  const started = performance.now();
  const ingested = await ingestE3(found, { ...options.reading, folder, signal: options.signal });
  const splits = await openSplits(ingested.sources);
  const read = (performance.now() - started) / 1000;
  const simulated = isSimulated(found);
  const notes = [
    ...simulationNotes(simulated, host),
    ...futureNotes(splits),
    ...found.notes,
    ...ingested.notes,
    ...labelNotes(labels),
  ];
  options.watch?.loaded?.(notes);

  for (const each of labels) options.watch?.run?.(each);
  const measures = labels.map((each) => measureOptions(each, options, found));
  const { runs, complete: ran } = await runProtocols(options, splits, measures, read);
  const sweeps =
    options.sweeps.length > 0 && ran ? await sweepSensitivity(options, splits, measures[0]) : undefined;
  const complete = ran && (sweeps?.complete ?? true);
  const study: Study = {
    title: simulated
      ? `Simulated host like ${host.toUpperCase()}, split ${scheme}`
      : `Engagement 3 ${host.toUpperCase()}, split ${scheme}`,
    host,
    runs,
    sweeps,
    notes,
    extras: { relations: relationCounts(splits.train) },
  };
  const { writeStudy } = await import('../report/study-report.js'); // loading the plots takes a second
  await writeStudy(study, out);
  await writeReproduction(study, { scheme, complete, simulated }, out);
  return { study, complete };
}

/** Measures the same scores under every protocol: protocols differ in labels and threshold only. */
async function runProtocols(
  options: ReproduceOptions,
  splits: Splits,
  measures: readonly MeasureOptions[],
  read: number,
): Promise<{ runs: StudyRun[]; complete: boolean }> {
  const { training, detection } = options;
  const variants = options.variants.map((name) => resolveVariant(variantOf(name), training, detection));
  const scoring = {
    ...scoringOptions(options, splits),
    variants,
    timings: { read },
    watch: options.watch?.evaluation,
  };
  const evaluations = await evaluateEach(scoring, measures);
  // Results of an earlier run would look like results of this one.
  for (const name of PROTOCOLS.filter((each) => measures.every(({ protocol }) => protocol !== each))) {
    const folder = join(options.out, name);
    if (await removeEvaluation(folder)) options.watch?.removed?.(folder);
  }
  const runs: StudyRun[] = [];
  for (const evaluation of evaluations) {
    const { result, curves } = evaluation;
    const name = result.protocol;
    await writeEvaluation(join(options.out, name), evaluation, splits.test);
    runs.push({ name, result, curves, scores: scoreSamples(evaluation) });
  }
  return { runs, complete: evaluations.every(({ complete }) => complete) };
}

function scoringOptions(
  { seeds, threads, signal, versions }: ReproduceOptions,
  splits: Splits,
): Omit<ScoringOptions, 'variants'> {
  return { splits, seeds, threads, signal, versions };
}

function measureOptions(
  { protocol, labels, tier }: E3Labels,
  { match = 'node' }: ReproduceOptions,
  { overlaps }: E3Files,
): MeasureOptions {
  return {
    labels,
    tier,
    protocol,
    matching: protocol === 'paper' ? match : 'node',
    lastFileOnly: overlaps,
    // Some published splits are out of order in time. That is a note here, not an error.
    allowPast: true,
    threshold: parseThreshold(PROTOCOL_THRESHOLDS[protocol], { oracle: true }),
    firstCurves: true, // the report draws the first seed only
  };
}

/** Sweeps one axis at a time (method §10), with the variant `paper` if it is among the variants. */
async function sweepSensitivity(
  options: ReproduceOptions,
  splits: Splits,
  measure: MeasureOptions,
): Promise<StudySweeps> {
  const { evaluation, sweep } = options.watch ?? {};
  const [first] = options.variants;
  const variant = options.variants.includes('paper') ? 'paper' : first;
  const { trials, complete } = await runSweep({
    ...scoringOptions(options, splits),
    ...measure,
    variants: [variant],
    training: options.training,
    detection: options.detection,
    trials: options.sweeps.flatMap(({ key, values }) => values.map((value) => ({ [key]: value }))),
    folder: join(options.out, 'trials'),
    watch: { ...sweep, ...(evaluation === undefined ? {} : { evaluation }) },
  });
  return {
    run: `variant ${variant}, protocol ${measure.protocol}`,
    axes: options.sweeps,
    trials,
    complete,
  };
}

/** The simulator uses the file names of the release, and writes scenario.json next to them. */
function isSimulated({ train, test, other }: E3Files): boolean {
  const folders = new Set([...train, ...test, ...other].map((path) => dirname(path)));
  return [...folders].some((folder) => existsSync(join(folder, 'scenario.json')));
}

function simulationNotes(simulated: boolean, host: E3Host): string[] {
  return simulated
    ? [
        `the logs are simulated, so the published figures of the real ${host.toUpperCase()} are not comparable`,
      ]
    : [];
}

/** Published systems train on both the train and the calibrate split. */
function futureNotes({ train, calibrate, test }: Splits): string[] {
  return [train, calibrate]
    .filter(({ last }) => last > test.first)
    .map(
      ({ name, last }) =>
        `this split trains on the future: its ${name} split ends at ${isoMilliseconds(last)}, and the test begins at ${isoMilliseconds(test.first)}`,
    );
}

function labelNotes(labels: readonly E3Labels[]): string[] {
  if (labels.length > 1) return [];
  const [{ protocol }] = labels;
  return [
    protocol === 'paper'
      ? 'the honest protocol was not run: there are no expert labels'
      : 'the paper protocol was not run: there is no ThreaTrace list',
  ];
}

async function writeReproduction(
  study: Study,
  { scheme, complete, simulated }: { scheme: SplitScheme; complete: boolean; simulated: boolean },
  folder: string,
): Promise<void> {
  const { host, runs, sweeps, notes } = study;
  const path = join(folder, 'result.json');
  const content = {
    version: 1,
    kind: 'reproduction',
    host,
    split: scheme,
    complete,
    notes,
    simulated,
    published: host === undefined ? null : PUBLISHED_SIZES[host],
    beside: compareWithPublished(study),
    order: host === undefined ? null : orderOf(runs, host),
    efficiency: timesOf(runs),
    runs: Object.fromEntries(runs.map(({ name, result }) => [name, result])),
    sweeps: sweeps ?? null,
  };
  await replaceFile(path, `${safeJson(content)}\n`);
}

/** Training and inference of each variant. Protocols do not differ in run time. */
export function timesOf([{ result }]: readonly StudyRun[]): Record<string, InferenceTimes> {
  return Object.fromEntries(
    Object.entries(result.variants).flatMap(([name, variant]) => {
      const times = inferenceTimes(variant);
      return times === undefined ? [] : [[name, times]];
    }),
  );
}

/** The order of the ablations compared with the paper, by protocol. */
function orderOf(runs: readonly StudyRun[], host: E3Host) {
  return Object.fromEntries(runs.map(({ name, result }) => [name, compareOrder(result, host)]));
}
