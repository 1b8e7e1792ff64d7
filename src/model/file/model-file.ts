import { open, stat } from 'node:fs/promises';
import { z } from 'zod';
import { MAX_TOKEN_LENGTH } from '../../features/tokens.js';
import { Vocabulary } from '../../features/vocabulary.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { layOutParameters, type ParameterLayout, type Weight } from '../parameters.js';
import { modelConfigOf, trainingConfigSchema } from '../training/training-config.js';
import { trainingManifestSchema } from '../training/training-manifest.js';
import { TensorFile, writeTensorFile } from './tensor-file.js';
import { refused, type Tensor, type TensorData, type TensorPlace } from './tensor-header.js';
import { makeFeatureSpace, modelId, type TrainedModel } from './trained-model.js';

/** Raised whenever a file written by this program could not be read by the one before it. */
export const MODEL_FILE = { format: 'recal-model', version: 1 } as const;

/** (|R|+1)² columns and |R| decoders: far more than the device has memory for, which is what really bounds them. */
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
  /** The columns of t_v; another list would be another recal's. */
  entityTypes: z
    .array(z.enum(ENTITY_TYPES))
    .refine((types) => types.join() === ENTITY_TYPES.join(), 'not the entity types of this recal'),
  direction: z.strictObject({
    name: z.enum(['flow', 'magic', 'none']),
    match: z.enum(['name', 'substring']),
    reversed: z.array(z.string().max(1024)).max(4096),
    honoursFlow: z.boolean(),
  }),
  training: trainingManifestSchema,
  /** What detection adds, or null: its own room checks it. Not part of the id. */
  detector: z.unknown(),
});

type ModelMeta = z.output<typeof modelMetaSchema>;

/** What detection keeps in a model file: calibration tables, the kNN reference. */
export interface DetectorPart {
  /** JSON, checked by whoever reads it. */
  readonly meta: unknown;
  readonly tensors: readonly Tensor[];
}

export interface StoredModel extends TrainedModel {
  readonly detector: DetectorPart | undefined;
}

/** Writes a model, in place of the old one as a whole. Gives the file's SHA-256. */
export function writeModelFile(path: string, model: TrainedModel, detector?: DetectorPart): Promise<string> {
  const { meta, tensors } = encodeModel(model, detector);
  return writeTensorFile(path, MODEL_FILE, meta, tensors);
}

/** Whether there is a file that no model ever was: one that is empty, or a model that is damaged, may be replaced. */
export async function isForeignFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return false;
  if (!found.isFile()) return true; // opening a pipe would wait for somebody to write to it
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    return bytesRead > 0 && !buffer.toString('latin1', 0, bytesRead).includes(`"${MODEL_FILE.format}"`);
  } finally {
    await file.close();
  }
}

/** Reads a model. Whatever is wrong with the file is found before memory is taken for its tensors. */
export async function readModelFile(path: string): Promise<StoredModel> {
  const file = await TensorFile.open(path, MODEL_FILE);
  try {
    const meta = checkModelMeta(file.meta, file.places, path);
    return decodeModel(meta, await file.read(), path);
  } finally {
    await file.close();
  }
}

/** A model as the two parts of a tensor file. */
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

/** The description of a model, if the tensors that go with it are all there and as large as it makes them. */
export function checkModelMeta(meta: unknown, places: readonly TensorPlace[], path: string): ModelMeta {
  const parsed = modelMetaSchema.safeParse(meta);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refused(path, `${issue.path.map(String).join('.').slice(0, 128)}: ${issue.message}`);
  }
  const { relations, config, detector } = parsed.data;
  if (new Set(relations.map(({ name }) => name)).size !== relations.length) {
    throw refused(path, 'it names a relation twice');
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
  expect(TEXT.counts, 'U32', [size]);
  expect(TEXT.vectors, 'F32', [size, config.textDimension]);
  expect(TEXT.ends, 'U32', [size]);
  expect(TEXT.bytes, 'U8');
  // Neither this program nor the core can be led to allocate more than a model of this configuration has.
  for (const { name, shape } of parametersOf(parsed.data).parameters) expect(WEIGHTS + name, 'F32', shape);
  for (const name of shapes.keys()) {
    if (!name.startsWith(DETECTOR) || detector === null) {
      throw refused(path, `nobody knows its tensor ${name.slice(0, 64)}`);
    }
  }
  checkStory(parsed.data, path);
  return parsed.data;
}

/** What a file says of its training must be possible. */
function checkStory({ training, config, relations }: ModelMeta, path: string): void {
  const { losses, firstTs, lastTs, epochs } = training;
  if (losses.length > 0 && losses.length !== (config.balanced ? relations.length : 1)) {
    throw refused(path, 'it has another number of losses than of decoders');
  }
  if (BigInt(firstTs) > BigInt(lastTs)) throw refused(path, 'its training ends before it begins');
  if (epochs.done > epochs.asked) throw refused(path, 'it has seen more epochs than it was asked to');
}

/** The parameters of a model of this configuration. */
export function parametersOf({
  config,
  relations,
}: Pick<TrainedModel, 'config' | 'relations'>): ParameterLayout {
  const columns = ENTITY_TYPES.length + config.textDimension + (relations.length + 1) ** 2;
  return layOutParameters(modelConfigOf(config, relations.length, columns));
}

/** The model of a checked description and its tensors. */
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
  const own: Tensor[] = [];
  for (const { name, shape, data } of tensors.values()) {
    if (name.startsWith(WEIGHTS)) {
      weights.push({ name: name.slice(WEIGHTS.length), shape, data: data as Float32Array });
    } else if (name.startsWith(DETECTOR)) own.push({ name: name.slice(DETECTOR.length), shape, data });
  }
  const model = { config, relations, direction, training, space, weights };
  if (modelId(model) !== id) throw refused(path, 'its id is not that of its weights and vocabularies');
  return {
    id,
    ...model,
    detector: meta.detector === null ? undefined : { meta: meta.detector, tensors: own },
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
      // A token is at most 64 UTF-16 units, each at most three bytes.
      if (end <= start || end > bytes.length || end - start > 3 * MAX_TOKEN_LENGTH)
        throw new RangeError('length');
      const token = decoder.decode(bytes.subarray(start, end));
      start = end;
      return token;
    });
    if (start !== bytes.length) throw new RangeError('length');
    return new Vocabulary(tokens, counts);
  } catch {
    throw refused(path, 'its vocabulary is damaged');
  }
}
