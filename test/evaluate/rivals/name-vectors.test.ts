import { beforeAll, expect, test } from 'vitest';
import { NameVectors } from '../../../src/evaluate/rivals/name-vectors.js';
import { learnNodeText } from '../../../src/features/node-text.js';
import { trainWord2Vec } from '../../../src/features/word2vec.js';
import { ENTITY_TYPES } from '../../../src/ingest/event.js';
import { type SmallWorld, smallWorld } from '../small-world.js';

let world: SmallWorld;
beforeAll(async () => {
  world = await smallWorld();
});

test('a name is the weighted mean of its words, scaled to length one, and its type', async () => {
  const { train, test: other } = world.splits;
  const settings = { dimension: 4, epochs: 2, seed: 3 };
  const decline = 0.3;
  const names = await NameVectors.learn(train, { ...settings, decline });
  const { text, vocabulary } = await learnNodeText(train.store, train.events);
  const words = await trainWord2Vec(text.sentences, vocabulary.size, {
    ...settings,
    window: 5,
    negatives: 5,
    rate: 0.025,
  });
  const features = await names.featuresOf(other);
  const width = 4 + ENTITY_TYPES.length;
  const nodes = other.events.keys.size;
  expect(features).toHaveLength(nodes * width);
  const found = await other.text(vocabulary);
  let longest = 0;
  for (let node = 0; node < nodes; node++) {
    const tokens = [...found.tokensOf(node)];
    const n = tokens.length;
    longest = Math.max(longest, n);
    const sums = [0, 1, 2, 3].map((k) =>
      tokens.reduce((sum, token, i) => {
        // The mean weight is 1/n; from word to word it falls by 30 % of the mean.
        const weight = 1 / n - ((i - (n - 1) / 2) * 0.3) / n;
        return sum + weight * words[token * 4 + k];
      }, 0),
    );
    const length = Math.hypot(...sums);
    sums.forEach((sum, k) => {
      expect(features[node * width + k]).toBeCloseTo(length === 0 ? 0 : sum / length, 5);
    });
    const types = [...features.subarray(node * width + 4, (node + 1) * width)];
    expect(types).toEqual(ENTITY_TYPES.map((_, type) => (type === found.typeOf(node) ? 1 : 0)));
  }
  expect(longest).toBeGreaterThan(1);
});
