import { createHash } from 'node:crypto';
import { FeatureSpace } from '../../features/feature-space.js';
import type { Vocabulary } from '../../features/vocabulary.js';
import type { DirectionTable } from '../../graph/direction.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { Weight } from '../parameters.js';
import { decayOf, type TrainingConfig } from '../training/training-config.js';
import type { TrainingManifest } from '../training/training-manifest.js';

/** A relation of training and f_r, its raw events that make an edge; 0 where none has an object. */
export interface KnownRelation {
  readonly name: string;
  readonly frequency: number;
}

/** What training gives, whole: with it any log's graphs are built, described and encoded as training did. */
export interface TrainedModel {
  /** Hash of weights and vocabularies; what is calibrated later does not change it. */
  readonly id: string;
  readonly config: TrainingConfig;
  readonly relations: readonly KnownRelation[];
  readonly direction: DirectionTable;
  readonly space: FeatureSpace;
  readonly weights: readonly Weight[];
  readonly training: TrainingManifest;
}

/** The feature space that a configuration, relations and word vectors make. */
export function makeFeatureSpace(
  config: TrainingConfig,
  relations: readonly KnownRelation[],
  vocabulary: Vocabulary,
  vectors: Float32Array,
): FeatureSpace {
  return new FeatureSpace({
    relations: relations.map(({ name }) => name),
    vocabulary,
    vectors,
    dimension: config.textDimension,
    history: config.history,
    decay: decayOf(config),
    input: config.inputBlocks,
    target: config.targetBlocks,
  });
}

/** The same weights and vocabularies, wherever they were trained and however they were calibrated, have one id. */
export function modelId(parts: Pick<TrainedModel, 'relations' | 'direction' | 'space' | 'weights'>): string {
  const { vocabulary, vectors } = parts.space.parts;
  const hash = createHash('sha256');
  const vocabularies = [ENTITY_TYPES, parts.relations.map(({ name }) => name), parts.direction];
  hash.update(JSON.stringify([...vocabularies, vocabulary.tokens]));
  hash.update(bytesOf(vectors));
  for (const { name, shape, data } of parts.weights) {
    hash.update(JSON.stringify([name, shape]));
    hash.update(bytesOf(data));
  }
  return hash.digest('hex');
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
