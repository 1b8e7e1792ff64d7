import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/base/random.js';
import { VocabularyBuilder } from '../../src/features/vocabulary.js';
import { trainWord2Vec, WORD2VEC_DEFAULTS } from '../../src/features/word2vec.js';
import { plainSkipGram } from './plain-skip-gram.js';

/** Topics of five words each. A sentence draws its words from one topic, so words of different topics never meet. */
function topicCorpus(topics: number, sentences: number) {
  const random = new Random('corpus');
  const builder = new VocabularyBuilder(sentences);
  for (let row = 0; row < sentences; row++) {
    const topic = row % topics;
    builder.add(
      row,
      Array.from({ length: 6 }, () => `t${'abcdefgh'[topic]}${'vwxyz'[random.below(5)]}`),
    );
  }
  return builder.finish();
}

const options = (over = {}) => ({ ...WORD2VEC_DEFAULTS, seed: 0, ...over });
const digest = (vectors: Float32Array) => createHash('sha256').update(vectors).digest('hex');

function cosine(vectors: Float32Array, d: number, a: number, b: number): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let k = 0; k < d; k++) {
    ab += vectors[a * d + k] * vectors[b * d + k];
    aa += vectors[a * d + k] ** 2;
    bb += vectors[b * d + k] ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}

describe('closest words', () => {
  test.each([32, 7])('belong to the same topic, with d = %d', async (dimension) => {
    const { vocabulary, sentences } = topicCorpus(6, 600);
    const vectors = await trainWord2Vec(sentences, vocabulary.size, options({ dimension }));
    for (let a = 1; a < vocabulary.size; a++) {
      const nearest = Array.from({ length: vocabulary.size - 1 }, (_, i) => i + 1)
        .filter((b) => b !== a)
        .sort((b, c) => cosine(vectors, dimension, a, c) - cosine(vectors, dimension, a, b))
        .slice(0, 4);
      const topic = (token: number) => vocabulary.tokens[token].slice(0, 2);
      expect(nearest.map(topic)).toEqual(Array(4).fill(topic(a)));
    }
  });

  test('<unk> is close to the contexts of rare tokens', async () => {
    const builder = new VocabularyBuilder(400);
    for (let row = 0; row < 400; row++) {
      const inTmp = row % 2 === 0;
      // Every other entity has a unique name in /var/tmp; the rest are ordinary programs.
      builder.add(row, inTmp ? ['var', 'tmp', `once${row}`] : ['usr', 'bin', row % 4 === 1 ? 'ls' : 'sh']);
    }
    const { vocabulary, sentences } = builder.finish();
    const vectors = await trainWord2Vec(sentences, vocabulary.size, options());
    const to = (token: string) => cosine(vectors, 32, 0, vocabulary.numberOf(token));
    expect(to('tmp')).toBeGreaterThan(to('bin'));
    expect(to('var')).toBeGreaterThan(to('usr'));
  });
});

describe('determinism', () => {
  const { vocabulary, sentences } = topicCorpus(3, 60);
  const train = (over = {}) => trainWord2Vec(sentences, vocabulary.size, options({ epochs: 3, ...over }));

  test('gives the same bytes on every machine', async () => {
    expect(digest(await train())).toBe(digest(await train()));
    expect(digest(await train())).toBe('da9552bb74611b6fe13e3081418998e7d3b9f82f8644806bbde363a1b115a3f9');
  });

  test('gives the same bytes as plain loops, for any sizes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 9 }), { minLength: 1, maxLength: 30 }),
        fc.record({
          dimension: fc.integer({ min: 1, max: 13 }),
          window: fc.integer({ min: 0, max: 6 }),
          negatives: fc.integer({ min: 0, max: 6 }),
          epochs: fc.integer({ min: 1, max: 3 }),
          rate: fc.constantFrom(0.025, 2), // the larger rate leaves the range of the sigmoid table
          seed: fc.integer({ min: 0, max: 99 }),
        }),
        async (entities, over) => {
          const builder = new VocabularyBuilder(entities.length);
          for (const [row, tokens] of entities.entries()) builder.add(row, tokens.map(String));
          const { vocabulary, sentences } = builder.finish();
          const found = await trainWord2Vec(sentences, vocabulary.size, options(over));
          expect(digest(found)).toBe(digest(plainSkipGram(sentences, vocabulary.size, options(over))));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('gives the same bytes if the tokens need several calls', async () => {
    const { vocabulary, sentences } = topicCorpus(4, 15_000); // 90,000 tokens
    const over = { epochs: 2, dimension: 4, negatives: 1, window: 1 };
    const found = await trainWord2Vec(sentences, vocabulary.size, options(over));
    expect(digest(found)).toBe(digest(plainSkipGram(sentences, vocabulary.size, options(over))));
  });

  test('gives other vectors for another seed', async () => {
    expect(digest(await train({ seed: 1 }))).not.toBe(digest(await train()));
  });
});

describe('small corpora', () => {
  test.each([
    ['no entities', []],
    ['one token', [['sh']]],
    ['entities without tokens', [[], []]],
  ])('%s', async (_what, entities) => {
    const builder = new VocabularyBuilder(entities.length);
    for (const [row, tokens] of entities.entries()) builder.add(row, tokens);
    const { vocabulary, sentences } = builder.finish();
    const vectors = await trainWord2Vec(sentences, vocabulary.size, options());
    expect(vectors).toHaveLength(32 * vocabulary.size);
    expect(vectors.every(Number.isFinite)).toBe(true);
  });

  test('vectors that do not fit into memory are refused', async () => {
    const { vocabulary, sentences } = topicCorpus(3, 60);
    const huge = trainWord2Vec(sentences, vocabulary.size, options({ dimension: 100_000_000 }));
    await expect(huge).rejects.toMatchObject({ code: 'device-memory' });
  });

  test('progress ends at 1, and an error in its callback stops the training', async () => {
    const { vocabulary, sentences } = topicCorpus(3, 60);
    const seen: number[] = [];
    await trainWord2Vec(
      sentences,
      vocabulary.size,
      options({ onProgress: (done: number) => seen.push(done) }),
    );
    expect(seen.at(-1)).toBe(1);
    const stop = () => {
      throw new Error('stopped');
    };
    const stopped = trainWord2Vec(sentences, vocabulary.size, options({ onProgress: stop }));
    await expect(stopped).rejects.toThrow('stopped');
  });
});
