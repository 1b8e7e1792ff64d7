import { beforeAll, describe, expect, test } from 'vitest';
import { matchLabels } from '../../../src/evaluate/labels/label-match.js';
import { readLabels } from '../../../src/evaluate/labels/read-labels.js';
import { NodeScoreCollector, type NodeScores } from '../../../src/evaluate/metrics/node-scores.js';
import { auroc, rankScores } from '../../../src/evaluate/metrics/ranking-metrics.js';
import { RecalVariants } from '../../../src/evaluate/protocol/recal-variants.js';
import type { VariantGroup } from '../../../src/evaluate/protocol/variant-group.js';
import { DEFAULT_VARIANTS } from '../../../src/evaluate/protocol/variants.js';
import { makeRival } from '../../../src/evaluate/rivals/make-rival.js';
import { Rarity } from '../../../src/evaluate/rivals/rarity.js';
import { isPublished, PUBLISHED_RIVALS } from '../../../src/evaluate/rivals/rival-settings.js';
import { Velox } from '../../../src/evaluate/rivals/velox.js';
import { quickSteps, quickVariant, type SmallWorld, smallWorld } from '../small-world.js';

let world: SmallWorld;
beforeAll(async () => {
  world = await smallWorld();
});

function make(names: readonly string[]): VariantGroup {
  const variants = names.map(quickVariant);
  const { kind } = variants[0].variant;
  if (isPublished(kind)) return makeRival(kind, variants[0]);
  if (names[0] === 'rarity') return new Rarity(variants[0]);
  return names[0] === 'velox' ? new Velox(variants[0]) : new RecalVariants(variants);
}

/** Runs a group from training to node scores. */
async function run(names: readonly string[], seed: number): Promise<NodeScores[]> {
  const { train, calibrate, test: testSplit } = world.splits;
  const group = make(names);
  try {
    await group.fit(train, { seed, threads: 1 });
    const outcomes = await group.calibrate(calibrate);
    expect(outcomes).toHaveLength(names.length);
    for (const { benign } of outcomes) {
      expect(benign.instances).toBeGreaterThan(0);
      expect(benign.scores.every((score) => Number.isFinite(score) && score > 0)).toBe(true);
    }
    const collectors = outcomes.map(({ over }) => new NodeScoreCollector(testSplit.events.keys.size, over));
    for await (const { view, of } of group.score(testSplit)) {
      expect(of).toHaveLength(names.length);
      for (const [i, scores] of of.entries()) collectors[i].add(view.planned.nodes, scores);
    }
    return collectors.map((collector) => collector.finish());
  } finally {
    await group.close();
  }
}

describe('the contract of variant groups', () => {
  test.each([...DEFAULT_VARIANTS, ...PUBLISHED_RIVALS])(
    '%s scores every node, and gives equal scores with equal seeds',
    async (name) => {
      const [once] = await run([name], 1);
      const [again] = await run([name], 1);
      expect(once.scores).toHaveLength(world.splits.test.events.keys.size);
      expect(once.scores.every((score) => Number.isFinite(score) && score >= 0)).toBe(true);
      expect(once.scores.some((score) => score > 0)).toBe(true);
      expect(again.ranking).toEqual(once.ranking);
    },
  );

  test('variants that share a model score as they do alone', async () => {
    const names = ['paper', 'wo-cd', 'zscore', 'mean'];
    const together = await run(names, 1);
    for (const [i, name] of names.entries()) {
      const [alone] = await run([name], 1);
      expect(together[i].scores, name).toEqual(alone.scores);
      expect(together[i].candidates, name).toEqual(alone.candidates);
    }
  });

  test('an intruder ranks above regular processes', async () => {
    const { positives } = matchLabels(await readLabels(world.labels), world.splits.test.labelled);
    for (const name of ['recal', 'rarity', 'velox']) {
      const [{ ranking }] = await run([name], 1);
      expect(auroc(rankScores(ranking, positives)), name).toBeGreaterThan(0.95);
    }
  });

  test.each(['orthrus', 'flash'] as const)(
    '%s stops at a number of steps, also within an epoch',
    async (kind) => {
      const { variant, ...rest } = quickSteps(kind, 3);
      // Both need more than three batches for an epoch.
      const group: VariantGroup = makeRival(kind, {
        ...rest,
        variant: { ...variant, settings: { batch: 10 } },
      });
      try {
        await group.fit(world.splits.train, { seed: 0, threads: 1 });
        expect(group.budget).toMatchObject({ epochs: 1, steps: 3 });
      } finally {
        await group.close();
      }
    },
  );

  test('refuses to calibrate before fit', async () => {
    for (const name of ['recal', 'rarity', 'velox']) {
      await expect(make([name]).calibrate(world.splits.calibrate)).rejects.toThrow(TypeError);
    }
  });
});
