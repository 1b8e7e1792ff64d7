import { maskRates } from '../training/masking.js';
import { maskConfigOf } from '../training/training-config.js';
import { checkModelMeta, decodeModel } from './model-file.js';
import { TensorFile } from './tensor-file.js';
import { MODEL_FILE, type TensorPlace } from './tensor-header.js';
import type { TrainedModel } from './trained-model.js';

/** The number of tokens to show: a vocabulary may have a million. */
const SHOWN_TOKENS = 12;

/** The content of a model file without its tensors. */
export interface ModelDescription extends Pick<TrainedModel, 'id' | 'config' | 'direction' | 'training'> {
  readonly version: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly relations: readonly {
    readonly name: string;
    readonly frequency: number;
    /** p_r; null if the relation is not masked. */
    readonly maskRate: number | null;
    readonly loss: number | null;
  }[];
  readonly entityTypes: readonly string[];
  /** D */
  readonly features: number;
  readonly text: {
    readonly tokens: number;
    readonly frequent: readonly { readonly token: string; readonly entities: number }[];
  };
  readonly tensors: readonly TensorPlace[];
  /** True if the file contains the tables of calibration. */
  readonly calibrated: boolean;
}

/** Checks a whole model file, including its checksum, and describes its content. */
export async function describeModelFile(path: string): Promise<ModelDescription> {
  const file = await TensorFile.open(path, MODEL_FILE);
  try {
    const meta = checkModelMeta(file.meta, file.places, path);
    const { config, training, space, direction, id } = decodeModel(meta, await file.read(), path);
    const { vocabulary } = space.parts;
    const rates = maskRates(
      meta.relations.map(({ frequency }) => frequency),
      maskConfigOf(config),
    );
    return {
      id,
      version: MODEL_FILE.version,
      bytes: file.size,
      sha256: file.sha256,
      config,
      direction,
      training,
      relations: meta.relations.map(({ name, frequency }, r) => ({
        name,
        frequency,
        maskRate: config.balanced && frequency > 0 ? rates[r] : null,
        // A single shared decoder has no loss per relation.
        loss: config.balanced ? (training.losses[r] ?? null) : null,
      })),
      entityTypes: meta.entityTypes,
      features: space.width,
      text: {
        tokens: vocabulary.size,
        frequent: vocabulary.tokens.slice(1, 1 + SHOWN_TOKENS).map((token, i) => ({
          token,
          entities: vocabulary.counts[i + 1],
        })),
      },
      tensors: file.places,
      calibrated: meta.detector !== null,
    };
  } finally {
    await file.close();
  }
}
