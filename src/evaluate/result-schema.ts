import { z } from 'zod';
import { MATCHING_PROTOCOLS } from './metrics/matching.js';

const count = z.int().nonnegative();
const text = z.string().max(4096);
const rate = z.number().min(0).max(1).nullable();
const perhaps = count.nullable();
const seconds = z.record(text, z.number().nonnegative()).describe('seconds by stage');

/** Every figure of a seed that has a mean and a deviation over seeds. docs/reference/metrics.md defines each. */
const FIGURES = {
  tp: count.describe('positives that are flagged'),
  fp: count.describe('negatives that are flagged'),
  fn: count.describe('positives that are not flagged'),
  tn: count.describe('negatives that are not flagged'),
  precision: rate.describe('null when nothing is flagged'),
  recall: rate,
  f1: rate,
  fpr: rate,
  balancedAccuracy: rate,
  mcc: z.number().min(-1).max(1).describe('0 where its denominator is 0'),
  ap: rate.describe('average precision, equal scores as one step'),
  auroc: rate.describe('ties half'),
  adp: rate.describe('area of attacks detected over precision; null without attacks'),
  discrimination: z.number().nullable().describe('null without attacks'),
  attacks: perhaps.describe('attacks with a node in the test; null where the labels name none'),
  attacksDetected: perhaps,
  fpUntilAllAttacks: perhaps.describe('ties: the worst case'),
  incidentsUntilAllAttacks: perhaps.describe('null without attacks, and where an attack is never found'),
  nodesUntilAllAttacks: perhaps.describe('members of the incidents opened until then'),
  falseIncidents: count.describe('incidents of what is flagged, without a positive among their members'),
  falseIncidentsPerDay: z
    .number()
    .nonnegative()
    .nullable()
    .describe('per host and day of the test, from its first event to its last; null without a span'),
  behaviours: perhaps,
  behaviourPrecision: rate,
  behaviourRecall: rate,
  candidateRecall: rate.describe('share of positives that pass the gate: the most that recall can be'),
  oracleF1: rate.describe('the best F1 that any threshold gives on the test'),
  gap: z.number().nullable().describe('oracleF1 - f1: what choosing the threshold on the test would add'),
} as const;

export type Figure = keyof typeof FIGURES;
export const FIGURE_NAMES = Object.keys(FIGURES) as Figure[];

const threshold = z
  .strictObject({
    kind: z.enum(['budget', 'fpr', 'fdr', 'score', 'oracle']),
    asked: text.describe('as it was asked for, such as budget:5/day').optional(),
    value: z.number().nullable().describe('flagged is what scores at least this; null flags nothing'),
    oracle: z.boolean().describe('true where labels of the test chose it'),
    mark: z.enum(['extrapolated', 'unresolved', 'nominal']).nullable().optional(),
  })
  .meta({ id: 'threshold' });

const attack = z
  .strictObject({
    name: text,
    nodes: count,
    flagged: count,
    firstIncident: z.int().positive().nullable().describe('rank of the first incident that finds it'),
  })
  .meta({ id: 'attack' });

const seed = z
  .strictObject({
    seed: z.int(),
    ...FIGURES,
    threshold,
    oracle: z
      .strictObject({ f1: z.number().min(0).max(1), threshold: z.number() })
      .nullable()
      .describe('the threshold with the best F1 on the test; null without positives'),
    matched: z
      .strictObject({ forgiven: count, rescued: count })
      .optional()
      .describe('what a matching protocol other than node changed'),
    perAttack: z.array(attack).optional(),
    timings: seconds.optional(),
  })
  .meta({ id: 'seed' });

const overSeeds = z
  .strictObject(
    Object.fromEntries(FIGURE_NAMES.map((name) => [name, z.number().nullable()])) as Record<
      Figure,
      z.ZodNullable<z.ZodNumber>
    >,
  )
  .meta({ id: 'overSeeds' });

const json = z.record(z.string(), z.json().meta({ id: 'anyJson' }));

const variant = z
  .strictObject({
    config: json.optional().describe('what differs from the configuration of all'),
    seeds: z.array(seed).min(1),
    mean: overSeeds.describe('null for a figure that some seed does not define'),
    std: overSeeds.describe('sample deviation; null for a single seed'),
    relative: overSeeds.describe('std / |mean|'),
  })
  .meta({ id: 'variant' });

const labelFile = z
  .strictObject({
    file: text,
    form: z.enum(['text', 'csv']),
    rows: count,
    merged: count,
    otherTier: count,
  })
  .meta({ id: 'labelFile' });

const data = z.strictObject({
  labels: labelFile,
  ignore: labelFile.optional(),
  tier: z.enum(['core', 'all']),
  nodes: count.describe('nodes that are judged: all of the test but the ignored'),
  positives: count,
  ignored: count,
  labelled: count.describe('labels, each id once'),
  labelsUnmatched: count.describe('labels that are no node of the test'),
  labelsInTraining: count.describe('labels that training knows as well'),
  withoutAttack: count.describe('positives that belong to no attack'),
  labelledAndIgnored: count.describe('nodes on both lists, which count as positives'),
  attacks: z.array(text).nullable(),
  attacksUnmatched: z.array(text).describe('attacks without a node in the test, in no figure'),
  splits: z
    .record(text, z.strictObject({ graphs: count, nodes: count, events: count }))
    .describe('train, calibrate, test'),
});

/** `result.json`, what an evaluation leaves behind. schema/evaluation.schema.json is the same as JSON Schema. */
export const evaluationSchema = z.strictObject({
  version: z.literal(1),
  complete: z
    .boolean()
    .describe('false where it was stopped: variants may have different numbers of seeds, or be missing'),
  protocol: text.describe('paper, honest, or own'),
  matching: z.enum(MATCHING_PROTOCOLS),
  variants: z.record(text, variant),
  data,
  config: json,
  versions: z.record(text, text),
  timings: seconds.describe('seconds by stage, of what all variants share'),
  peakMemory: count.nullable().describe('bytes'),
  notes: z.array(text).describe('what was left out, merged, capped or could not be resolved'),
});

export type EvaluationResult = z.output<typeof evaluationSchema>;
export type SeedResult = z.output<typeof seed>;
export type VariantResult = z.output<typeof variant>;

export function evaluationJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(evaluationSchema, { target: 'draft-2020-12' });
  return {
    $schema,
    $id: 'urn:recal:schema:evaluation',
    title: 'result.json',
    description:
      'What an evaluation measured. docs/reference/metrics.md defines every figure; null is undefined, never zero.',
    ...rest,
  };
}
