import { readFileSync } from 'node:fs';
import { RecalError } from '../base/errors.js';
import { Random } from '../base/random.js';
import { yieldToSignals } from '../base/yield-to-signals.js';
import type { Sentences } from './sentences.js';
import { makeSampler } from './token-sampler.js';

export interface Word2VecOptions {
  /** d, the length of a vector. */
  readonly dimension: number;
  /** Number of context tokens on each side. */
  readonly window: number;
  readonly negatives: number;
  readonly epochs: number;
  /** Initial learning rate. It falls linearly to almost zero. */
  readonly rate: number;
  readonly seed: number;
  /** Called regularly with the fraction that is done. It may throw to stop the training. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** Method §2; these are the values that comparable systems use. */
export const WORD2VEC_DEFAULTS = { dimension: 32, window: 5, negatives: 5, epochs: 30, rate: 0.025 } as const;

/** Tokens between two calls of `onProgress`. */
const TOKENS_PER_CALL = 1 << 16;
/** The limit of 32-bit addresses. */
const MAX_PAGES = 65_536;
/** Lower limit of the rate, as a fraction of the initial rate, as in the original program. */
const LAST_RATE = 1e-4;

/**
 * Trains Word2Vec: skip-gram with negative sampling (Mikolov et al. 2013), without subsampling. Returns one row per
 * token. The same input and seed give the same bytes on every machine: one thread, a fixed order, and no function whose
 * last bit depends on the machine (square roots are exact; the sigmoid comes from a table).
 */
export async function trainWord2Vec(
  sentences: Sentences,
  vocabularySize: number,
  options: Word2VecOptions,
): Promise<Float32Array> {
  const trainer = new SkipGram(sentences, vocabularySize, options);
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    for (let from = 0; from < trainer.sentenceCount; ) {
      from = trainer.run(from, TOKENS_PER_CALL);
      options.onProgress?.(trainer.done);
      await yieldToSignals();
    }
  }
  return trainer.vectors();
}

const PAGE = 65_536;
/** Address of the setup record; the page before it belongs to the kernel. */
const SETUP = PAGE;
/** Address of the float64 fields of the setup record, which follow its 32-bit fields. */
const SETUP_FLOATS = SETUP + 64;
const SETUP_BYTES = 96;

let compiled: WebAssembly.Module | undefined;

interface Kernel {
  train(setup: number, offsets: number, sentences: number, tokens: number): void;
}

/** Lays out the memory of kernels/word2vec.ts and calls it. */
class SkipGram {
  readonly #sentences: Sentences;
  readonly #dimension: number;
  /** Numbers per row: the dimension, padded to a multiple of eight. */
  readonly #stride: number;
  readonly #rows: number;
  readonly #work: number;
  readonly #memory: WebAssembly.Memory;
  readonly #kernel: Kernel;
  readonly #input: number;
  /** Address of the sentences of one call, at the end of the memory. */
  readonly #sentencesAt: number;
  #seen = 0;

