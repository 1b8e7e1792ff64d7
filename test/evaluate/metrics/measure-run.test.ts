import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseThreshold } from '../../../src/detect/threshold/threshold.js';
import { type MeasureContext, measureRun } from '../../../src/evaluate/metrics/measure-run.js';
import { TOP_NODES } from '../../../src/evaluate/metrics/top-incidents.js';
import { rankText } from '../../../src/evaluate/report/attack-ranks.js';
import { attacksOf } from '../samples.js';
import { runOf, type SampleGraph } from '../scored-samples.js';

const NODES = 8;
const RULES = ['oracle', 'budget:5/day', 'budget:1/week', 'fpr:0.001', 'fpr:0.2', 'fdr:0.001', 'fdr:0.5'];

const column = <T>(values: fc.Arbitrary<T>) => fc.array(values, { minLength: NODES, maxLength: NODES });

/** A graph of all nodes. The gate drops some, which score 0. */
const gatedGraph = fc
  .record({
    scores: column(fc.constantFrom(0.5, 3, 6, 9, 20)),
    candidates: column(fc.constantFrom(0, 1)),
    distances: column(fc.double({ min: 0, max: 100, noNaN: true })),
  })
  .map(
    ({ scores, candidates, distances }): SampleGraph => ({
      nodes: Int32Array.from({ length: NODES }, (_, v) => v),
      scores: Float64Array.from(scores, (score, v) => score * candidates[v]),
      candidates: Uint8Array.from(candidates),
      distances: Float64Array.from(distances),
    }),
  );

function measure(
  rule: string,
  graphs: readonly SampleGraph[],
  positives: readonly number[],
  over: 'highest' | 'corrected' = 'highest',
  attacks: MeasureContext['labels']['attacks'] = null,
) {
  const { run, events } = runOf(positives.length, graphs, { over });
  const labels = {
    positives: Uint8Array.from(positives),
    ignored: new Uint8Array(positives.length),
    attacks,
  } as unknown as MeasureContext['labels'];
  return measureRun(run, {
    labels,
    events,
    behaviours: { count: positives.length, of: Int32Array.from(positives.keys()) },
    threshold: parseThreshold(rule, { oracle: true }),
    matching: 'node',
    episodes: [],
    hops: () => {
      throw new Error('not needed');
    },
  }).result;
}

describe('a gate', () => {
  test.each(RULES)('caps recall under %s', (rule) => {
    fc.assert(
      fc.property(
        fc.array(gatedGraph, { minLength: 1, maxLength: 3 }),
        column(fc.constantFrom(0, 1)).filter((positives) => positives.includes(1)),
        fc.constantFrom('highest' as const, 'corrected' as const),
        (graphs, positives, over) => {
          const { recall, candidateRecall, oracleF1, oracle, f1 } = measure(rule, graphs, positives, over);
          expect(recall).toBeLessThanOrEqual(candidateRecall as number);
          expect(oracleF1).toBe(oracle?.f1);
          if (rule === 'oracle') expect(f1).toBe(oracleF1);
        },
      ),
    );
  });

  test('that drops every node leaves nothing to flag, not even for the oracle', () => {
    const none = {
      nodes: Int32Array.from({ length: NODES }, (_, v) => v),
      scores: new Float64Array(NODES),
      candidates: new Uint8Array(NODES),
      distances: Float64Array.from({ length: NODES }, (_, v) => NODES - v),
    };
    const figures = measure('oracle', [none], [1, 1, 0, 0, 0, 0, 0, 0]);
    expect(figures).toMatchObject({ tp: 0, fp: 0, fn: 2, recall: 0, precision: null, f1: 0, gap: 0 });
    expect(figures).toMatchObject({ candidateRecall: 0, oracleF1: 0, oracle: { f1: 0, threshold: null } });
    expect(figures.threshold.value).toBeNull();
    expect(figures.ap).toBe(1); // ranking metrics order nodes that score 0 by distance
  });
});

