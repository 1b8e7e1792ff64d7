import { Random } from '../base/random.js';
import type { Sentences } from './sentences.js';

export interface Word2VecOptions {
  /** d, the width of a vector. */
  readonly dimension: number;
  /** Tokens to either side that count as near. */
  readonly window: number;
  readonly negatives: number;
  readonly epochs: number;
  /** Falls linearly to (almost) nothing. */
  readonly rate: number;
  readonly seed: number;
  /** Called now and then with the share of the work that is done; may throw to stop. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** Method §2; d, window, negatives, epochs and rate are those of every comparable system. */
export const WORD2VEC_DEFAULTS = { dimension: 32, window: 5, negatives: 5, epochs: 30, rate: 0.025 } as const;

/** Tokens between two calls of `onProgress`, with a turn of the event loop in between. */
const BREATH = 1 << 16;
/** The rate never falls below this share of its start, as in the original program. */
const LAST_RATE = 1e-4;

/**
 * Word2Vec: skip-gram with negative sampling (Mikolov et al. 2013), without subsampling. One vector a token, row by
 * row. The same input and seed give the same bytes: one thread, a fixed order, and no function whose last bit depends
 * on the machine (sqrt is exact everywhere; the sigmoid comes from a table of few digits).
 */
export async function trainWord2Vec(
  sentences: Sentences,
  vocabularySize: number,
  options: Word2VecOptions,
): Promise<Float32Array> {
  const trainer = new SkipGram(sentences, vocabularySize, options);
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    for (let from = 0; from < trainer.sentenceCount; ) {
      from = trainer.run(from, BREATH);
      options.onProgress?.(trainer.done);
      await new Promise((resolve) => setImmediate(resolve)); // Ctrl-C arrives between two breaths
    }
  }
  return trainer.vectors();
}

class SkipGram {
  readonly #sentences: Sentences;
  readonly #options: Word2VecOptions;
  readonly #random: Random;
  readonly #sampler: TokenSampler;
  // Doubles, although vectors end as floats: JavaScript computes in doubles, and converting costs more than memory.
  readonly #input: Float64Array;
  readonly #output: Float64Array;
  readonly #error: Float64Array;
  /** Numbers a row: the dimension, padded to a multiple of four with zeros, which stay zero. */
  readonly #stride: number;
  readonly #work: number;
  #seen = 0;

  constructor(sentences: Sentences, vocabularySize: number, options: Word2VecOptions) {
    const { dimension } = options;
    this.#sentences = sentences;
    this.#options = options;
    this.#random = new Random(options.seed).stream('word2vec');
    this.#sampler = new TokenSampler(sentences.tokens, vocabularySize);
    this.#stride = Math.ceil(dimension / 4) * 4;
    this.#input = new Float64Array(vocabularySize * this.#stride);
    this.#output = new Float64Array(vocabularySize * this.#stride);
    this.#error = new Float64Array(this.#stride);
    this.#work = sentences.tokens.length * options.epochs;
    const start = this.#random.stream('start');
    for (let row = 0; row < this.#input.length; row += this.#stride) {
      for (let k = 0; k < dimension; k++) this.#input[row + k] = (start.float() - 0.5) / dimension;
    }
  }

  get sentenceCount(): number {
    return this.#sentences.offsets.length - 1;
  }

  get done(): number {
    return this.#work === 0 ? 1 : this.#seen / this.#work;
  }

