import { z } from 'zod';
import { type ConfigSetting, configSetting } from '../base/config-setting.js';
import { EXIT, RecalError } from '../base/errors.js';
import type { TrainingConfig } from '../model/training/training-config.js';
import { EVIDENCE_KINDS, type EvidenceKind } from './evidence/evidence.js';

const whole = (low: number, high: number) => z.int().min(low).max(high);

/**
 * All that decides how a trained model judges (method §6–9, §11). Kept in the model file, so that calibration and
 * detection cannot disagree.
 */
export const DETECTION_SETTINGS = {
  evidence: configSetting(
    z
      .array(z.enum(EVIDENCE_KINDS))
      .min(1)
      .default(['reconstruction', 'name', 'distance'] as EvidenceKind[])
      .refine((kinds) => new Set(kinds).size === kinds.length, 'names a kind twice'),
    'kinds of evidence that are fused: reconstruction, name, relation, distance',
    'they err on different nodes; profile paper takes reconstruction alone',
  ),
  calibration: configSetting(
    z.enum(['quantile', 'zscore', 'none']).default('quantile'),
    'what makes errors of different relations comparable',
    'needs no shape of the errors; the others are ablations',
  ),
  tables: configSetting(
    z.enum(['relation', 'type']).default('relation'),
    'benign errors are kept for each relation, or for each (entity type, relation)',
    'finer tables are smaller, and on simulated hosts they ranked attacks lower; docs/research/real-traces.md',
  ),
  tail: configSetting(
    z.enum(['tail', 'floor']).default('tail'),
    'beyond the largest benign error: a fitted tail, or one floor for all',
    'on the floor all ties, and the worst is not told from the merely new',
  ),
  gate: configSetting(
    z.enum(['knn', 'none']).default('none'),
    'what is near benign embeddings passes without a look at its evidence',
    'an intruder’s tools look like anyone’s; profile paper screens, and saves time by it [p]',
  ),
  gateQuantile: configSetting(
    z.number().min(0).max(1).default(0.9),
    'share of benign instances that the gate lets pass',
    "the paper's, relaxed on purpose [p]",
    'SHARE',
  ),
  fusion: configSetting(
    z.enum(['fisher', 'max', 'mean', 'brown', 'cauchy']).default('fisher'),
    'how the evidence of several relations becomes one score',
    "the paper's [p]; the others are for comparison",
  ),
  combine: configSetting(
    z.enum(['pooled', 'kinds']).default('pooled'),
    'all evidence in one fusion, or each kind fused first and the results summed',
    'one fusion is the plain reading',
  ),
  lineage: configSetting(
    z.enum(['actor', 'none']).default('actor'),
    'suspicion passes from who acts to what is acted on, or stays where it is',
    'what an intruder starts and writes looks ordinary by itself; profile paper knows no such thing',
  ),
  lineagePrice: configSetting(
    z.number().min(0).max(8).default(2),
    'what passing suspicion on costs: 1 is the union bound over what the actor acts on and who acts on the object',
    'at the bare bound a burst of hundreds of alike children crowds out everything else',
    'PRICE',
  ),
  halves: configSetting(
    z.enum(['cross', 'split', 'none']).default('cross'),
    'benign scores: each half of the calibration graphs by the tables of the other, one half by those of the other, or all by their own',
    'a threshold from the tables’ own data would be too low; crossing wastes none of a short benign part',
  ),
  over: configSetting(
    z.enum(['corrected', 'highest']).default('corrected'),
    'a node in several graphs: its best p times their number, or its highest score',
    'who is seen often would alarm by number alone',
  ),
  rounds: configSetting(
    whole(1, 64).default(5),
    'K, rounds of batched masked inference',
    'each round hides a fifth of the nodes [p]',
    'K',
  ),
  neighbours: configSetting(whole(1, 1000).default(10), 'k of the kNN distance', 'as MAGIC takes it', 'K'),
  reference: configSetting(
    whole(100, 10_000_000).default(200_000),
    'training instances that distances are measured to, at most',
    'more cost time and change little',
    'N',
  ),
} as const satisfies Record<string, ConfigSetting>;

type Options = typeof DETECTION_SETTINGS;
type Shape = { [K in keyof Options]: Options[K]['type'] };

export const detectionConfigSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(DETECTION_SETTINGS).map(([key, { type }]) => [key, type]),
  ) as unknown as Shape,
);

export type DetectionConfig = z.output<typeof detectionConfigSchema>;

/** What a profile says where nothing else is said. */
export const DETECTION_PRESETS: Readonly<Record<TrainingConfig['profile'], Partial<DetectionConfig>>> = {
  recal: {},
  paper: {
    evidence: ['reconstruction'],
    gate: 'knn',
    lineage: 'none',
    tables: 'relation',
    tail: 'floor',
    halves: 'none',
    over: 'highest',
  },
};

/** Fills in what is not said. Refuses what makes no sense. */
export function resolveDetectionConfig(
  profile: TrainingConfig['profile'],
  given: Readonly<Record<string, unknown>> = {},
): DetectionConfig {
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const parsed = detectionConfigSchema.safeParse({ ...DETECTION_PRESETS[profile], ...said });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RecalError('detection-config', `${issue.path.join('.') || 'detection'}: ${issue.message}`, {
    hint: 'docs/reference/settings.md lists every setting and its range',
    exit: EXIT.usage,
  });
}
