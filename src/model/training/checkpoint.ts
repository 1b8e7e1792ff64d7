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

/** A model half trained, with what Adam remembers: everything to go on and end with the same weights. */
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
  /** Of Adam. */
  steps: count,
  trainer: z.strictObject({ steps: count, sums: column, counts: column, masked: count, nodes: count }),
});

/** Where the checkpoint of a model file lies: beside it. */
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
    if (!parsed.success) throw refused(path, 'its description is not that of a checkpoint');
    const own = new Set<string>(Object.values(MOMENTS));
    const rest = file.places.filter(({ name }) => !own.has(name));
    const meta = checkModelMeta(parsed.data.model, rest, path);
    const { steps, trainer } = parsed.data;
    const decoders = meta.config.balanced ? meta.relations.length : 1;
    const isWhole =
      steps === trainer.steps &&
      trainer.sums.length === trainer.counts.length &&
      (trainer.sums.length === 0 || trainer.sums.length === decoders);
    if (!isWhole) throw refused(path, 'what it says of the steps taken does not fit together');
    const { length } = parametersOf(meta);
    for (const name of own) {
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

/** The model is done: its checkpoint would only invite going on from it by mistake. */
export async function removeCheckpoint(modelPath: string): Promise<void> {
  await rm(checkpointPath(modelPath), { force: true });
}

/** Refuses to go on with other choices, before anything is read: neither run's weights would come out. */
export function checkSameChoices(
  { model: { config } }: Checkpoint,
  now: TrainingConfig,
  modelPath: string,
): void {
  const differing = (Object.keys(now) as (keyof TrainingConfig)[]).filter(
    (key) => key !== 'epochs' && now[key] !== config[key], // more epochs are more of the same
  );
  if (differing.length > 0) throw differs(`other choices: ${differing.join(', ')}`, modelPath);
}

/** What must be the same too for a resumed run to end with the weights of an uninterrupted one. */
export type ResumeConditions = Pick<TrainingManifest, 'selection' | 'data' | 'inParts' | 'device'> & {
  /** To take in all. */
  readonly steps: number;
};

/** Refuses to go on under other conditions. */
export function checkResumable(
  { model: { training }, trainer }: Checkpoint,
  now: ResumeConditions,
  modelPath: string,
): void {
  const keys = Object.keys(now.selection) as (keyof TrainingManifest['selection'])[];
  const selected = keys.filter((key) => training.selection[key] !== now.selection[key]);
  if (selected.length > 0) {
    const hint = 'name the same with --split, --host, --from, --to, and calibrate on the same';
    throw differs(`another selection of events: ${selected.join(', ')}`, modelPath, hint);
  }
  if (training.data !== now.data) throw differs('other events or names', modelPath);
  const before = `${training.device.kind} ${training.device.build}`;
  const after = `${now.device.kind} ${now.device.build}`;
  if (before !== after) throw differs(`device ${before}, and this is ${after}`, modelPath);
  if (training.inParts?.bounds !== now.inParts?.bounds) {
    const cut = (parts: TrainingManifest['inParts']) =>
      parts === undefined ? 'graphs as a whole' : `${parts.graphs} graphs in ${parts.parts} parts`;
    const hint = 'give --memory what it was given then, or leave --resume out to begin anew';
    throw differs(`${cut(training.inParts)}, and this is ${cut(now.inParts)}`, modelPath, hint);
  }
  if (trainer.steps > now.steps) {
    throw new RecalError(
      'resume-beyond',
      `the checkpoint has taken ${trainer.steps} steps already, and ${now.steps} are asked for`,
      {
        hint: 'ask for as many epochs with --epochs or more, or leave --resume out to begin anew',
        where: { file: checkpointPath(modelPath) },
      },
    );
  }
}

function differs(
  what: string,
  modelPath: string,
  hint = 'go on with the same, or leave --resume out to begin anew',
): RecalError {
  return new RecalError('resume-differs', `the checkpoint was made with ${what}`, {
    hint,
    where: { file: checkpointPath(modelPath) },
  });
}
