import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { type ConfigSetting, configSetting } from '../../base/settings/config-setting.js';
import { BLOCK_SCALES } from '../../features/feature-space.js';
import { PROFILE_DEFAULTS } from '../../features/profile.js';
import { WORD2VEC_DEFAULTS } from '../../features/word2vec.js';
import { VOCABULARIES } from '../../graph/relation-vocabulary.js';
import { MODEL_DEFAULTS, type ModelConfig } from '../config.js';
import { MASK_DEFAULTS, type MaskConfig } from './masking.js';

const integer = (low: number, high: number) => z.int().min(low).max(high);
const probability = z.number().min(0).max(1);

/** With a shorter half-life a profile forgets everything between two events, and λ could overflow. */
const SHORTEST_HALF_LIFE = 0.001;

/**
 * The training settings. The command line, the configuration file and docs/reference/settings.md follow from this table.
 * Each names its origin: the paper, implied by it, or ours.
 */
export const TRAINING_SETTINGS = {
  profile: configSetting(
    'ours',
    z.enum(['recal', 'paper']).default('recal'),
    'preset: `recal`, or `paper` for the configuration of the paper',
    'the presets differ in graph, encoder and epochs; each can also be set separately',
  ),
  graph: configSetting(
    'paper',
    z.enum(['window', 'file']).default('window'),
    'unit of one graph: a time window of a host, or a log file',
    'a window can be scored as soon as it ends; profile paper uses files',
  ),
  window: configSetting(
    'ours',
    z
      .number()
      .min(1 / 60)
      .max(10_080)
      .default(30),
    'length of a time window in minutes',
    'long enough to show the habits of a program, short enough to alert within the hour',
    'MINUTES',
  ),
  direction: configSetting(
    'ours',
    z.enum(['flow', 'magic', 'none']).default('flow'),
    'direction of edges: information flow, as in MAGIC, or always from subject to object',
    'causality follows information flow; the others are for comparison',
  ),
  vocabulary: configSetting(
    'ours',
    z.enum(VOCABULARIES).default('source'),
    "names of relations: the log's own, or one vocabulary (read, write, exec, …) for all formats that state what an event does",
    'a model then judges the same host in another format; CDM and recal NDJSON keep their names; profile recal uses `common`',
  ),
  inputBlocks: configSetting(
    'paper',
    z.enum(BLOCK_SCALES).default('raw'),
    'scaling of the blocks of x_v for the encoder: unchanged, or each to length 1',
    'as in the paper; no experiment has settled it yet',
  ),
  targetBlocks: configSetting(
    'paper',
    z.enum(BLOCK_SCALES).default('raw'),
    'scaling of the blocks of x_v for the loss: unchanged, or each to length 1',
    'as in the paper; no experiment has settled it yet',
  ),
  textDimension: configSetting(
    'ours',
    integer(1, 512).default(WORD2VEC_DEFAULTS.dimension),
    'dimension d of the word vectors',
    'enough for a few thousand tokens; every node stores d numbers',
    'D',
  ),
  textWindow: configSetting(
    'ours',
    integer(1, 64).default(WORD2VEC_DEFAULTS.window),
    'tokens on each side that count as context',
    'covers a whole path: names in CADETS E1 have four tokens',
    'N',
  ),
  textNegatives: configSetting(
    'ours',
    integer(1, 64).default(WORD2VEC_DEFAULTS.negatives),
    'negative samples per pair of tokens',
    'the usual value for small vocabularies',
    'N',
  ),
  textEpochs: configSetting(
    'ours',
    integer(1, 10_000).default(WORD2VEC_DEFAULTS.epochs),
    'Word2Vec passes over the entities',
    'a host has thousands of sentences; the usual five passes assume millions',
    'N',
  ),
  textRate: configSetting(
    'ours',
    z.number().positive().max(1).default(WORD2VEC_DEFAULTS.rate),
    'initial learning rate of Word2Vec; it falls linearly to 0',
    'the value of the original word2vec program',
    'RATE',
  ),
  history: configSetting(
    'ours',
    integer(2, 1024).default(PROFILE_DEFAULTS.history),
    'number L of latest events per node in its transition profile',
    'at most 19 numbers per node; a longer history blurs recent behaviour',
    'L',
  ),
  halfLife: configSetting(
    'ours',
    z
      .number()
      .refine((seconds) => seconds === 0 || seconds >= SHORTEST_HALF_LIFE, {
        message: `must be 0, or at least ${SHORTEST_HALF_LIFE}`,
      })
      .default(900),
    'seconds until the weight of a transition halves; 0 for no decay',
    'half a window: a transition that is one window old counts a quarter',
    'SECONDS',
  ),
  encoder: configSetting(
    'implied',
    z.enum(['additive', 'rgat']).default(MODEL_DEFAULTS.encoder),
    'graph attention: shared weights plus a term per relation, or separate weights per relation',
    'additive is much faster; profile paper uses rgat, the encoder that the paper cites',
  ),
  layers: configSetting(
    'ours',
    integer(1, 4).default(MODEL_DEFAULTS.layers),
    'layers of the encoder',
    'two hops: a process sees what its files and its children touch',
    'N',
  ),
  exponent: configSetting(
    'ours',
    integer(1, 8).default(MODEL_DEFAULTS.exponent),
    'exponent α of the loss (1 − cos)^α',
    'reduces the weight of nodes that are already reconstructed well',
    'α',
  ),
  balanced: configSetting(
    'paper',
    z.boolean().default(true),
    'mask and decode per relation; `false` is the ablation w/o BL',
    'the core of the method',
  ),
  maskBase: configSetting(
    'ours',
    probability.default(MASK_DEFAULTS.p0),
    'masking probability p0 at the median frequency',
    'leaves most neighbours unmasked',
    'P',
  ),
  maskMin: configSetting(
    'ours',
    probability.default(MASK_DEFAULTS.pMin),
    'lowest masking probability p_min',
    'frequent relations such as read and write keep some targets in every graph',
    'P',
  ),
  maskMax: configSetting(
    'ours',
    probability.default(MASK_DEFAULTS.pMax),
    'highest masking probability p_max',
    'the rarest relations keep some unmasked nodes',
    'P',
  ),
  gamma: configSetting(
    'implied',
    z.number().min(0).max(4).default(MASK_DEFAULTS.gamma),
    'exponent γ: how much more often rare relations are masked; 0 masks all equally',
    'the middle of the range that the paper tries',
    'γ',
  ),
  learningRate: configSetting(
    'paper',
    z.number().positive().max(1).default(MODEL_DEFAULTS.learningRate),
    'learning rate of Adam',
    'the value of the paper',
    'RATE',
  ),
  weightDecay: configSetting(
    'ours',
    z.number().min(0).max(1).default(MODEL_DEFAULTS.weightDecay),
    'L2 penalty, added to the gradient',
    'rare relations have few nodes to learn from',
    'L2',
  ),
  clip: configSetting(
    'ours',
    z.number().min(0).default(MODEL_DEFAULTS.clip),
    'largest norm of the gradient; 0 for no limit',
    'the loss of a node is at most 2^α, so gradients stay bounded',
    'NORM',
  ),
  epochs: configSetting(
    'paper',
    integer(1, 1_000_000).default(200),
    'passes over all graphs',
    'five rank attacks on real hosts higher than 50, and on simulated hosts as high; profile paper uses 200',
    'N',
  ),
  steps: configSetting(
    'ours',
    integer(1, 1_000_000).optional(),
    'updates of the weights, instead of epochs; rounded up to whole epochs',
    'profiles cut the same events into more or fewer graphs, so equal epochs are unequal budgets',
    'N',
  ),
  seed: configSetting(
    'paper',
    integer(0, 2 ** 32 - 1).default(0),
    'seed of all random numbers',
    'the same seed gives the same bytes; the paper reports seeds 0 to 4',
    'N',
  ),
} as const satisfies Record<string, ConfigSetting>;

