import { createHash } from 'node:crypto';
import { FeatureSpace } from '../../features/feature-space.js';
import type { Vocabulary } from '../../features/vocabulary.js';
import type { DirectionTable } from '../../graph/direction.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { Weight } from '../parameters.js';
import { decayOf, type TrainingConfig } from '../training/training-config.js';
import type { TrainingManifest } from '../training/training-manifest.js';

/** A relation of the training, and f_r: its number of raw events with an edge. */
export interface KnownRelation {
  readonly name: string;
  readonly frequency: number;
}

/** The result of training: everything needed to build and encode the graphs of any log in the same way. */
export interface TrainedModel {
  /** Hash of weights and vocabularies. Calibration does not change it. */
  readonly id: string;
  readonly config: TrainingConfig;
  readonly relations: readonly KnownRelation[];
  readonly direction: DirectionTable;
  readonly space: FeatureSpace;
  readonly weights: readonly Weight[];
  readonly training: TrainingManifest;
}

/** The feature space of a configuration, relations and word vectors. */
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

/** The id depends only on weights and vocabularies, not on the machine or on calibration. */
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
