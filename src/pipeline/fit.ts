import { RecalError } from '../base/errors.js';
import type { DetectionConfig } from '../detect/detection-config.js';
import { Detector } from '../detect/detector.js';
import { SplitGraphs } from '../detect/split-graphs.js';
import type { TrainedModel } from '../model/file/trained-model.js';
import { digestData } from '../model/training/training-data.js';
import type { Selection, Store } from '../store/store.js';

export interface FitModelOptions {
  readonly store: Store;
  readonly config: DetectionConfig;
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number) => void) | undefined;
}

/** Fits a detector to the events its model was trained on. The caller closes it. */
export async function fitModel(
  model: TrainedModel,
  train: Selection,
  { store, config, ...options }: FitModelOptions,
): Promise<Detector> {
  const training = await SplitGraphs.open(store, train, model);
  return fitTo(model, training, config, options);
}

/** Fits a detector to a model that was trained earlier, after checking that the store still holds its training data. */
export async function refitModel(
  model: TrainedModel,
  { store, config, ...options }: FitModelOptions,
): Promise<Detector> {
  const { selection, data } = model.training;
  const time = (text: string | null) => (text === null ? undefined : BigInt(text));
  const train = {
    split: selection.split ?? undefined,
    host: selection.host ?? undefined,
    from: time(selection.from),
    to: time(selection.to),
  };
  const training = await SplitGraphs.open(store, train, model).catch((error: unknown) => {
    throw error instanceof RecalError && error.code === 'no-split' ? missingTrainingData(error) : error;
  });
  if (digestData(training.events, training.text) !== data) throw missingTrainingData();
  return fitTo(model, training, config, options);
}

function fitTo(
  model: TrainedModel,
  training: SplitGraphs,
  { reference, evidence, unit }: DetectionConfig,
  options: Omit<FitModelOptions, 'store' | 'config'>,
): Promise<Detector> {
  return Detector.fit(model, training, { reference, evidence, unit, ...options });
}

function missingTrainingData(cause?: unknown): RecalError {
  return new RecalError(
    'store-other-data',
    'calibrating this model needs the events it was trained on, which this store does not contain',
    { hint: 'set --store to the store it was trained on, or train again', cause },
  );
}
