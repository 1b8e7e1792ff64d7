import { RecalError } from '../../base/errors.js';
import { yieldToSignals } from '../../base/yield-to-signals.js';
import type { Device } from '../../compute/device.js';
import { openDevice } from '../../compute/open-device.js';
import { areNumbers } from '../file/tensor-file.js';
import { type KnownRelation, modelId, type TrainedModel } from '../file/trained-model.js';
import { Model, type ModelState } from '../model.js';
import type { PlannedGraph } from './build-graphs.js';
import { type Checkpoint, checkResumable, checkSameSettings, readCheckpoint } from './checkpoint.js';
import { type PreparedTraining, type PrepareOptions, prepareTraining } from './prepare-training.js';
import { type EpochReport, Trainer } from './trainer.js';
import { budgetInEpochs, maskConfigOf, type TrainingConfig } from './training-config.js';
import type { TrainingManifest } from './training-manifest.js';

export interface TrainModelOptions extends PrepareOptions {
  readonly threads?: number | undefined;
  /** Never use relaxed SIMD, whose last bit depends on the processor. */
  readonly portable?: boolean | undefined;
  readonly device?: 'wasm' | 'reference' | undefined;
  /** Path of a model file. Training continues from the checkpoint beside it. */
  readonly resume?: string | undefined;
  readonly watch?: TrainWatch | undefined;
}

/** Progress callbacks. */
export interface TrainWatch extends NonNullable<PrepareOptions['watch']> {
  /** Called before the first step. */
  started?(plan: TrainPlan): void;
  /** Called after every step with the number of steps so far, and with a report at the end of an epoch. */
  stepped?(steps: number, report: EpochReport | undefined, snapshot: () => Checkpoint): void | Promise<void>;
}

export interface TrainPlan {
  readonly relations: readonly KnownRelation[];
  readonly graphs: readonly PlannedGraph[];
  /** Graphs that are processed in blocks. */
  readonly blocks: PreparedTraining['blocks'];
  readonly steps: { readonly done: number; readonly all: number };
  /** Estimated bytes. */
  readonly memory: number;
  readonly features: number;
}

export interface TrainResult {
  readonly model: TrainedModel;
  /** The reports of the epochs of this run. */
  readonly reports: readonly EpochReport[];
  /** False if training was stopped before the last epoch. */
  readonly complete: boolean;
  readonly checkpoint: Checkpoint;
}

/** Trains a model on the selected events of a store (method §2–5). */
export async function trainModel(options: TrainModelOptions): Promise<TrainResult> {
  const earlier = options.resume === undefined ? undefined : await readCheckpoint(options.resume);
  if (earlier !== undefined) checkSameSettings(earlier, options.config, options.resume ?? '');
  const prepared = await prepareTraining(options, earlier);
  const device = await openDevice({
    ...(options.device === undefined ? {} : { kind: options.device }),
    ...(options.threads === undefined ? {} : { threads: options.threads }),
    ...(options.portable === undefined ? {} : { portable: options.portable }),
  });
  try {
    return await learn(prepared, device, options, earlier);
  } finally {
    await device.close();
  }
}

async function learn(
  prepared: PreparedTraining,
  device: Device,
  { config: given, watch, signal, resume = '' }: TrainModelOptions,
  earlier: Checkpoint | undefined,
): Promise<TrainResult> {
  const { relations, graphs, blocks, direction, space, modelConfig } = prepared;
  const config = budgetInEpochs(given, graphs.length);
  const about = { ...prepared.about, device: { kind: device.kind, build: device.build } };
  const all = graphs.length * config.epochs;
  if (earlier !== undefined) checkResumable(earlier, { ...about, steps: all }, resume);
  const model = Model.create(device, modelConfig, config.seed, blocks);
  if (earlier !== undefined) model.restore(earlier.state);
  const trainer = new Trainer(
    model,
    graphs.map(({ graph }) => graph),
    {
      seed: config.seed,
      mask: maskConfigOf(config),
      from: earlier?.trainer,
      frequencies: Uint32Array.from(relations, ({ frequency }) => frequency),
    },
  );
  watch?.started?.({
    relations,
    graphs,
    blocks,
    memory: prepared.memory,
    features: space.width,
    steps: { done: trainer.steps, all },
  });
  const reports: EpochReport[] = [];
  const snapshot = (): Checkpoint => {
    const state = model.state();
    checkNumbers(state, trainer);
    const training = describeProgress(about, config, trainer, reports.at(-1), earlier?.model.training);
    const parts = { config, relations, direction, space, weights: state.weights, training };
    return { model: { id: modelId(parts), ...parts }, state, trainer: trainer.state() };
  };
  signal?.throwIfAborted(); // before the first step there is no model to keep
  while (trainer.steps < all && signal?.aborted !== true) {
    const report = trainer.step();
    if (report !== undefined) {
      reports.push(report);
      // A check costs as much as a small step. It is enough to check now and then, because overflow persists.
      if (Number.isInteger(Math.log2(report.epoch))) checkNumbers(model.state(), trainer);
    }
    await watch?.stepped?.(trainer.steps, report, snapshot);
    await yieldToSignals();
  }
  const checkpoint = snapshot();
  model.close();
  return { model: checkpoint.model, reports, complete: trainer.steps >= all, checkpoint };
}

/** Checks for overflow, which the losses may not show. */
function checkNumbers({ weights, firstMoment, secondMoment }: ModelState, { steps }: Trainer): void {
  const moments = [firstMoment, secondMoment].map((data) => ({ name: 'gradient', data }));
  const overflowed = [...weights, ...moments].find(({ data }) => !areNumbers(data));
  if (overflowed === undefined) return;
  throw new RecalError(
    'training-diverged',
    `training diverged at step ${steps}: ${overflowed.name} overflowed`,
    {
      hint: 'lower the settings learningRate or textRate, or limit the gradient with --set clip=1',
    },
  );
}

function describeProgress(
  about: PreparedTraining['about'] & Pick<TrainingManifest, 'device'>,
  config: TrainingConfig,
  trainer: Trainer,
  report: EpochReport | undefined,
  earlier: TrainingManifest | undefined,
): TrainingManifest {
  return {
    ...about,
    steps: trainer.steps,
    epochs: { asked: config.epochs, done: trainer.epochs },
    loss: report === undefined ? (earlier?.loss ?? null) : numberOrNull(report.loss),
    losses: report === undefined ? (earlier?.losses ?? []) : Array.from(report.losses, numberOrNull),
    masked: report?.masked ?? earlier?.masked ?? null,
  };
}

function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