type Settings = typeof TRAINING_SETTINGS;

/** The kernels are compiled for these values, so they are not settings. Model files store them. */
const FIXED_VALUES = { hidden: z.literal(64).default(64), heads: z.literal(4).default(4) };

type Shape = { [K in keyof Settings]: Settings[K]['type'] } & typeof FIXED_VALUES;

/** The order of the keys is the order in model files: `hidden` and `heads` are stored before `layers`. */
const shape = Object.fromEntries(
  Object.entries(TRAINING_SETTINGS).flatMap(([key, { type }]): [string, z.ZodType][] => [
    ...(key === 'layers' ? Object.entries(FIXED_VALUES) : []),
    [key, type],
  ]),
) as unknown as Shape;

/** Strict, because a misspelt setting must not be ignored. */
export const trainingConfigSchema = z
  .strictObject(shape)
  .refine(({ maskMin, maskMax }) => maskMin <= maskMax, {
    path: ['maskMin'],
    message: 'must not exceed maskMax',
  })
  .refine(
    ({ balanced, maskBase, maskMin, maskMax }) =>
      balanced ? maskMax > 0 && (maskBase > 0 || maskMin > 0) : maskBase > 0,
    { path: ['maskBase'], message: 'must be greater than 0: otherwise no node is masked' },
  );

