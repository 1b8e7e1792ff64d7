import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { summariseSeeds } from '../../src/evaluate/metrics/summary-statistics.js';
import {
  type EvaluationResult,
  evaluationSchema,
  FIGURE_NAMES,
  type SeedResult,
  type VariantResult,
} from '../../src/evaluate/result-schema.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

function evaluationJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(evaluationSchema, { target: 'draft-2020-12' });
  return {
    $schema,
    $id: 'urn:recal:schema:evaluation',
    title: 'result.json',
    description:
      'The result of an evaluation. docs/reference/metrics.md defines every figure; null means undefined, never zero.',
    ...rest,
  };
}

const seed = (number: number, tp: number): SeedResult => ({
  seed: number,
  tp,
  fp: 3,
  fn: 41 - tp,
  tn: 11_525,
  precision: tp / (tp + 3),
  recall: tp / 41,
  f1: 0.5,
  fpr: 3 / 11_528,
  balancedAccuracy: 0.7,
  mcc: 0.4,
  ap: 0.2,
  auroc: 0.98,
  adp: 0.6,
  discrimination: -0.1,
  attacks: 2,
  attacksDetected: 1,
  fpUntilAllAttacks: 40,
  incidentsUntilAllAttacks: null,
  nodesUntilAllAttacks: null,
  episodesUntilAllAttacks: 5,
  behaviours: 900,
  falseIncidents: 4,
  falseIncidentsPerDay: 12.5,
  behaviourPrecision: 0.5,
  behaviourRecall: 0.4,
  candidateRecall: 0.9,
  oracleF1: 0.6,
  gap: 0.1,
  threshold: { kind: 'budget', asked: 'budget:5/day', value: 12.5, oracle: false, mark: 'unresolved' },
  oracle: { f1: 0.6, threshold: 9.25 },
  perAttack: [
    { name: 'A2', nodes: 30, scored: 30, flagged: tp, firstIncident: 3, deeper: null },
    {
      name: 'A3',
      nodes: 11,
      scored: 2,
      flagged: 0,
      firstIncident: null,
      deeper: { incident: 212, incidents: 300, nodes: 800 },
    },
  ],
  timings: { train: 12.5 },
});

function result(): EvaluationResult {
  const seeds = [seed(0, 10), seed(1, 12)];
  const recal: VariantResult = { seeds, ...summariseSeeds(seeds, FIGURE_NAMES) };
  return {
    version: 1,
    complete: true,
    protocol: 'honest',
    matching: 'node',
    variants: { recal },
    data: {
      labels: { file: 'labels.test.csv', form: 'csv', rows: 47, merged: 0, otherTier: 6 },
      tier: 'core',
      nodes: 11_569,
      positives: 41,
      ignored: 0,
      labelled: 41,
      labelsUnmatched: 0,
      labelsInTraining: 0,
      withoutAttack: 0,
      labelledAndIgnored: 0,
      attacks: ['A2', 'A3'],
      attacksUnmatched: ['A1'],
      splits: { test: { graphs: 8, nodes: 11_569, events: 440_772, hostDays: 0.16 } },
    },
    config: { seeds: [0, 1], nested: { gate: null } },
    versions: { recal: '0.1.0', node: '20' },
    timings: { load: 1.25 },
    peakMemory: 123_456_789,
    notes: [],
  };
}

describe('the result schema', () => {
  it('accepts a result, before and after JSON', () => {
    expect(evaluationSchema.parse(JSON.parse(JSON.stringify(result())))).toEqual(result());
    expect(result().variants.recal.mean).toMatchObject({ tp: 11, incidentsUntilAllAttacks: null });
  });

  it.each<[string, (r: Record<string, unknown> & EvaluationResult) => void]>([
    ['a rate above 1', (r) => Object.assign(r.variants.recal.seeds[0], { precision: 1.5 })],
    ['a count that is not an integer', (r) => Object.assign(r.variants.recal.seeds[0], { tp: 0.5 })],
    ['NaN instead of null', (r) => Object.assign(r.variants.recal.seeds[0], { ap: Number.NaN })],
    ['a missing figure', (r) => Reflect.deleteProperty(r.variants.recal.seeds[0], 'adp')],
    ['a variant without seeds', (r) => Object.assign(r.variants.recal, { seeds: [] })],
    ['a missing mean', (r) => Reflect.deleteProperty(r.variants.recal.mean, 'tp')],
    ['an unknown threshold', (r) => Object.assign(r.variants.recal.seeds[0].threshold, { kind: 'guess' })],
    ['an unknown member', (r) => Object.assign(r, { more: 1 })],
    ['another version', (r) => Object.assign(r, { version: 2 })],
  ])('refuses %s', (_, spoil) => {
    const spoiled = result() as Record<string, unknown> & EvaluationResult;
    spoil(spoiled);
    expect(evaluationSchema.safeParse(spoiled).success).toBe(false);
  });

  it('equals schema/evaluation.schema.json', () => {
    const path = 'schema/evaluation.schema.json';
    const schema = evaluationJsonSchema();
    // To update the file: RECAL_WRITE_SCHEMA=1 npx vitest run test/evaluate/result-schema.test.ts
    if (process.env.RECAL_WRITE_SCHEMA === '1') {
      writeFileSync(new URL(`../../${path}`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`);
    }
    expect(JSON.parse(read(path))).toEqual(schema);
  });

  it('has no figure that docs/reference/metrics.md does not define', () => {
    const text = read('docs/reference/metrics.md');
    expect(FIGURE_NAMES.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
