import { open, stat } from 'node:fs/promises';
import { z } from 'zod';
import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { MAX_TOKEN_LENGTH } from '../../features/tokens.js';
import { Vocabulary } from '../../features/vocabulary.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { layOutParameters, type ParameterLayout, type Weight } from '../parameters.js';
import { modelConfigOf, trainingConfigSchema } from '../training/training-config.js';
import { trainingManifestSchema } from '../training/training-manifest.js';
import { checkSignature } from './signature.js';
import { TensorFile, writeTensorFile } from './tensor-file.js';
import { MODEL_FILE, refused, type Tensor, type TensorData, type TensorPlace } from './tensor-header.js';
import { makeFeatureSpace, modelId, type TrainedModel } from './trained-model.js';

/** A model has (|R|+1)² columns and |R| decoders, so the memory of the device is the tighter limit. */
export const MAX_RELATIONS = 512;

const WEIGHTS = 'weights.';
const DETECTOR = 'detector.';
const TEXT = {
  vectors: 'text.vectors',
  counts: 'text.counts',
  ends: 'text.ends',
  bytes: 'text.bytes',
} as const;

const relationSchema = z.strictObject({
  name: z.string().min(1).max(1024),
  frequency: z.int().nonnegative(),
});

const modelMetaSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  config: trainingConfigSchema,
  relations: z.array(relationSchema).max(MAX_RELATIONS),
  /** The columns of t_v. */
  entityTypes: z
    .array(z.enum(ENTITY_TYPES))
    .refine((types) => types.join() === ENTITY_TYPES.join(), 'unknown entity types'),
  direction: z.strictObject({
    name: z.enum(['flow', 'magic', 'none']),
    match: z.enum(['name', 'substring']),
    reversed: z.array(z.string().max(1024)).max(4096),
    honoursFlow: z.boolean(),
  }),
  training: trainingManifestSchema,
  /** The data of calibration, or null. src/detect checks it. It is not part of the id. */
  detector: z.unknown(),
});

type ModelMeta = z.output<typeof modelMetaSchema>;

/** The data of calibration in a model file: calibration tables and the kNN reference. */
export interface DetectorPart {
  /** JSON. The reader checks it. */
  readonly meta: unknown;
  readonly tensors: readonly Tensor[];
}

export interface StoredModel extends TrainedModel {
  readonly detector: DetectorPart | undefined;
}

/** Writes a model atomically. Returns the SHA-256 of the file. */
export function writeModelFile(path: string, model: TrainedModel, detector?: DetectorPart): Promise<string> {
  const { meta, tensors } = encodeModel(model, detector);
  return writeTensorFile(path, MODEL_FILE, meta, tensors);
}

/** True if the path holds something other than a model. An empty file or a damaged model may be replaced. */
export async function isForeignFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return false;
  if (!found.isFile()) return true; // opening a pipe would block until a writer appears
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    return bytesRead > 0 && !buffer.toString('latin1', 0, bytesRead).includes(`"${MODEL_FILE.format}"`);
  } finally {
    await file.close();
  }
}

/** Reads a model. Checks the header before it allocates memory for tensors. With `trust`, a public key, it must be signed. */
export async function readModelFile(path: string, trust?: string | undefined): Promise<StoredModel> {
  const file = await TensorFile.open(path, MODEL_FILE);
  try {
    // Reading compares the content with the checksum, which the signature covers.
    if (trust !== undefined) await checkSignature(path, file.sha256, trust);
    const meta = checkModelMeta(file.meta, file.places, path);
    return decodeModel(meta, await file.read(), path);
  } finally {
    await file.close();
  }
}

/** Encodes a model as metadata and tensors. */
export function encodeModel(
  model: TrainedModel,
  detector?: DetectorPart,
): { meta: object; tensors: Tensor[] } {
  const { id, config, relations, direction, training, space, weights } = model;
  const { vocabulary, vectors, dimension } = space.parts;
  const bytes = vocabulary.tokens.map((token) => Buffer.from(token, 'utf8'));
  let end = 0;
  const ends = Uint32Array.from(bytes, ({ length }) => {
    end += length;
    return end;
  });
  const tensor = (name: string, data: TensorData, shape: readonly number[] = [data.length]) => ({
    name,
    shape,
    data,
  });
  return {
    meta: {
      id,
      config,
      relations,
      entityTypes: ENTITY_TYPES,
      direction,
      training,
      detector: detector?.meta ?? null,
    },
    tensors: [
      ...weights.map(({ name, shape, data }) => tensor(WEIGHTS + name, data, shape)),
      tensor(TEXT.vectors, vectors, [vocabulary.size, dimension]),
      tensor(TEXT.counts, vocabulary.counts),
      tensor(TEXT.ends, ends),
      tensor(TEXT.bytes, new Uint8Array(Buffer.concat(bytes))),
      ...(detector?.tensors ?? []).map(({ name, data, shape }) => tensor(DETECTOR + name, data, shape)),
    ],
  };
}

