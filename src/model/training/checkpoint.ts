import { rm, stat } from 'node:fs/promises';
import { z } from 'zod';
import { RecalError } from '../../base/errors.js';
import { checkModelMeta, decodeModel, encodeModel, parametersOf } from '../file/model-file.js';
import { TensorFile, writeTensorFile } from '../file/tensor-file.js';
import { refused, type Tensor } from '../file/tensor-header.js';
import type { TrainedModel } from '../file/trained-model.js';
import type { ModelState } from '../model.js';
import type { TrainerState } from './trainer.js';
import type { TrainingConfig } from './training-config.js';
import type { TrainingManifest } from './training-manifest.js';

/** A partly trained model with the state of Adam and of the trainer: everything needed to continue training. */
export interface Checkpoint {
  readonly model: TrainedModel;
  readonly state: ModelState;
  readonly trainer: TrainerState;
}

const CHECKPOINT_FILE = { format: 'recal-checkpoint', version: 1 } as const;
const MOMENTS = { first: 'adam.first', second: 'adam.second' } as const;

const count = z.int().nonnegative();
const column = z.array(z.number()).max(65_536);
const checkpointMetaSchema = z.strictObject({
  model: z.unknown(),
  /** Steps of Adam. */
  steps: count,
  trainer: z.strictObject({ steps: count, sums: column, counts: column, masked: count, nodes: count }),
});

/** The path of the checkpoint of a model file. */
export function checkpointPath(modelPath: string): string {
  return `${modelPath}.checkpoint`;
}

export async function hasCheckpoint(modelPath: string): Promise<boolean> {
  return stat(checkpointPath(modelPath)).then(
    (found) => found.isFile(),
    () => false,
  );
}

export async function writeCheckpoint(modelPath: string, checkpoint: Checkpoint): Promise<void> {
  const { state, trainer } = checkpoint;
  const { meta: model, tensors } = encodeModel(checkpoint.model);
  const moment = (name: string, data: Float32Array): Tensor => ({ name, shape: [data.length], data });
  const meta = { model, steps: state.steps, trainer };
  await writeTensorFile(checkpointPath(modelPath), CHECKPOINT_FILE, meta, [
    ...tensors,
    moment(MOMENTS.first, state.firstMoment),
    moment(MOMENTS.second, state.secondMoment),
  ]);
}

export async function readCheckpoint(modelPath: string): Promise<Checkpoint> {
  const path = checkpointPath(modelPath);
  const file = await TensorFile.open(path, CHECKPOINT_FILE);
  try {
    const parsed = checkpointMetaSchema.safeParse(file.meta);
    if (!parsed.success) throw refused(path, 'the metadata is not that of a checkpoint');
    const moments = new Set<string>(Object.values(MOMENTS));
    const modelPlaces = file.places.filter(({ name }) => !moments.has(name));
    const meta = checkModelMeta(parsed.data.model, modelPlaces, path);
    const { steps, trainer } = parsed.data;
    const decoders = meta.config.balanced ? meta.relations.length : 1;
    const isConsistent =
      steps === trainer.steps &&
      trainer.sums.length === trainer.counts.length &&
      (trainer.sums.length === 0 || trainer.sums.length === decoders);
    if (!isConsistent) throw refused(path, 'the step counts contradict each other');
    const { length } = parametersOf(meta);
    for (const name of moments) {
      const place = file.places.find((each) => each.name === name);
      if (place?.dtype !== 'F32' || place.shape.length !== 1 || place.shape[0] !== length) {
        throw refused(path, `${name} is missing or has the wrong shape`);
      }
    }
    const tensors = await file.read();
    const moment = (name: string) => (tensors.get(name) as Tensor).data as Float32Array;
    const model = decodeModel(meta, tensors, path);
    return {
      model,
      state: {
        weights: model.weights,
        firstMoment: moment(MOMENTS.first),
        secondMoment: moment(MOMENTS.second),
        steps,
      },
      trainer,
    };
  } finally {
    await file.close();
  }
}

/** Removes the checkpoint of a finished model, so that nobody continues from it by mistake. */
export async function removeCheckpoint(modelPath: string): Promise<void> {
  await rm(checkpointPath(modelPath), { force: true });
}

/** A larger budget only continues the training. */
const BUDGET: ReadonlySet<string> = new Set(['epochs', 'steps'] satisfies (keyof TrainingConfig)[]);

/** Refuses to continue with other settings. Runs before any event is read. */
export function checkSameSettings(
  { model: { config } }: Checkpoint,
  now: TrainingConfig,
  modelPath: string,
): void {
  const differing = (Object.keys(now) as (keyof TrainingConfig)[]).filter(
    (key) => !BUDGET.has(key) && now[key] !== config[key],
  );
  if (differing.length > 0) throw differs(`other settings: ${differing.join(', ')}`, modelPath);
}

/** The conditions under which a resumed run ends with the weights of an uninterrupted one. */
export type ResumeConditions = Pick<TrainingManifest, 'selection' | 'data' | 'inParts' | 'device'> & {
  /** The total number of steps. */
  readonly steps: number;
};

/** Refuses to continue under other conditions. */
export function checkResumable(
  { model: { training }, trainer }: Checkpoint,
  now: ResumeConditions,
  modelPath: string,
): void {
  const keys = Object.keys(now.selection) as (keyof TrainingManifest['selection'])[];
  const selected = keys.filter((key) => training.selection[key] !== now.selection[key]);
  if (selected.length > 0) {
    const hint = 'use the same --split, --host, --from and --to, and the same calibration options';
    throw differs(`another selection of events: ${selected.join(', ')}`, modelPath, hint);
  }
  if (training.data !== now.data) throw differs('other events or entity names', modelPath);
  const before = `${training.device.kind} ${training.device.build}`;
  const after = `${now.device.kind} ${now.device.build}`;
  if (before !== after) throw differs(`the device ${before}, but this run uses ${after}`, modelPath);
  if (training.inParts?.bounds !== now.inParts?.bounds) {
    const division = (blocks: TrainingManifest['inParts']) =>
      blocks === undefined ? 'undivided graphs' : `${blocks.graphs} graphs in ${blocks.parts} parts`;
    const hint = 'use the same --memory, or leave out --resume to start from the beginning';
    throw differs(
      `${division(training.inParts)}, but this run uses ${division(now.inParts)}`,
      modelPath,
      hint,
    );
  }
  if (trainer.steps > now.steps) {
    throw new RecalError(
      'resume-beyond',
      `the checkpoint is at step ${trainer.steps}, beyond the ${now.steps} requested`,
      {
        hint: 'raise --epochs or the setting steps, or leave out --resume to start from the beginning',
        where: { file: checkpointPath(modelPath) },
      },
    );
  }
}

function differs(
  what: string,
  modelPath: string,
  hint = 'use the same settings and events, or leave out --resume to start from the beginning',
): RecalError {
  return new RecalError('resume-differs', `the checkpoint was made with ${what}`, {
    hint,
    where: { file: checkpointPath(modelPath) },
  });
}