test('every attack has a rank among the highest nodes, a deeper rank, or no score', () => {
  const count = 3 * TOP_NODES;
  const nodes = Int32Array.from({ length: count }, (_, v) => v);
  const scores = Float64Array.from(nodes, (v) => (v === count - 1 ? 0 : count - v));
  const attacked = { high: [1], deep: [150, count - 1], none: [count - 1] };
  const positives = Array.from(nodes, (v) => (Object.values(attacked).flat().includes(v) ? 1 : 0));
  const { perAttack, incidentsUntilAllAttacks } = measure(
    'budget:3/day',
    [{ nodes, scores }],
    positives,
    'highest',
    attacksOf(attacked),
  );
  expect(perAttack).toMatchObject([
    { name: 'high', nodes: 1, scored: 1, flagged: 1, firstIncident: 2, deeper: null },
    {
      name: 'deep',
      nodes: 2,
      scored: 1,
      flagged: 1,
      firstIncident: null,
      deeper: { incident: 151, incidents: 200, nodes: 200 },
    },
    { name: 'none', nodes: 1, scored: 0, flagged: 0, firstIncident: null, deeper: null },
  ]);
  expect(incidentsUntilAllAttacks).toBeNull();
});

/** Figures of a variant that ranks process trees, given as scores and processes, the highest first. */
function measureTrees(
  trees: readonly (readonly [score: number, ...processes: number[]])[],
  scores: readonly number[],
  attacked: Record<string, readonly number[]>,
  ignored: readonly number[] = [],
) {
  const nodes = Int32Array.from({ length: NODES }, (_, v) => v);
  const { run, events } = runOf(NODES, [{ nodes, scores: Float64Array.from(scores) }]);
  const incidents = trees.map(([score, ...processes]) => ({
    score,
    episodes: [{ root: processes[0], processes: Int32Array.from(processes), score }],
  }));
  const benign = { scores: Float64Array.of(1), hostDays: 1 };
  const judged = { incidents, loud: new Set(), benign } as unknown as NonNullable<typeof run.judged>;
  const isIn = (list: readonly number[]) => nodes.map((v) => Number(list.includes(v)));
  const labels = {
    positives: Uint8Array.from(isIn(Object.values(attacked).flat())),
    ignored: Uint8Array.from(isIn(ignored)),
    attacks: attacksOf(attacked),
  };
  return measureRun(
    { ...run, judged },
    {
      labels: labels as unknown as MeasureContext['labels'],
      events,
      behaviours: { count: NODES, of: Int32Array.from(nodes.keys()) },
      threshold: parseThreshold('oracle', { oracle: true }),
      matching: 'node',
      episodes: [],
      hops: () => {
        throw new Error('not needed');
      },
    },
  ).result;
}

test('an attack that no process tree holds says how many were searched, and not that it scores 0', () => {
  const { perAttack = [] } = measureTrees(
    [
      [5, 0, 1],
      [4, 2],
      [0, 3],
    ],
    [9, 8, 7, 6, 5, 4, 3, 0],
    {
      tree: [1],
      file: [5],
      silent: [7],
    },
  );
  expect(perAttack).toMatchObject([
    { name: 'tree', firstIncident: 1, deeper: null },
    { name: 'file', scored: 1, firstIncident: null, deeper: { incident: null, incidents: 2, nodes: 3 } },
    { name: 'silent', scored: 0, firstIncident: null, deeper: null },
  ]);
  expect(perAttack.map(rankText)).toEqual(['1', '>2', 'not scored']);
});

test('process trees of ignored processes count neither in ranks nor in the effort to find all attacks', () => {
  const figures = measureTrees(
    [
      [9, 0, 1],
      [8, 2, 3],
      [7, 4],
      [6, 5, 6],
    ],
    [9, 9, 8, 8, 7, 6, 6, 1],
    { early: [3], late: [5] },
    [0, 1],
  );
  expect(figures.perAttack?.map(({ firstIncident }) => firstIncident)).toEqual([1, 3]);
  expect(figures.perAttack?.map(({ incidentMembers }) => incidentMembers)).toEqual([
    { nodes: 2, labelled: 1 },
    { nodes: 2, labelled: 1 },
  ]);
  expect(figures).toMatchObject({ incidentsUntilAllAttacks: 3, nodesUntilAllAttacks: 5 });
  expect(figures.perAttack?.map(({ firstEpisode }) => firstEpisode)).toEqual([2, 4]);
  expect(figures.episodesUntilAllAttacks).toBe(4);
});
