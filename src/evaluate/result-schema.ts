import { z } from 'zod';
import { MATCHING_PROTOCOLS } from './metrics/matching.js';

const count = z.int().nonnegative();
const text = z.string().max(4096);
const rate = z.number().min(0).max(1).nullable();
const countOrNull = count.nullable();
const seconds = z.record(text, z.number().nonnegative()).describe('seconds by stage');

/** The figures of a seed that have a mean and a deviation over seeds. docs/reference/metrics.md defines each. */
const FIGURES = {
  tp: count.describe('flagged positives'),
  fp: count.describe('flagged negatives'),
  fn: count.describe('positives not flagged'),
  tn: count.describe('negatives not flagged'),
  precision: rate.describe('null if no node is flagged'),
  recall: rate,
  f1: rate,
  fpr: rate,
  balancedAccuracy: rate,
  mcc: z.number().min(-1).max(1).describe('0 if its denominator is 0'),
  ap: rate.describe('average precision; equal scores form one step'),
  auroc: rate.describe('ties count half'),
  adp: rate.describe('area under attacks detected over precision; null without attacks'),
  discrimination: z.number().nullable().describe('null without attacks'),
  attacks: countOrNull.describe('attacks with a node in the test; null if the labels name no attacks'),
  attacksDetected: countOrNull,
  fpUntilAllAttacks: countOrNull.describe('worst case for ties'),
  incidentsUntilAllAttacks: countOrNull.describe(
    'incidents opened until every attack is found; null if some attack is never found',
  ),
  nodesUntilAllAttacks: countOrNull.describe('members of the incidents opened until every attack is found'),
  episodesUntilAllAttacks: countOrNull.describe(
    'folded episodes opened until every attack is found; null if some attack is in no episode with a score',
  ),
  falseIncidents: count.describe('incidents of flagged nodes without a positive member'),
  falseIncidentsPerDay: z
    .number()
    .nonnegative()
    .nullable()
    .describe('per host and day, from the first event of the test to the last; null if that span is 0'),
  behaviours: countOrNull,
  behaviourPrecision: rate,
  behaviourRecall: rate,
  candidateRecall: rate.describe(
    'share of positives that the gate keeps; an upper bound of recall with matching node',
  ),
  oracleF1: rate.describe('best F1 over all thresholds above 0 on the test'),
  gap: z.number().nullable().describe('oracleF1 - f1'),
} as const;

export type Figure = keyof typeof FIGURES;
export const FIGURE_NAMES = Object.keys(FIGURES) as Figure[];

const threshold = z
  .strictObject({
    kind: z.enum(['top', 'budget', 'fpr', 'fdr', 'score', 'oracle']),
    asked: text.describe('the requested rule, for example budget:5/day').optional(),
    value: z.number().nullable().describe('nodes with at least this score are flagged; null flags no node'),
    oracle: z.boolean().describe('true if chosen with the labels of the test'),
    mark: z.enum(['extrapolated', 'unresolved', 'nominal']).nullable().optional(),
  })
  .meta({ id: 'threshold' });

const members = z.strictObject({ nodes: count, labelled: count }).meta({ id: 'members' });

const attack = z
  .strictObject({
    name: text,
    nodes: count,
    scored: count.describe('nodes that score above 0'),
    flagged: count,
    firstIncident: z
      .int()
      .positive()
      .nullable()
      .describe(
        'rank of the first incident that finds the attack; null if no incident of the highest nodes does',
      ),
    incidentMembers: members
      .nullable()
      .optional()
      .describe('nodes of that incident without ignored ones, and how many of them are labelled'),
    deeper: z
      .strictObject({
        incident: z.int().positive().nullable().describe('rank; null if no incident finds the attack'),
        incidents: count.describe('number of incidents'),
        nodes: count.describe('number of highest nodes that form them'),
      })
      .nullable()
      .describe(
        'where the attack is found if more nodes form incidents; null if firstIncident is set or scored is 0',
      ),
    firstEpisode: z
      .int()
      .positive()
      .nullable()
      .optional()
      .describe('rank of the first folded episode with a process of the attack'),
    firstEpisodeNotIgnored: z
      .int()
      .positive()
      .nullable()
      .optional()
      .describe('the same, not counting episodes with ignored processes and no labelled one'),
    episodeMembers: members
      .nullable()
      .optional()
      .describe('processes of that episode, and how many of them are labelled'),
  })
  .meta({ id: 'attack' });

const ownRule = z
  .strictObject({
    rule: text.describe('the rule of the published detector, in words'),
    value: z.number().nullable().describe('nodes that score above it are flagged; null flags no node'),
    tp: count,
    fp: count,
    falseIncidents: count,
    attacksDetected: countOrNull,
  })
  .meta({ id: 'ownRule' })
  .describe('what the own rule of a published detector flags, beside the requested threshold');

const seed = z
  .strictObject({
    seed: z.int(),
    ...FIGURES,
    threshold,
    oracle: z
      .strictObject({ f1: z.number().min(0).max(1), threshold: z.number().positive().nullable() })
      .nullable()
      .describe(
        'threshold above 0 with the best F1 on the test; its threshold is null if it flags no node; null without positives',
      ),
    matched: z
      .strictObject({ forgiven: count, rescued: count })
      .optional()
      .describe('changes by a matching protocol other than node'),
    perAttack: z.array(attack).optional(),
    own: ownRule.optional(),
    budget: z
      .strictObject({
        epochs: count,
        steps: count.describe('updates of the weights'),
        graphs: count.describe('training graphs'),
      })
      .optional()
      .describe('the training of the variant; absent if it learns nothing by gradients'),
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
    config: json.optional().describe('settings of the variant'),
    seeds: z.array(seed).min(1),
    mean: overSeeds.describe('null for a figure that is null in some seed'),
    std: overSeeds.describe('sample standard deviation; null for a single seed'),
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
  nodes: count.describe('nodes of the test, without ignored nodes'),
  positives: count,
  ignored: count,
  labelled: count.describe('distinct labelled ids'),
  labelsUnmatched: count.describe('labels that match no node of the test'),
  labelsInTraining: count.describe('labels that also match an entity of training'),
  withoutAttack: count.describe('positives without an attack'),
  labelledAndIgnored: count.describe('nodes both labelled and ignored; they count as positives'),
  attacks: z.array(text).nullable(),
  attacksUnmatched: z.array(text).describe('attacks without a node in the test; no figure includes them'),
  splits: z
    .record(
      text,
      z.strictObject({
        graphs: count,
        nodes: count,
        events: count,
        hostDays: z
          .number()
          .nonnegative()
          .optional()
          .describe('days from first to last event, over all hosts'),
      }),
    )
    .describe('train, calibrate, test'),
});

/** The content of `result.json`. schema/evaluation.schema.json is the same as JSON Schema. */
export const evaluationSchema = z.strictObject({
  version: z.literal(1),
  complete: z.boolean().describe('false if the run was stopped: variants may be missing or have fewer seeds'),
  protocol: text.describe('honest or paper'),
  matching: z.enum(MATCHING_PROTOCOLS),
  variants: z.record(text, variant),
  data,
  config: json,
  versions: z.record(text, text),
  timings: seconds.describe('seconds by stage, for work that all variants share'),
  peakMemory: count.nullable().describe('bytes'),
  notes: z.array(text).describe('caveats about data, thresholds and runs'),
});

export type EvaluationResult = z.output<typeof evaluationSchema>;
export type SeedResult = z.output<typeof seed>;
export type VariantResult = z.output<typeof variant>;