  constructor(sentences: Sentences, vocabularySize: number, options: Word2VecOptions) {
    const { dimension } = options;
    this.#sentences = sentences;
    this.#dimension = dimension;
    this.#stride = Math.ceil(dimension / 8) * 8;
    this.#rows = vocabularySize;
    this.#work = sentences.tokens.length * options.epochs;
    const rowBytes = 8 * this.#stride;
    const sampler = makeSampler(sentences.tokens, vocabularySize);
    const random = new Random(options.seed).stream('word2vec');

    let end = SETUP + SETUP_BYTES;
    const allocate = (bytes: number) => {
      const address = Math.ceil(end / 64) * 64;
      end = address + bytes;
      return address;
    };
    this.#input = allocate(vocabularySize * rowBytes);
    const output = allocate(vocabularySize * rowBytes);
    const error = allocate(rowBytes);
    const rows = allocate(12 * (options.negatives + 2));
    const thresholds = allocate(8 * vocabularySize);
    const aliases = allocate(4 * vocabularySize);
    const sigmoids = allocate(4 * SIGMOID.length);
    this.#sentencesAt = allocate(0);
    this.#memory = openMemory(this.#sentencesAt);
    const { buffer } = this.#memory;
    new Uint32Array(buffer, SETUP, 15).set([
      this.#input,
      output,
      error,
      rowBytes,
      options.window,
      options.negatives,
      thresholds,
      aliases,
      vocabularySize,
      sigmoids,
      ...random.state,
      rows,
    ]);
    new Float64Array(buffer, SETUP_FLOATS, 4).set([options.rate, LAST_RATE, this.#work, 0]);
    new Float64Array(buffer, thresholds, vocabularySize).set(sampler.thresholds);
    new Uint32Array(buffer, aliases, vocabularySize).set(sampler.aliases);
    new Float32Array(buffer, sigmoids, SIGMOID.length).set(SIGMOID);
    const start = random.stream('start');
    for (let token = 0; token < vocabularySize; token++) {
      const row = new Float64Array(buffer, this.#input + token * rowBytes, dimension);
      for (let k = 0; k < dimension; k++) row[k] = (start.float() - 0.5) / dimension;
    }
    compiled ??= new WebAssembly.Module(readFileSync(new URL('./word2vec.wasm', import.meta.url)));
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    this.#kernel = exports as unknown as Kernel;
  }

  get sentenceCount(): number {
    return this.#sentences.offsets.length - 1;
  }

  get done(): number {
    return this.#work === 0 ? 1 : this.#seen / this.#work;
  }

  vectors(): Float32Array {
    const vectors = new Float32Array(this.#rows * this.#dimension);
    for (let row = 0; row < this.#rows; row++) {
      const from = this.#input + row * 8 * this.#stride;
      vectors.set(new Float64Array(this.#memory.buffer, from, this.#dimension), row * this.#dimension);
    }
    return vectors;
  }

  /** Trains on the sentences from `from` until at least `count` tokens are processed. Returns the next sentence. */
  run(from: number, count: number): number {
    const { offsets, tokens } = this.#sentences;
    let to = from;
    while (to < this.sentenceCount && offsets[to] - offsets[from] < count) to++;
    const batch = tokens.subarray(offsets[from], offsets[to]);
    const tokensAt = this.#sentencesAt + 4 * (to - from + 1);
    growMemory(this.#memory, tokensAt + 4 * batch.length);
    const { buffer } = this.#memory;
    new Uint32Array(buffer, this.#sentencesAt, to - from + 1).set(
      offsets.subarray(from, to + 1).map((offset) => offset - offsets[from]),
    );
    new Uint32Array(buffer, tokensAt, batch.length).set(batch);
    this.#kernel.train(SETUP, this.#sentencesAt, to - from, tokensAt);
    this.#seen += batch.length;
    return to;
  }
}

function openMemory(bytes: number): WebAssembly.Memory {
  const pages = Math.ceil(bytes / PAGE);
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: MAX_PAGES, shared: true });
  } catch (cause) {
    throw outOfMemory(bytes, cause);
  }
}

function growMemory(memory: WebAssembly.Memory, bytes: number): void {
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE);
  if (missing <= 0) return;
  try {
    memory.grow(missing);
  } catch (cause) {
    throw outOfMemory(bytes, cause);
  }
}

function outOfMemory(bytes: number, cause: unknown): RecalError {
  return new RecalError(
    'device-memory',
    `the word vectors need ${Math.ceil(bytes / 2 ** 20)} MiB of memory; the limit is 4096 MiB`,
    { hint: 'train on a shorter time range or fewer hosts, or with a smaller --set textDimension=D', cause },
  );
}

/** The sigmoid from −6 to 6, as in the original program. Beyond, the kernel uses 0 and 1. */
const SIGMOID_LIMIT = 6;
const SIGMOID_STEPS = 1024;
const SIGMOID = Float32Array.from(
  { length: SIGMOID_STEPS + 1 }, // just below the limit, rounding may reach the last entry
  (_, i) => 1 / (1 + Math.exp(-(((i + 0.5) / SIGMOID_STEPS) * 2 - 1) * SIGMOID_LIMIT)),
);