export type TrainingConfig = z.output<typeof trainingConfigSchema>;

export const DEFAULT_PROFILE = 'recal' satisfies TrainingConfig['profile'];

/** The defaults of each profile that differ from the table. */
export const PRESETS: Readonly<
  Record<TrainingConfig['profile'], Partial<Pick<TrainingConfig, keyof Settings>>>
> = {
  recal: { epochs: 5, vocabulary: 'common' },
  paper: { graph: 'file', encoder: 'rgat' },
};

/** λ per second. */
export function decayOf({ halfLife }: Pick<TrainingConfig, 'halfLife'>): number {
  return halfLife === 0 ? 0 : Math.LN2 / halfLife;
}

/** Completes the given settings from the preset, then from the defaults. Throws if a value is not allowed. */
export function resolveTrainingConfig(given: Readonly<Record<string, unknown>> = {}): TrainingConfig {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const profile = (set.profile ?? DEFAULT_PROFILE) as TrainingConfig['profile'];
  const preset = PRESETS[profile] ?? {}; // the schema rejects an unknown profile
  if (set.epochs !== undefined && set.steps !== undefined) {
    throw new RecalError('training-config', 'epochs and steps cannot both be set', {
      hint: 'set epochs or steps, not both',
      exit: EXIT.usage,
    });
  }
  const parsed = trainingConfigSchema.safeParse({ ...preset, ...set });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RecalError('training-config', `${issue.path.join('.') || 'training'}: ${issue.message}`, {
    hint: 'docs/reference/settings.md lists every setting and its range',
    exit: EXIT.usage,
  });
}

/** Turns a budget in steps into whole epochs. A model stores epochs only, so both ways give the same bytes. */
export function budgetInEpochs({ steps, ...config }: TrainingConfig, graphs: number): TrainingConfig {
  return steps === undefined ? config : { ...config, epochs: Math.max(1, Math.ceil(steps / graphs)) };
}

/** True if the budget is the default of the profile. */
export function hasOwnBudget({ profile, epochs, steps }: TrainingConfig): boolean {
  return steps === undefined && epochs === resolveTrainingConfig({ profile }).epochs;
}

/** The configuration of the network. */
export function modelConfigOf(config: TrainingConfig, relations: number, features: number): ModelConfig {
  const { hidden, heads, layers, encoder, balanced, exponent, learningRate, weightDecay, clip } = config;
  return {
    relations,
    features,
    hidden,
    heads,
    layers,
    encoder,
    balanced,
    exponent,
    learningRate,
    weightDecay,
    clip,
  };
}

/** The configuration of masking. */
export function maskConfigOf({ maskBase, maskMin, maskMax, gamma, balanced }: TrainingConfig): MaskConfig {
  return { p0: maskBase, pMin: maskMin, pMax: maskMax, gamma, balanced };
}
