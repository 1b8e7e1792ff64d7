import { Random } from '../../src/base/random.js';
import { UNKNOWN, Vocabulary } from '../../src/features/vocabulary.js';
import { DIRECTIONS } from '../../src/graph/direction.js';
import { makeFeatureSpace, modelId, type TrainedModel } from '../../src/model/file/trained-model.js';
import { layOutParameters, splitWeights, startParameters } from '../../src/model/parameters.js';
import { modelConfigOf, resolveTrainingConfig } from '../../src/model/training/training-config.js';

const SHA = 'a'.repeat(64);

/** An untrained model with its initial weights and hostile names. */
export function smallModel(seed = 0): TrainedModel {
  const config = resolveTrainingConfig({ textDimension: 4, seed });
  const relations = [
    { name: 'EVENT_READ', frequency: 120 },
    { name: 'EVENT_\u001b[2J', frequency: 3 },
  ];
  const random = new Random(seed);
  const numbers = (length: number) => Float32Array.from({ length }, () => random.float() - 0.5);
  const tokens = [UNKNOWN, 'usr', 'naïve\n', '\u{1f600}', '__proto__'];
  const vocabulary = new Vocabulary(tokens, Uint32Array.of(1, 4, 2, 2, 2));
  const space = makeFeatureSpace(config, relations, vocabulary, numbers(tokens.length * 4));
  const layout = layOutParameters(modelConfigOf(config, relations.length, space.width));
  const weights = splitWeights(layout, startParameters(layout, seed));
  const parts = { config, relations, direction: DIRECTIONS.flow, space, weights };
  return {
    id: modelId(parts),
    ...parts,
    training: {
      selection: { split: 'train', host: null, from: null, to: '1522972800000000000' },
      hosts: ['h\u202e'],
      files: [{ name: 'a.json.gz', sha256: SHA, split: 'train' }],
      firstTs: '1522972800000000000',
      lastTs: '1522972900000000001',
      events: 123,
      entities: 45,
      graphs: 2,
      nodes: 50,
      neighbours: 99,
      data: SHA,
      device: { kind: 'reference', build: 'float64' },
      steps: 4,
      epochs: { asked: 200, done: 2 },
      loss: 1.25,
      losses: [0.5, null],
      masked: 0.4,
    },
  };
}
