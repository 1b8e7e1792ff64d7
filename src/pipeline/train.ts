import { totalmem } from 'node:os';
import { type DetectionConfig, resolveDetectionConfig } from '../detect/detection-config.js';
import { encodeDetector } from '../detect/detector-part.js';
import { writeModelFile } from '../model/file/model-file.js';
import { checkpointPath, removeCheckpoint, writeCheckpoint } from '../model/training/checkpoint.js';
import { type TrainPlan, type TrainResult, trainModel } from '../model/training/train.js';
import type { EpochReport } from '../model/training/trainer.js';
import { resolveTrainingConfig, type TrainingConfig } from '../model/training/training-config.js';
import { type Selection, Store } from '../store/store.js';
import { type CalibrationSummary, summariseCalibration } from './calibration-summary.js';
import { divideEvents } from './divide-events.js';
import { fitModel } from './fit.js';
import { checkModelPath, checkResume } from './model-path.js';
import type { Notice, NoticeListener } from './notice.js';
import { threadCount } from './threads.js';
import { summariseTraining, type TrainingSummary } from './training-summary.js';

/** Training may use this share of the machine's memory by default; the rest is for reading the store. */
const MEMORY_SHARE = 0.6;
const MEBIBYTE = 2 ** 20;
const MINUTE_MS = 60_000;

export interface TrainOptions {
  /** Folder of the store. */
  readonly store: string;
  /** File to write the model to. Its checkpoint is written beside it. */
  readonly model: string;
  /** Benign events to learn from; the whole store by default. */
  readonly selection?: Selection | undefined;
  /** Calibrate on the last fifth of the selected period, which training then leaves out. Default: true. */
  readonly calibrate?: boolean | undefined;
  /** Calibrate on this split instead, and train on everything selected. */
  readonly calibrateSplit?: string | undefined;
  /** Settings of training; the profile and the defaults supply the rest. */
  readonly training?: Partial<TrainingConfig> | undefined;
  /** Settings of detection. */
  readonly detection?: Partial<DetectionConfig> | undefined;
  /** Compute threads; one per core by default. Results do not depend on it. */
  readonly threads?: number | undefined;
  /** Avoid instructions whose last bit depends on the processor. */
  readonly portable?: boolean | undefined;
  /** MiB for graphs and their working set; 60 % of the machine's memory by default. */
  readonly memory?: number | undefined;
  /** Continue from the checkpoint beside the model file. */
  readonly resume?: boolean | undefined;
  /** Minutes between checkpoints; 0 writes one after every step. Default: 5. */
  readonly checkpointEvery?: number | undefined;
  /** Stops after the current step and keeps a checkpoint. */
  readonly signal?: AbortSignal | undefined;
  readonly watch?: TrainWatch | undefined;
}

/** The stages of `train`, in order. */
export type TrainStage = 'events' | 'names' | 'words' | 'graphs' | 'training' | 'fitting' | 'calibrating';

/** Receives the progress of `train`. */
export interface TrainWatch {
  /** Progress of a stage, from 0 to 1. */
  stage?(stage: TrainStage, done: number): void;
  /** Data and memory are known; the first step follows. */
  planned?(plan: TrainingPlan): void;
  /** A step is done. `report` is set if the step ended an epoch. */
  stepped?(steps: number, report: EpochReport | undefined): void;
  notice?: NoticeListener;
}

/** What training is about to do. */
export interface TrainingPlan {
  readonly graphs: number;
  readonly nodes: number;
  readonly relations: readonly string[];
  readonly features: number;
  /** Estimate, in bytes. */
  readonly memory: number;
  readonly steps: { readonly done: number; readonly all: number };
  /** Graphs that are too large for the memory and are processed in parts, which is slower. */
  readonly inParts: readonly { readonly title: string; readonly nodes: number; readonly parts: number }[];
}

/**
 * Trains a model on benign events of a store, calibrates it on benign events it was not trained on, and writes it to a
 * file. If `signal` aborts, the model and a checkpoint are written and the summary says `complete: false`.
 */
