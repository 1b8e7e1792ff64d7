import { z } from 'zod';
import { EXIT, RecalError } from '../base/errors.js';
import { type ConfigSetting, configSetting } from '../base/settings/config-setting.js';
import type { TrainingConfig } from '../model/training/training-config.js';
import { EVIDENCE_KINDS, type EvidenceKind } from './evidence/evidence.js';
import { FUSIONS } from './fusion/fusion.js';

const whole = (low: number, high: number) => z.int().min(low).max(high);

/**
 * The settings of detection (method §6–9, §11). Calibration stores them in the model file, so that detection uses the
 * same ones.
 */
export const DETECTION_SETTINGS = {
  evidence: configSetting(
    'paper',
    z
      .array(z.enum(EVIDENCE_KINDS))
      .min(1)
      .default(['reconstruction', 'name', 'distance'] as EvidenceKind[])
      .refine((kinds) => new Set(kinds).size === kinds.length, 'a kind is given twice'),
    'kinds of evidence to use: reconstruction, name, relation, distance; to use relation, also set it for training',
    'each kind misses different nodes; the paper uses reconstruction alone',
  ),
  calibration: configSetting(
    'paper',
    z.enum(['quantile', 'zscore', 'none']).default('quantile'),
    'how values of different relations are made comparable',
    'quantiles assume no distribution; the others are ablations',
  ),
  tables: configSetting(
    'paper',
    z.enum(['relation', 'type']).default('relation'),
    'what each table of benign values covers: a relation, or an entity type and a relation',
    'finer tables have fewer values and ranked attacks lower on simulated hosts; docs/research/settings-study.md',
  ),
  tail: configSetting(
    'implied',
    z.enum(['tail', 'floor']).default('tail'),
    'p-value beyond the largest benign value: from a fitted tail, or a floor',
    'a floor makes all novel values tie',
  ),
  gate: configSetting(
    'paper',
    z.enum(['knn', 'none']).default('none'),
    'score only nodes that are far from benign embeddings (knn), or all nodes',
    'tools of an intruder can look benign; the paper screens nodes to save time',
  ),
  gateQuantile: configSetting(
    'ours',
    z.number().min(0).max(1).default(0.9),
    'share of benign instances that the gate leaves out',
    'low on purpose, so that few attacks are lost; the paper names no quantile',
    'SHARE',
  ),
  fusion: configSetting(
    'paper',
    z.enum(FUSIONS).default('fisher'),
    'how the evidence of a node is fused into one score',
    "the paper's; the others are for comparison",
  ),
  combine: configSetting(
    'ours',
    z.enum(['pooled', 'kinds']).default('pooled'),
    'fuse all evidence at once, or each kind first and then the results',
    'one fusion is the simplest',
  ),
  lineage: configSetting(
    'ours',
    z.enum(['actor', 'none']).default('actor'),
    'pass suspicion from an actor to what it acts on, or not at all',
    'what an intruder starts and writes can look ordinary by itself; the paper has no lineage',
  ),
  lineagePrice: configSetting(
    'ours',
    z.number().min(0).max(8).default(1.75),
    'how strongly suspicion fades when it is passed on; 1 is the union bound over the objects of the actor and the actors on the object',
    'at 1, hundreds of similar child processes outrank everything else',
    'PRICE',
  ),
  halves: configSetting(
    'implied',
    z.enum(['cross', 'split', 'none']).default('cross'),
    'tables that score benign graphs: the two halves score each other (cross), one half scores the other (split), or all score themselves (none)',
    'scores from a table’s own data give too low a threshold; `cross` uses all of a short benign split',
  ),
  over: configSetting(
    'ours',
    z.enum(['corrected', 'highest']).default('corrected'),
    'order of nodes in the ranking metrics of an evaluation: by highest score (highest), or by highest score minus the logarithm of the number of graphs (corrected)',
    'without the correction, a node ranks high only because it is in many graphs; the setting does not change alerts',
  ),
  unit: configSetting(
    'ours',
    z.enum(['episode', 'node']).default('episode'),
    'what is judged and ranked: process trees by novelty and learned scores (episode), or single nodes',
    'an analyst opens a few hundred episodes a day, not tens of thousands of nodes; the paper judges nodes',
  ),
  rounds: configSetting(
    'implied',
    whole(1, 64).default(5),
    'rounds of masked inference',
    'each of 5 rounds masks a fifth of the nodes; the paper tries 1 to 20',
    'K',
  ),
  neighbours: configSetting(
    'ours',
    whole(1, 1000).default(10),
    'neighbours of the kNN distance',
    'as in MAGIC',
    'K',
  ),
  reference: configSetting(
    'ours',
    whole(100, 10_000_000).default(200_000),
    'maximum number of training instances to keep for the kNN distance',
    'a larger number takes longer and changes little',
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

/** The defaults of a profile, where they differ from those of the settings. */
export const DETECTION_PRESETS: Readonly<Record<TrainingConfig['profile'], Partial<DetectionConfig>>> = {
  recal: {},
  paper: {
    unit: 'node',
    evidence: ['reconstruction'],
    gate: 'knn',
    lineage: 'none',
    tables: 'relation',
    tail: 'floor',
    halves: 'none',
    over: 'highest',
  },
};

/** Fills in the defaults of the profile. Throws if a setting is invalid. */
export function resolveDetectionConfig(
  profile: TrainingConfig['profile'],
  given: Readonly<Record<string, unknown>> = {},
): DetectionConfig {
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const parsed = detectionConfigSchema.safeParse({ ...DETECTION_PRESETS[profile], ...own });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RecalError('detection-config', `${issue.path.join('.') || 'detection'}: ${issue.message}`, {
    hint: 'docs/reference/settings.md lists every setting and its range',
    exit: EXIT.usage,
  });
}
