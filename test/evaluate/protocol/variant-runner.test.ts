import { beforeAll, describe, expect, test } from 'vitest';
import type { ScoredRun } from '../../../src/evaluate/protocol/scored-run.js';
import type { Splits } from '../../../src/evaluate/protocol/splits.js';
import { VariantRunner } from '../../../src/evaluate/protocol/variant-runner.js';
import { quickVariant, smallWorld } from '../small-world.js';

let splits: Splits;
beforeAll(async () => {
  ({ splits } = await smallWorld());
});

async function collect(runner: VariantRunner): Promise<ScoredRun[]> {
  const runs: ScoredRun[] = [];
  for await (const run of runner.runs()) runs.push(run);
  return runs;
}

describe('VariantRunner', () => {
  test('runs seed by seed, groups together, and unseeded variants once', async () => {
    const names = ['paper', 'rarity', 'wo-cd'];
    const runner = new VariantRunner({
      splits,
      variants: names.map(quickVariant),
      seeds: [3, 5],
      threads: 1,
    });
    const runs = await collect(runner);
    expect(runs.map(({ variant, seed }) => `${variant} ${seed}`)).toEqual([
      'paper 3',
      'wo-cd 3',
      'rarity 3',
      'paper 5',
      'wo-cd 5',
      'rarity 5',
    ]);
    expect(runs[2].nodeScores).toBe(runs[5].nodeScores);
    expect(runs[0].nodeScores.scores).not.toEqual(runs[3].nodeScores.scores);
    // Both use the distances of one model. The scores of wo-cd rank the nodes that score 0 in paper.
    const [paper, distance] = [runs[0].nodeScores, runs[1].nodeScores];
    const zeros = [...paper.scores.keys()].filter((v) => paper.scores[v] === 0);
    expect(zeros.length).toBeGreaterThan(5);
    for (const v of zeros) expect(paper.ranking[v]).toBeCloseTo(-1 / (2 + distance.scores[v]), 6);
    expect(Object.keys(runner.seconds)).toContain('paper+wo-cd: train');
    expect(Object.keys(runner.seconds)).toContain('rarity: score');
  });

  test('keeps the raw errors of the first seed for the report, with their p-values', async () => {
    const variants = ['paper', 'zscore', 'wo-cd'].map(quickVariant);
    const runs = await collect(new VariantRunner({ splits, variants, seeds: [3, 5], threads: 1 }));
    expect(runs.map(({ errors }) => errors !== undefined)).toEqual([true, false, false, false, false, false]);
    const { relations, nodes, relation, errors, logP } = runs[0].errors ?? {};
    expect(relations).toContain('EVENT_READ');
    expect(new Set(nodes).size).toBe(splits.test.events.keys.size);
    expect(Math.max(...(relation ?? []))).toBeLessThan(relations?.length ?? 0);
    for (const error of errors ?? []) expect(error).toBeGreaterThanOrEqual(0);
    for (const each of logP ?? []) expect(each).toBeLessThanOrEqual(0);
    // Within a relation, a larger error has no larger p.
    const order = [...(errors ?? []).keys()].filter((row) => relation?.[row] === relation?.[0]);
    order.sort((a, b) => (errors?.[a] ?? 0) - (errors?.[b] ?? 0));
    for (let i = 1; i < order.length; i++) {
      expect(logP?.[order[i]]).toBeLessThanOrEqual((logP?.[order[i - 1]] ?? 0) + 1e-6);
    }
  });

  test('covers every node of the test', async () => {
    const [{ nodeScores, graphs }] = await collect(
      new VariantRunner({ splits, variants: [quickVariant('recal')], seeds: [0], threads: 1 }),
    );
    const times = new Uint32Array(splits.test.events.keys.size);
    for (const { nodes } of graphs) for (const node of nodes) times[node]++;
    expect(graphs.length).toBeGreaterThan(1);
    expect(times.every((count) => count > 0)).toBe(true);
    expect(nodeScores.scores).toHaveLength(times.length);
  });

  test('an aborted runner yields no run', async () => {
    const given = { splits, variants: [quickVariant('paper')], seeds: [0], threads: 1 };
    await expect(collect(new VariantRunner({ ...given, signal: AbortSignal.abort() }))).rejects.toThrow();
  });
});