export async function train(options: TrainOptions): Promise<TrainingSummary> {
  const { model: path, signal, watch, calibrate: wanted = true, resume = false } = options;
  const notice = (each: Notice) => watch?.notice?.(each);
  const started = performance.now();
  const config = resolveTrainingConfig(options.training);
  const detection = resolveDetectionConfig(config.profile, options.detection);
  const store = await Store.open(options.store);
  await checkModelPath(path);
  await checkResume(path, resume, notice);
  const { train: selection, calibrate } = await divideEvents(store, {
    selection: options.selection ?? {},
    calibrate: wanted,
    calibrateSplit: options.calibrateSplit,
    config,
    notice,
  });
  const threads = threadCount(options.threads);
  const result = await runTraining(store, selection, config, options, threads);

  // A failing calibration must not lose the training. The checkpoint comes first: it says of a model without calibration that
  // it is not finished, and a full disk that ends it leaves an older model as it was.
  if (!result.complete || calibrate !== undefined) await writeCheckpoint(path, result.checkpoint);
  let sha256 = await writeModelFile(path, result.model);
  let calibration: CalibrationSummary | undefined;
  if (calibrate !== undefined && result.complete) {
    try {
      const parts = await calibrateNow(result, {
        store,
        selection,
        calibrate,
        detection,
        threads,
        signal,
        watch,
      });
      calibration = summariseCalibration(parts.calibration);
      sha256 = await writeModelFile(path, result.model, encodeDetector(parts));
    } catch (error) {
      const next = signal?.aborted
        ? 'run the same command with --resume'
        : 'run recal calibrate on other events';
      notice({ level: 'warning', message: 'the model is trained but not calibrated', hint: next });
      throw error;
    }
  }
  if (result.complete) await removeCheckpoint(path);
  if (learnedNothing(result)) {
    notice({
      level: 'warning',
      message: 'no masked node ever had a neighbour: the model learned nothing',
      hint: 'train on more events, for more --epochs, or with a higher --set maskBase',
    });
  }
  const checkpoint = result.complete ? undefined : checkpointPath(path);
  const seconds = (performance.now() - started) / 1000;
  return summariseTraining(result, { path, sha256, checkpoint, seconds, calibration });
}

async function runTraining(
  store: Store,
  selection: Selection,
  config: TrainingConfig,
  { model, signal, watch, portable, memory, resume, checkpointEvery = 5 }: TrainOptions,
  threads: number,
): Promise<TrainResult> {
  let checkpointed = performance.now();
  let all = 1;
  return trainModel({
    store,
    selection,
    config,
    threads,
    portable,
    signal,
    memory: memory === undefined ? totalmem() * MEMORY_SHARE : memory * MEBIBYTE,
    resume: resume ? model : undefined,
    watch: {
      prepared: (stage, done) => watch?.stage?.(stage, done),
      started(plan) {
        all = plan.steps.all;
        watch?.planned?.(describePlan(plan));
      },
      async stepped(steps, report, snapshot) {
        watch?.stepped?.(steps, report);
        watch?.stage?.('training', steps / all);
        if (performance.now() - checkpointed < checkpointEvery * MINUTE_MS) return;
        await writeCheckpoint(model, snapshot());
        checkpointed = performance.now();
      },
    },
  });
}

function describePlan({ graphs, blocks, relations, features, memory, steps }: TrainPlan): TrainingPlan {
  return {
    graphs: graphs.length,
    nodes: graphs.reduce((sum, { graph }) => sum + graph.nodeCount, 0),
    relations: relations.map(({ name }) => name),
    features,
    memory,
    steps,
    inParts: graphs.flatMap(({ graph, title }) => {
      const plan = blocks.get(graph);
      return plan === undefined ? [] : [{ title, nodes: graph.nodeCount, parts: plan.bounds.length - 1 }];
    }),
  };
}

interface CalibrateNow {
  readonly store: Store;
  readonly selection: Selection;
  readonly calibrate: Selection;
  readonly detection: DetectionConfig;
  readonly threads: number;
  readonly signal: AbortSignal | undefined;
  readonly watch: TrainWatch | undefined;
}

async function calibrateNow({ model }: TrainResult, options: CalibrateNow) {
  const { store, selection, calibrate, detection, threads, signal, watch } = options;
  const detector = await fitModel(model, selection, {
    store,
    config: detection,
    threads,
    signal,
    progress: (done) => watch?.stage?.('fitting', done),
  });
  try {
    const benign = await detector.graphsOf(store, calibrate);
    const calibration = await detector.calibrate(benign, detection, {
      signal,
      progress: (done) => watch?.stage?.('calibrating', done),
    });
    return { ...detector.state, calibration };
  } finally {
    await detector.close();
  }
}

/** True if no epoch had a loss. A resumed run cannot tell: it has not seen the first epochs. */
function learnedNothing({ reports }: TrainResult): boolean {
  return reports.at(0)?.epoch === 1 && reports.every(({ loss }) => Number.isNaN(loss));
}
