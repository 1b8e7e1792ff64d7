import { RecalError } from '../base/errors.js';
import type { Calibration } from '../detect/calibration/calibrate.js';
import type { DetectionConfig } from '../detect/detection-config.js';
import { Detector } from '../detect/detector.js';
import type { DetectorState } from '../detect/detector-part.js';
import type { PairCovariance } from '../detect/fusion/covariance.js';
import { SplitGraphs } from '../detect/split-graphs.js';
import { chooseThreshold, parseThreshold, type Threshold } from '../detect/threshold/threshold.js';
import type { TrainedModel } from '../model/file/trained-model.js';
import { digestData } from '../model/training/training-data.js';
import type { Selection, Store } from '../store/store.js';
import type { CommandContext } from './command.js';
import { formatCount } from './terminal/quantities.js';

/** What an analyst is assumed to stand where nothing is said. */
export const DEFAULT_THRESHOLD = 'budget:5/day';

interface FinishOptions {
  readonly store: Store;
  readonly train: Selection;
  readonly calibrate: Selection;
  readonly config: DetectionConfig;
  readonly threads: number;
}

/** A trained model's second half: fitted to what it was trained on, calibrated on what it was not. */
export async function finishModel(
  model: TrainedModel,
  { store, train, calibrate, config, threads }: FinishOptions,
  context: CommandContext,
): Promise<DetectorState> {
  const { signal } = context;
  const training = await SplitGraphs.open(store, train, model);
  const detector = await lookBack(model, training, { config, threads }, context);
  try {
    const calibrating = percentage('calibrating', context);
    const benign = await detector.graphsOf(store, calibrate);
    await detector
      .calibrate(benign, config, { signal, progress: calibrating.update })
      .finally(calibrating.finish);
    return detector.state;
  } finally {
    await detector.close();
  }
}

/** The same for a model that was stopped, or trained without calibration: from what it says it was trained on. */
export async function fitModel(
  model: TrainedModel,
  { store, config, threads }: Pick<FinishOptions, 'store' | 'config' | 'threads'>,
  context: CommandContext,
): Promise<Detector> {
  const { selection, data } = model.training;
  const moment = (text: string | null) => (text === null ? undefined : BigInt(text));
  const training = await SplitGraphs.open(
    store,
    {
      split: selection.split ?? undefined,
      host: selection.host ?? undefined,
      from: moment(selection.from),
      to: moment(selection.to),
    },
    model,
  ).catch((error: unknown) => {
    throw error instanceof RecalError && error.code === 'no-split' ? otherData(error) : error;
  });
  if (digestData(training.events, training.text) !== data) throw otherData();
  return lookBack(model, training, { config, threads }, context);
}

function otherData(cause?: unknown): RecalError {
  return new RecalError(
    'store-other-data',
    'the model has yet to look back at what it was trained on, which is not in this store',
    {
      hint: 'give --store the store it was trained on, or train it again',
      cause,
    },
  );
}

async function lookBack(
  model: TrainedModel,
  training: SplitGraphs,
  { config, threads }: Pick<FinishOptions, 'config' | 'threads'>,
  context: CommandContext,
): Promise<Detector> {
  const { signal } = context;
  const fitting = percentage('looking back at training', context);
  return await Detector.fit(model, training, {
    reference: config.reference,
    evidence: config.evidence,
    threads,
    signal,
    progress: fitting.update,
  }).finally(fitting.finish);
}

/** Progress of work that knows only its share. */
export function percentage(
  label: string,
  { progress }: Pick<CommandContext, 'progress'>,
): { update: (done: number) => void; finish: () => void } {
  const bar = progress(label, { total: 100, unit: '%' });
  return { update: (done) => bar.update(Math.floor(done * 100)), finish: () => bar.finish() };
}

/** For `--json`. */
export function describeCalibration(calibration: Calibration): object {
  const { config, gate, graphs, instances, firstTs, lastTs, hosts, benign, covariance } = calibration;
  const threshold = chooseThreshold(parseBudget(), benign);
  return {
    config,
    gate: Number.isNaN(gate) ? null : gate,
    graphs,
    instances,
    hosts,
    firstTs: String(firstTs),
    lastTs: String(lastTs),
    ...(covariance === undefined ? {} : { covariance: covariance.pairs }),
    benign: {
      instances: benign.instances,
      hostDays: benign.hostDays,
      graphs: benign.graphs,
      inSample: benign.inSample,
    },
    threshold: { rule: DEFAULT_THRESHOLD, ...threshold },
  };
}

export function* renderCalibration(calibration: Calibration): Generator<string> {
  const { graphs, instances, benign, config, covariance } = calibration;
  yield `calibrated on ${formatCount(graphs)} graphs, ${formatCount(instances)} instances: ${config.evidence.join(', ')}`;
  if (covariance !== undefined) yield describeCovariance(covariance);
  if (benign.inSample) yield 'benign scores come from the data of the tables: thresholds are too low';
  yield* renderThreshold(DEFAULT_THRESHOLD, chooseThreshold(parseBudget(), benign), benign.hostDays);
}

function describeCovariance({ pairs: { known, total } }: PairCovariance): string {
  if (known === 0) {
    return 'brown does what fisher does: no two pieces of evidence were met together on enough nodes to tell how they depend';
  }
  const others = known < total ? ', the others take the mean' : '';
  return `brown: ${formatCount(known)} of ${formatCount(total)} pairs of evidence have a covariance of their own${others}`;
}

/** What a threshold means, before it is applied: how it was found, and what to expect of it. */
export function* renderThreshold(rule: string, found: Threshold, hostDays: number): Generator<string> {
  const { tau, status, finest, incidentsPerDay, alarmsPerDay, graphs, range } = found;
  const rate = (value: number) => (value >= 10 ? value.toFixed(0) : value.toPrecision(2));
  const isBudget = rule.startsWith('budget');
  const unit = isBudget ? ' false incidents per host and day' : ' of instances';
  yield `threshold ${rule}: score ${tau.toFixed(2)} and above (${status})`;
  yield `  benign scores span ${hostDays.toPrecision(2)} host-days in ${formatCount(graphs)} graphs, and can tell ${rate(finest)}${unit} from none`;
  const most = status === 'resolved' ? 'about' : 'at most';
  yield `  expect ${most} ${rate(incidentsPerDay)} false incidents and ${rate(alarmsPerDay)} false alerts per host and day`;
  if (range !== undefined) {
    const [low, high] = range.tau;
    yield `  with one calibration graph left out the score would be ${low.toFixed(2)} to ${high.toFixed(2)}, the rate ${rate(range.rate[0])} to ${rate(range.rate[1])}`;
  }
  if (status !== 'resolved') {
    yield `  hint: calibrate on more benign time to resolve ${rule}`;
  }
}

function parseBudget() {
  return parseThreshold(DEFAULT_THRESHOLD) as Parameters<typeof chooseThreshold>[0];
}
