import { readFileSync } from 'node:fs';
import { RecalError } from '../base/errors.js';
import { Random } from '../base/random.js';
import { yieldToSignals } from '../base/yield-to-signals.js';
import type { Sentences } from './sentences.js';
import { makeSampler } from './token-sampler.js';

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
/** What 32 bits can address. */
const MOST_PAGES = 65_536;
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
      await yieldToSignals();
    }
  }
  return trainer.vectors();
}

const PAGE = 65_536;
/** The kernel's own memory ends before. */
const FIRST = PAGE;
/** What the kernel is told once: words, then numbers of float64. */
const NUMBERS_AT = FIRST + 64;
const RECORD_BYTES = 96;

let compiled: WebAssembly.Module | undefined;

interface Kernel {
  train(setup: number, offsets: number, sentences: number, tokens: number): void;
}

/** The host's side of kernels/word2vec.ts: what it reads and writes lies in one memory. */
class SkipGram {
  readonly #sentences: Sentences;
  readonly #dimension: number;
  /** Numbers a row: the dimension, padded to a multiple of eight. */
  readonly #stride: number;
  readonly #rows: number;
  readonly #work: number;
  readonly #memory: WebAssembly.Memory;
  readonly #kernel: Kernel;
  readonly #input: number;
  /** Where the sentences of one call go, at the end of the memory. */
  readonly #room: number;
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

    let end = FIRST + RECORD_BYTES;
    const place = (bytes: number) => {
      const address = Math.ceil(end / 64) * 64;
      end = address + bytes;
      return address;
    };
    this.#input = place(vocabularySize * rowBytes);
    const output = place(vocabularySize * rowBytes);
    const error = place(rowBytes);
    const rows = place(12 * (options.negatives + 2));
    const thresholds = place(8 * vocabularySize);
    const aliases = place(4 * vocabularySize);
    const sigmoids = place(4 * SIGMOID.length);
    this.#room = place(0);
    this.#memory = openMemory(this.#room);
    const { buffer } = this.#memory;
    new Uint32Array(buffer, FIRST, 15).set([
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
    new Float64Array(buffer, NUMBERS_AT, 4).set([options.rate, LAST_RATE, this.#work, 0]);
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

  /** Trains on sentences from this one on, until enough tokens are seen. Gives the sentence to go on with. */
  run(from: number, tokens: number): number {
    const { offsets, tokens: words } = this.#sentences;
    let to = from;
    while (to < this.sentenceCount && offsets[to] - offsets[from] < tokens) to++;
    const some = words.subarray(offsets[from], offsets[to]);
    const tokensAt = this.#room + 4 * (to - from + 1);
    growMemory(this.#memory, tokensAt + 4 * some.length);
    const { buffer } = this.#memory;
    new Uint32Array(buffer, this.#room, to - from + 1).set(
      offsets.subarray(from, to + 1).map((offset) => offset - offsets[from]),
    );
    new Uint32Array(buffer, tokensAt, some.length).set(some);
    this.#kernel.train(FIRST, this.#room, to - from, tokensAt);
    this.#seen += some.length;
    return to;
  }
}

function openMemory(bytes: number): WebAssembly.Memory {
  const pages = Math.ceil(bytes / PAGE);
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: MOST_PAGES, shared: true });
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
    `the vectors of so many different words do not fit into memory: ${Math.ceil(bytes / 2 ** 20)} MiB are needed, and 4 GiB is the most`,
    { hint: 'train on a shorter time or fewer hosts, or with a smaller --text-dimension', cause },
  );
}

/** The sigmoid from −6 to 6, as in the original program. The kernel reads it as 1 or 0 beyond. */
const SIGMOID_LIMIT = 6;
const SIGMOID_STEPS = 1024;
const SIGMOID = Float32Array.from(
  { length: SIGMOID_STEPS + 1 }, // just below the limit, rounding may reach one more
  (_, i) => 1 / (1 + Math.exp(-(((i + 0.5) / SIGMOID_STEPS) * 2 - 1) * SIGMOID_LIMIT)),
);