/** Checks the metadata of a model and that its tensors have the names and shapes that follow from them. */
export function checkModelMeta(meta: unknown, places: readonly TensorPlace[], path: string): ModelMeta {
  const parsed = modelMetaSchema.safeParse(meta);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refused(path, `${issue.path.map(String).join('.').slice(0, 128)}: ${issue.message}`);
  }
  const { relations, config, detector } = parsed.data;
  if (new Set(relations.map(({ name }) => name)).size !== relations.length) {
    throw refused(path, 'a relation occurs twice');
  }
  const shapes = new Map(places.map((place) => [place.name, place]));
  const size = shapes.get(TEXT.counts)?.shape[0] ?? 0;
  const expect = (name: string, dtype: string, shape?: readonly number[]) => {
    const place = shapes.get(name);
    const fits =
      place?.dtype === dtype &&
      place.shape.length === (shape?.length ?? 1) &&
      (shape === undefined || shape.every((side, i) => side === place.shape[i]));
    if (!fits) throw refused(path, `${name} is missing or has the wrong shape`);
    shapes.delete(name);
  };
  if (config.encoder === 'rgat' && shapes.has(`${WEIGHTS}layer0.w`)) {
    // Its queries used one matrix for all relations.
    throw new RecalError('model-version', `${printable(path)} has an earlier form of the encoder rgat`, {
      hint: 'train the model again, or use the version of recal that wrote it',
      where: { file: path },
    });
  }
  expect(TEXT.counts, 'U32', [size]);
  expect(TEXT.vectors, 'F32', [size, config.textDimension]);
  expect(TEXT.ends, 'U32', [size]);
  expect(TEXT.bytes, 'U8');
  // A forged file must not cause a larger allocation than its configuration needs.
  for (const { name, shape } of parametersOf(parsed.data).parameters) expect(WEIGHTS + name, 'F32', shape);
  for (const name of shapes.keys()) {
    if (!name.startsWith(DETECTOR) || detector === null) {
      throw refused(path, `unknown tensor ${name.slice(0, 64)}`);
    }
  }
  checkTraining(parsed.data, path);
  return parsed.data;
}

/** Checks that the training manifest is consistent. */
function checkTraining({ training, config, relations }: ModelMeta, path: string): void {
  const { losses, firstTs, lastTs, epochs } = training;
  if (losses.length > 0 && losses.length !== (config.balanced ? relations.length : 1)) {
    throw refused(path, 'the number of losses differs from the number of decoders');
  }
  if (BigInt(firstTs) > BigInt(lastTs)) throw refused(path, 'the training period ends before it begins');
  if (epochs.done > epochs.asked) throw refused(path, 'more epochs are done than were requested');
}

/** The parameters that follow from a configuration. */
export function parametersOf({
  config,
  relations,
}: Pick<TrainedModel, 'config' | 'relations'>): ParameterLayout {
  const columns = ENTITY_TYPES.length + config.textDimension + (relations.length + 1) ** 2;
  return layOutParameters(modelConfigOf(config, relations.length, columns));
}

/** Decodes a model from checked metadata and tensors. */
export function decodeModel(
  meta: ModelMeta,
  tensors: ReadonlyMap<string, Tensor>,
  path: string,
): StoredModel {
  const { id, config, relations, direction, training } = meta;
  const data = <T extends TensorData>(name: string) => (tensors.get(name) as Tensor).data as T;
  const vocabulary = decodeVocabulary(data(TEXT.bytes), data(TEXT.ends), data(TEXT.counts), path);
  const space = makeFeatureSpace(config, relations, vocabulary, data(TEXT.vectors));
  const weights: Weight[] = [];
  const detectorTensors: Tensor[] = [];
  for (const { name, shape, data } of tensors.values()) {
    if (name.startsWith(WEIGHTS)) {
      weights.push({ name: name.slice(WEIGHTS.length), shape, data: data as Float32Array });
    } else if (name.startsWith(DETECTOR))
      detectorTensors.push({ name: name.slice(DETECTOR.length), shape, data });
  }
  const model = { config, relations, direction, training, space, weights };
  if (modelId(model) !== id) throw refused(path, 'the id does not match the weights and vocabularies');
  return {
    id,
    ...model,
    detector: meta.detector === null ? undefined : { meta: meta.detector, tensors: detectorTensors },
  };
}

function decodeVocabulary(
  bytes: Uint8Array,
  ends: Uint32Array,
  counts: Uint32Array,
  path: string,
): Vocabulary {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let start = 0;
  try {
    const tokens = Array.from(ends, (end) => {
      // A token has at most 64 UTF-16 units of at most three bytes each.
      if (end <= start || end > bytes.length || end - start > 3 * MAX_TOKEN_LENGTH)
        throw new RangeError('length');
      const token = decoder.decode(bytes.subarray(start, end));
      start = end;
      return token;
    });
    if (start !== bytes.length) throw new RangeError('length');
    return new Vocabulary(tokens, counts);
  } catch {
    throw refused(path, 'the vocabulary is damaged');
  }
}
