import { beforeAll, describe, expect, test } from 'vitest';
import { matchLabels } from '../../../src/evaluate/labels/label-match.js';
import { readLabels } from '../../../src/evaluate/labels/labels.js';
import { type NodeScores, ScoreTally } from '../../../src/evaluate/metrics/node-scores.js';
import { auroc, rankScores } from '../../../src/evaluate/metrics/ranking-metrics.js';
import type { Contestants } from '../../../src/evaluate/protocol/contestant.js';
import { LearnedContestants } from '../../../src/evaluate/protocol/learned-contestants.js';
import { VARIANT_NAMES } from '../../../src/evaluate/protocol/variants.js';
import { RarityContestant, VeloxContestant } from '../../../src/evaluate/rivals/counted-contestants.js';
import { quickVariant, type SmallWorld, smallWorld } from '../small-world.js';

let world: SmallWorld;
beforeAll(async () => {
  world = await smallWorld();
});

function make(names: readonly string[]): Contestants {
  const variants = names.map(quickVariant);
  if (names[0] === 'rarity') return new RarityContestant(variants[0]);
  return names[0] === 'velox' ? new VeloxContestant(variants[0]) : new LearnedContestants(variants);
}

/** From training to the scores of nodes. */
async function run(names: readonly string[], seed: number): Promise<NodeScores[]> {
  const { train, calibrate, test: judged } = world.parts;
  const contestants = make(names);
  try {
    await contestants.fit(train, { seed, threads: 1 });
    const outcomes = await contestants.calibrate(calibrate);
    expect(outcomes).toHaveLength(names.length);
    for (const { benign } of outcomes) {
      expect(benign.instances).toBeGreaterThan(0);
      expect(benign.scores.every((score) => Number.isFinite(score) && score > 0)).toBe(true);
    }
    const tallies = outcomes.map(({ over }) => new ScoreTally(judged.events.keys.size, over));
    for await (const { view, of } of contestants.score(judged)) {
      expect(of).toHaveLength(names.length);
      for (const [i, scores] of of.entries()) tallies[i].add(view.planned.nodes, scores);
    }
    return tallies.map((tally) => tally.finish());
  } finally {
    await contestants.close();
  }
}

describe('the contract of contestants', () => {
  test.each(VARIANT_NAMES)('%s scores every node, the same with the same seed', async (name) => {
    const [once] = await run([name], 1);
    const [again] = await run([name], 1);
    expect(once.scores).toHaveLength(world.parts.test.events.keys.size);
    expect(once.scores.every((score) => Number.isFinite(score) && score >= 0)).toBe(true);
    expect(once.scores.some((score) => score > 0)).toBe(true);
    expect(once.graphs.every((count) => count > 0)).toBe(true); // no node of this log is out of all graphs
    expect(again.ranking).toEqual(once.ranking);
  });

  test('variants that share a model score as each alone', async () => {
    const names = ['paper', 'wo-cd', 'zscore', 'mean'];
    const together = await run(names, 1);
    for (const [i, name] of names.entries()) {
      const [alone] = await run([name], 1);
      expect(together[i].scores, name).toEqual(alone.scores);
      expect(together[i].candidates, name).toEqual(alone.candidates);
    }
  });

  test('an intruder among processes of few habits stands out', async () => {
    const { positives } = matchLabels(
      await readLabels(world.labels),
      world.parts.test.events.keys.size,
      (node) => world.parts.test.events.uuid(node),
    );
    for (const name of ['recal', 'rarity', 'velox']) {
      const [{ ranking }] = await run([name], 1);
      expect(auroc(rankScores(ranking, positives)), name).toBeGreaterThan(0.95);
    }
  });

  test('what is not fitted cannot be asked', async () => {
    for (const name of ['recal', 'rarity', 'velox']) {
      await expect(make([name]).calibrate(world.parts.calibrate)).rejects.toThrow('fitted before');
    }
  });
});
