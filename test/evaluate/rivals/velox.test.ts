import { beforeAll, describe, expect, test } from 'vitest';
import type { TextModel } from '../../../src/evaluate/protocol/graphs-of-split.js';
import { Velox } from '../../../src/evaluate/rivals/velox.js';
import type { VeloxOptions } from '../../../src/evaluate/rivals/velox-options.js';
import { quickVariant, type SmallWorld, smallWorld } from '../small-world.js';

let world: SmallWorld;
beforeAll(async () => {
  world = await smallWorld();
});

/** The threshold, and the sum of the scores of each test graph. */
async function run(velox: Partial<VeloxOptions>, inputBlocks: 'raw' | 'unit' = 'raw', text?: TextModel) {
  const { variant, training, detection } = quickVariant('velox');
  const resolved = { variant: { ...variant, velox }, training: { ...training, inputBlocks }, detection };
  const rival = new Velox(resolved, text);
  await rival.fit(world.splits.train, { seed: 1, threads: 1 });
  const fitted = rival.budget;
  // The calibrate split is like training. The test has other acts, and learning from them changes the losses.
  const [{ ownThreshold, benign }] = await rival.calibrate(world.splits.test);
  const sums: number[] = [];
  for await (const { of } of rival.score(world.splits.test))
    sums.push(of[0].scores.reduce((sum, score) => sum + score, 0));
  return { rival, sums, threshold: ownThreshold, benign, fitted, budget: rival.budget };
}

describe('Velox', () => {
  test('learns from calibration only after its threshold is set', async () => {
    const alone = await run({ learn: 'train' });
    const both = await run({ learn: 'both' });
    expect(alone.threshold).toBe(alone.benign.scores[0]);
    expect(both.threshold).toBe(alone.threshold);
    expect(both.sums).not.toEqual(alone.sums);
    expect(alone.budget).toEqual(alone.fitted);
    expect(both.budget?.steps).toBe(both.fitted?.steps);
    expect(both.budget?.graphs).toBeGreaterThan(both.fitted?.graphs ?? 0);
  });

  test('scales the features as its own settings say, also with the word vectors of another model', async () => {
    const { rival, sums: raw } = await run({});
    const { sums: unit } = await run({}, 'unit');
    expect(unit).not.toEqual(raw);
    expect((await run({}, 'unit', rival.text)).sums).toEqual(unit);
  });
});
