import { Random } from '../../src/base/random.js';
import type { Sentences } from '../../src/features/sentences.js';
import { makeSampler } from '../../src/features/token-sampler.js';
import type { Word2VecOptions } from '../../src/features/word2vec.js';

/** Skip-gram with negative sampling in plain loops. kernels/word2vec.ts must give the same bytes. */
export function plainSkipGram(
  { offsets, tokens }: Sentences,
  size: number,
  { dimension: d, window, negatives, epochs, rate, seed }: Word2VecOptions,
): Float32Array {
  const random = new Random(seed).stream('word2vec');
  const start = random.stream('start');
  const input = Array.from({ length: size }, () =>
    Array.from({ length: d }, () => (start.float() - 0.5) / d),
  );
  const output = input.map((row) => row.map(() => 0));
  const { thresholds, aliases } = makeSampler(tokens, size);
  const draw = (u: number) => {
    const column = Math.floor(u * size);
    return u * size - column < thresholds[column] ? column : aliases[column];
  };
  let seen = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let s = 0; s + 1 < offsets.length; s++) {
      const sentence = tokens.subarray(offsets[s], offsets[s + 1]);
      const step = rate * Math.max(1e-4, 1 - seen / (tokens.length * epochs));
      sentence.forEach((centre, i) => {
        sentence.forEach((near, j) => {
          if (i === j || Math.abs(i - j) > window) return;
          const error = new Array(d).fill(0);
          const pull = (token: number, label: number) => {
            // Four sums, because the order of additions affects the last bit.
            const parts = [0, 0, 0, 0];
            for (let k = 0; k < d; k++) parts[k % 4] += input[centre][k] * output[token][k];
            const g = (label - sigmoid(parts[0] + parts[1] + (parts[2] + parts[3]))) * step;
            for (let k = 0; k < d; k++) {
              error[k] += g * output[token][k];
              output[token][k] += g * input[centre][k];
            }
          };
          pull(near, 1);
          for (let n = 0; n < negatives; n++) {
            const token = draw(random.float());
            if (token !== near) pull(token, 0);
          }
          for (let k = 0; k < d; k++) input[centre][k] += error[k];
        });
      });
      seen += sentence.length;
    }
  }
  return Float32Array.from(input.flat());
}

function sigmoid(x: number): number {
  if (Math.abs(x) >= 6) return x > 0 ? 1 : 0;
  const step = Math.floor(((x + 6) * 1024) / 12);
  return Math.fround(1 / (1 + Math.exp(-(((step + 0.5) / 1024) * 2 - 1) * 6)));
}