  vectors(): Float32Array {
    const { dimension } = this.#options;
    const rows = this.#input.length / this.#stride;
    const vectors = new Float32Array(rows * dimension);
    for (let row = 0; row < rows; row++) {
      vectors.set(this.#input.subarray(row * this.#stride, row * this.#stride + dimension), row * dimension);
    }
    return vectors;
  }

  /** Trains on sentences from this one on, until enough tokens are seen. Gives the sentence to go on with. */
  run(from: number, tokens: number): number {
    const { offsets, tokens: words } = this.#sentences;
    const { window, rate } = this.#options;
    const enough = this.#seen + tokens;
    let sentence = from;
    for (; sentence < this.sentenceCount && this.#seen < enough; sentence++) {
      const start = offsets[sentence];
      const end = offsets[sentence + 1];
      const step = rate * Math.max(LAST_RATE, 1 - this.done);
      for (let centre = start; centre < end; centre++) {
        const last = Math.min(end - 1, centre + window);
        for (let near = Math.max(start, centre - window); near <= last; near++) {
          if (near !== centre) this.#learn(words[centre], words[near], step);
        }
      }
      this.#seen += end - start;
    }
    return sentence;
  }

  /** One pair: the token that was near is made likelier given the centre, a few drawn ones less likely. */
  #learn(centre: number, near: number, rate: number): void {
    const { negatives } = this.#options;
    const d = this.#stride;
    const input = this.#input;
    const error = this.#error.fill(0);
    const a = centre * d;
    pull(input, a, this.#output, near * d, error, 1, rate);
    for (let draw = 0; draw < negatives; draw++) {
      const token = this.#sampler.draw(this.#random.float());
      if (token !== near) pull(input, a, this.#output, token * d, error, 0, rate);
    }
    for (let k = 0; k < d; k++) input[a + k] += error[k];
  }
}

/**
 * Moves an output vector, at `b`, towards or away from an input vector, at `a`, and adds to `error` what moves the
 * input. By fours, rows being padded to a multiple: three times as fast as one by one, and almost all of the time.
 */
function pull(
  input: Float64Array,
  a: number,
  output: Float64Array,
  b: number,
  error: Float64Array,
  label: number,
  rate: number,
): void {
  const d = error.length;
  let [p0, p1, p2, p3] = [0, 0, 0, 0];
  for (let k = 0; k < d; k += 4) {
    p0 += input[a + k] * output[b + k];
    p1 += input[a + k + 1] * output[b + k + 1];
    p2 += input[a + k + 2] * output[b + k + 2];
    p3 += input[a + k + 3] * output[b + k + 3];
  }
  const g = (label - sigmoid(p0 + p1 + (p2 + p3))) * rate;
  for (let k = 0; k < d; k += 4) {
    const o0 = output[b + k];
    const o1 = output[b + k + 1];
    const o2 = output[b + k + 2];
    const o3 = output[b + k + 3];
    error[k] += g * o0;
    error[k + 1] += g * o1;
    error[k + 2] += g * o2;
    error[k + 3] += g * o3;
    output[b + k] = o0 + g * input[a + k];
    output[b + k + 1] = o1 + g * input[a + k + 1];
    output[b + k + 2] = o2 + g * input[a + k + 2];
    output[b + k + 3] = o3 + g * input[a + k + 3];
  }
}

/** Draws tokens as likely as their number of occurrences to the power 3/4, by Walker's alias method. */
class TokenSampler {
  readonly #threshold: Float64Array;
  readonly #alias: Uint32Array;

  constructor(tokens: Uint32Array, size: number) {
    const weights = new Float64Array(size);
    for (const token of tokens) weights[token]++;
    let total = 0;
    for (let i = 0; i < size; i++) {
      const root = Math.sqrt(weights[i]);
      weights[i] = root * Math.sqrt(root); // x^¾, with roots alone: they are exact on every machine
      total += weights[i];
    }
    this.#threshold = new Float64Array(size).fill(1);
    this.#alias = Uint32Array.from({ length: size }, (_, i) => i);
    if (total > 0) this.#pair(weights.map((weight) => (weight * size) / total));
  }

  /** A token for a number in [0, 1): its whole part chooses a column, the rest one of the two tokens there. */
  draw(u: number): number {
    const x = u * this.#threshold.length;
    const column = Math.floor(x);
    return x - column < this.#threshold[column] ? column : this.#alias[column];
  }

  /** Fills every column to one with a part of a token that has more than its share. */
  #pair(scaled: Float64Array): void {
    const small: number[] = [];
    const large: number[] = [];
    for (let i = 0; i < scaled.length; i++) (scaled[i] < 1 ? small : large).push(i);
    while (small.length > 0 && large.length > 0) {
      const low = small.pop() as number;
      const high = large[large.length - 1];
      this.#threshold[low] = scaled[low];
      this.#alias[low] = high;
      scaled[high] -= 1 - scaled[low];
      if (scaled[high] < 1) small.push(large.pop() as number);
    }
  }
}

const SIGMOID_LIMIT = 6;
const SIGMOID_STEPS = 1024;
const SIGMOID = Float32Array.from(
  { length: SIGMOID_STEPS + 1 }, // just below the limit, rounding may reach one more
  (_, i) => 1 / (1 + Math.exp(-(((i + 0.5) / SIGMOID_STEPS) * 2 - 1) * SIGMOID_LIMIT)),
);

/** 1 / (1 + e^−x) from a table, 1 or 0 beyond ±6, as in the original program. */
function sigmoid(x: number): number {
  if (x >= SIGMOID_LIMIT) return 1;
  if (x <= -SIGMOID_LIMIT) return 0;
  return SIGMOID[Math.floor(((x + SIGMOID_LIMIT) * SIGMOID_STEPS) / (2 * SIGMOID_LIMIT))];
}
