import { learnNodeText } from '../../features/node-text.js';
import type { Vocabulary } from '../../features/vocabulary.js';
import { trainWord2Vec } from '../../features/word2vec.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { LoadedSplit } from '../protocol/splits.js';
import { wordWeights } from './word-weights.js';

export interface NameVectorOptions {
  readonly dimension: number;
  readonly epochs: number;
  /** How much less each word of a name weighs than the word before, as a share of the mean weight. */
  readonly decline: number;
  readonly seed: number;
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** Word vectors of the names in training, and the vectors of whole names: a weighted mean of length one. */
export class NameVectors {
  readonly #vocabulary: Vocabulary;
  readonly #vectors: Float32Array;
  readonly #dimension: number;
  readonly #decline: number;

  private constructor(
    vocabulary: Vocabulary,
    vectors: Float32Array,
    { dimension, decline }: NameVectorOptions,
  ) {
    this.#vocabulary = vocabulary;
    this.#vectors = vectors;
    this.#dimension = dimension;
    this.#decline = decline;
  }

  static async learn({ store, events }: LoadedSplit, options: NameVectorOptions): Promise<NameVectors> {
    const { dimension, epochs, seed, onProgress } = options;
    const { text, vocabulary } = await learnNodeText(store, events);
    const settings = { dimension, epochs, seed, window: 5, negatives: 5, rate: 0.025, onProgress };
    const vectors = await trainWord2Vec(text.sentences, vocabulary.size, settings);
    return new NameVectors(vocabulary, vectors, options);
  }

  /** By node of a split: the vector of its name, then its type as one of `ENTITY_TYPES`. */
  async featuresOf(split: LoadedSplit): Promise<Float32Array> {
    const text = await split.text(this.#vocabulary);
    const width = this.#dimension + ENTITY_TYPES.length;
    const nodes = split.events.keys.size;
    const features = new Float32Array(nodes * width);
    for (let node = 0; node < nodes; node++) {
      const row = features.subarray(node * width, (node + 1) * width);
      this.#embed(text.tokensOf(node), row);
      row[this.#dimension + text.typeOf(node)] = 1;
    }
    return features;
  }

  #embed(tokens: Uint32Array, row: Float32Array): void {
    const weights = wordWeights(tokens.length, this.#decline);
    let square = 0;
    for (let k = 0; k < this.#dimension; k++) {
      let sum = 0;
      for (let i = 0; i < tokens.length; i++)
        sum += weights[i] * this.#vectors[tokens[i] * this.#dimension + k];
      row[k] = sum;
      square += sum * sum;
    }
    if (square === 0) return;
    for (let k = 0; k < this.#dimension; k++) row[k] /= Math.sqrt(square);
  }
}
