import { beforeAll, describe, expect, test } from 'vitest';
import { Contest, type Verdict } from '../../../src/evaluate/protocol/contest.js';
import type { Parts } from '../../../src/evaluate/protocol/parts.js';
import { quickVariant, smallWorld } from '../small-world.js';

let parts: Parts;
beforeAll(async () => {
  ({ parts } = await smallWorld());
});

async function all(contest: Contest): Promise<Verdict[]> {
  const found: Verdict[] = [];
  for await (const verdict of contest.verdicts()) found.push(verdict);
  return found;
}

describe('Contest', () => {
  test('seed by seed, those that share a model together; what draws nothing at random runs once', async () => {
    const names = ['paper', 'rarity', 'wo-cd'];
    const contest = new Contest({ parts, variants: names.map(quickVariant), seeds: [3, 5], threads: 1 });
    const found = await all(contest);
    expect(found.map(({ variant, seed }) => `${variant} ${seed}`)).toEqual([
      'paper 3',
      'wo-cd 3',
      'rarity 3',
      'paper 5',
      'wo-cd 5',
      'rarity 5',
    ]);
    expect(found[2].found).toBe(found[5].found);
    expect(found[0].found.scores).not.toEqual(found[3].found.scores);
    // Both have the distances of one model (float32): what wo-cd scores ranks the nodes that paper does not score.
    const [paper, distance] = [found[0].found, found[1].found];
    const silent = [...paper.scores.keys()].filter((v) => paper.scores[v] === 0);
    expect(silent.length).toBeGreaterThan(5);
    for (const v of silent) expect(paper.ranking[v]).toBeCloseTo(-1 / (2 + distance.scores[v]), 6);
    expect(Object.keys(contest.seconds)).toContain('paper+wo-cd: train');
    expect(Object.keys(contest.seconds)).toContain('rarity: score');
  });

  test('every node of the test has a verdict, and every graph its nodes', async () => {
    const [{ found, graphs }] = await all(
      new Contest({ parts, variants: [quickVariant('recal')], seeds: [0], threads: 1 }),
    );
    const times = new Uint32Array(parts.test.events.keys.size);
    for (const { nodes } of graphs) for (const node of nodes) times[node]++;
    expect(graphs.length).toBeGreaterThan(1);
    expect(times.every((count) => count > 0)).toBe(true);
    expect(found.graphs).toEqual(times);
  });

  test('an aborted contest gives no verdict', async () => {
    const given = { parts, variants: [quickVariant('paper')], seeds: [0], threads: 1 };
    await expect(all(new Contest({ ...given, signal: AbortSignal.abort() }))).rejects.toThrow();
  });
});
