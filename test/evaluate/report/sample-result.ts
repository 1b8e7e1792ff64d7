import { summariseSeeds } from '../../../src/evaluate/metrics/summary-statistics.js';
import {
  type EvaluationResult,
  FIGURE_NAMES,
  type SeedResult,
  type VariantResult,
} from '../../../src/evaluate/result-schema.js';

interface SampleOptions {
  readonly oracle?: boolean;
  readonly mark?: 'extrapolated' | 'unresolved' | 'nominal';
  readonly attacks?: readonly string[];
  readonly withoutAttack?: number;
  readonly labelsInTraining?: number;
  readonly notes?: readonly string[];
}

/** A seed with this F1 and plausible other figures. */
export function seedOf(seed: number, f1: number, options: SampleOptions = {}): SeedResult {
  const { oracle = true, mark = null, attacks } = options;
  const count = attacks?.length ?? null;
  return {
    seed,
    tp: 3,
    fp: 1,
    fn: 1,
    tn: 95,
    precision: f1,
    recall: f1,
    f1,
    fpr: (1 - f1) / 50,
    balancedAccuracy: 0.8,
    mcc: 0.7,
    ap: f1 / 2,
    auroc: 0.9,
    adp: count === null ? null : 0.5,
    discrimination: null,
    attacks: count,
    attacksDetected: count === null ? null : 1,
    fpUntilAllAttacks: null,
    incidentsUntilAllAttacks: null,
    nodesUntilAllAttacks: null,
    episodesUntilAllAttacks: null,
    falseIncidents: 1,
    falseIncidentsPerDay: 0.5,
    behaviours: 12,
    behaviourPrecision: 0.5,
    behaviourRecall: 0.25,
    candidateRecall: 1,
    oracleF1: 1,
    gap: 1 - f1,
    oracle: { f1: 1, threshold: 3 },
    budget: { epochs: 10, steps: 40, graphs: 4 },
    threshold: oracle
      ? { kind: 'oracle', value: 3, oracle: true }
      : { kind: 'budget', asked: 'budget:5/day', value: 3, oracle: false, mark },
    ...(attacks === undefined
      ? {}
      : {
          perAttack: attacks.map((name, a) => ({
            name,
            nodes: 2,
            scored: 2,
            flagged: a,
            firstIncident: a + 1,
            deeper: null,
          })),
        }),
  };
}

/** An invented result.json from F1 by variant and seed. */
export function resultOf(
  f1: Readonly<Record<string, readonly number[]>>,
  options: SampleOptions = {},
): EvaluationResult {
  const variants = Object.entries(f1).map(([name, values]): [string, VariantResult] => {
    const seeds = values.map((value, seed) => seedOf(seed, value, options));
    return [name, { seeds, ...summariseSeeds(seeds, FIGURE_NAMES) }];
  });
  const part = { graphs: 4, nodes: 100, events: 5000, hostDays: 2 };
  return {
    version: 1,
    complete: true,
    protocol: options.oracle === false ? 'honest' : 'paper',
    matching: 'node',
    variants: Object.fromEntries(variants),
    data: {
      labels: { file: 'labels.txt', form: 'text', rows: 5, merged: 0, otherTier: 0 },
      tier: 'all',
      nodes: 100,
      positives: 4,
      ignored: 0,
      labelled: 5,
      labelsUnmatched: 1,
      labelsInTraining: options.labelsInTraining ?? 0,
      withoutAttack: options.withoutAttack ?? 0,
      labelledAndIgnored: 0,
      attacks: options.attacks === undefined ? null : [...options.attacks],
      attacksUnmatched: [],
      splits: { train: { ...part }, calibrate: { ...part }, test: { ...part } },
    },
    config: { threshold: options.oracle === false ? 'budget:5/day' : 'oracle' },
    versions: { recal: '0.1.0', node: '20' },
    timings: Object.fromEntries(
      Object.keys(f1).flatMap((name) => [
        [`${name}: train`, 4],
        [`${name}: score`, 1],
      ]),
    ),
    peakMemory: null,
    notes: [...(options.notes ?? [])],
  } as EvaluationResult;
}
