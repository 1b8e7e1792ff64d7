import { z } from 'zod';
import { type ConfigSetting, configSetting } from '../../base/config-setting.js';
import { EXIT, RecalError } from '../../base/errors.js';
import { BLOCK_SCALES } from '../../features/feature-space.js';
import { PROFILE_DEFAULTS } from '../../features/profile.js';
import { WORD2VEC_DEFAULTS } from '../../features/word2vec.js';
import { MODEL_DEFAULTS, type ModelConfig } from '../config.js';
import { MASK_DEFAULTS, type MaskConfig } from './masking.js';

const whole = (low: number, high: number) => z.int().min(low).max(high);
const share = z.number().min(0).max(1);

/** Shorter ones forget everything between any two events, and λ must stay a number. */
const SHORTEST_HALF_LIFE = 0.001;

/**
 * All that decides what is learned, in one flat table: command line, configuration file, model file and
 * docs/reference/settings.md all follow from it. Marks as in method: [p] is the paper's own constant.
 */
export const TRAINING_SETTINGS = {
  profile: configSetting(
    z.enum(['recal', 'paper']).default('recal'),
    'preset: recal, or paper for what the paper describes',
    'the presets differ in graph, encoder and epochs; each can also be set alone',
  ),
  graph: configSetting(
    z.enum(['window', 'file']).default('window'),
    'what one graph is: a time window of a host, or a file',
    'windows can be judged as they end; profile paper takes files, as published',
  ),
  window: configSetting(
    z
      .number()
      .min(1 / 60)
      .max(10_080)
      .default(30),
    'minutes of a window',
    'long enough for a program to show its habit, short enough to alarm within the hour',
    'MINUTES',
  ),
  direction: configSetting(
    z.enum(['flow', 'magic', 'none']).default('flow'),
    'which way edges run: with the flow of information, as MAGIC does it, or always from subject to object',
    'information flow is what causality is about; the others are for comparison',
  ),
  inputBlocks: configSetting(
    z.enum(BLOCK_SCALES).default('raw'),
    'blocks of x_v for the encoder: as they are, or each of length one',
    'as the paper writes it; not settled by evidence yet',
  ),
  targetBlocks: configSetting(
    z.enum(BLOCK_SCALES).default('raw'),
    'blocks of x_v for the loss: as they are, or each of length one',
    'as the paper writes it; not settled by evidence yet',
  ),
  textDimension: configSetting(
    whole(1, 512).default(WORD2VEC_DEFAULTS.dimension),
    'd, the width of word vectors',
    'a few thousand tokens need no more, and every node carries d numbers',
    'D',
  ),
  textWindow: configSetting(
    whole(1, 64).default(WORD2VEC_DEFAULTS.window),
    'tokens to either side that are near',
    'a whole path is near: CADETS E1 has four tokens a name',
    'N',
  ),
  textNegatives: configSetting(
    whole(1, 64).default(WORD2VEC_DEFAULTS.negatives),
    'negative samples a pair',
    'the usual choice for small vocabularies',
    'N',
  ),
  textEpochs: configSetting(
    whole(1, 10_000).default(WORD2VEC_DEFAULTS.epochs),
    'passes of Word2Vec over the entities',
    'a host has thousands of sentences, not the millions that five passes are for',
    'N',
  ),
  textRate: configSetting(
    z.number().positive().max(1).default(WORD2VEC_DEFAULTS.rate),
    'first learning rate of Word2Vec, falling linearly to nothing',
    "the original program's",
    'RATE',
  ),
  history: configSetting(
    whole(2, 1024).default(PROFILE_DEFAULTS.history),
    'L, the events of a node that its profile remembers',
    'at most 19 numbers a node; longer histories blur what the node does now',
    'L',
  ),
  halfLife: configSetting(
    z
      .number()
      .refine((seconds) => seconds === 0 || seconds >= SHORTEST_HALF_LIFE, {
        message: `must be 0, or at least ${SHORTEST_HALF_LIFE}`,
      })
      .default(900),
    'seconds after which a transition counts half; 0 for never',
    'half a window: what is a window old counts a quarter',
    'SECONDS',
  ),
  encoder: configSetting(
    z.enum(['additive', 'rgat']).default(MODEL_DEFAULTS.encoder),
    'graph attention: shared weights with a term a relation, or weights of their own for each',
    'far less to compute; profile paper takes rgat, the encoder that the paper cites',
  ),
  hidden: configSetting(
    whole(4, 1024).default(MODEL_DEFAULTS.hidden),
    'H, the width of embeddings',
    '4 heads of 16; the kernels are built for 64',
    'H',
  ),
  heads: configSetting(
    whole(1, 64).default(MODEL_DEFAULTS.heads),
    'attention heads',
    'the kernels are built for 4',
    'N',
  ),
  layers: configSetting(
    whole(1, 4).default(MODEL_DEFAULTS.layers),
    'layers of the encoder',
    'two hops: a process sees what its files and its children touch',
    'N',
  ),
  exponent: configSetting(
    z.number().min(1).max(8).default(MODEL_DEFAULTS.exponent),
    'α of the loss (1 − cos)^α',
    'easy nodes stop mattering once they are right',
    'α',
  ),
  balanced: configSetting(
    z.boolean().default(true),
    'mask by relation and decode by relation; off is the ablation w/o BL',
    'what the method is about [p]',
  ),
  maskBase: configSetting(
    share.default(MASK_DEFAULTS.p0),
    'p0, masking probability at the median frequency',
    'leaves most neighbours to read from',
    'P',
  ),
  maskMin: configSetting(
    share.default(MASK_DEFAULTS.pMin),
    'p_min',
    'even read and write get targets in every graph',
    'P',
  ),
  maskMax: configSetting(
    share.default(MASK_DEFAULTS.pMax),
    'p_max',
    'the rarest relations keep some nodes in sight',
    'P',
  ),
  gamma: configSetting(
    z.number().min(0).max(4).default(MASK_DEFAULTS.gamma),
    'γ, how much rarer relations are masked more; 0 is uniform',
    "the paper's [p]",
    'γ',
  ),
  learningRate: configSetting(
    z.number().positive().max(1).default(MODEL_DEFAULTS.learningRate),
    'of Adam',
    "the paper's [p]",
    'RATE',
  ),
  weightDecay: configSetting(
    z.number().min(0).max(1).default(MODEL_DEFAULTS.weightDecay),
    'L2, added to the gradient',
    'rare relations have few nodes to learn from',
    'L2',
  ),
  clip: configSetting(
    z.number().min(0).default(MODEL_DEFAULTS.clip),
    'largest norm of the gradient; 0 for no limit',
    'no node can lose more than 2^α, so nothing explodes',
    'NORM',
  ),
  epochs: configSetting(
    whole(1, 1_000_000).default(200),
    'passes over all graphs',
    'beyond 50 no figure moved by more than seeds do; profile paper takes the 200 of the paper [p]',
    'N',
  ),
  seed: configSetting(
    whole(0, 2 ** 32 - 1).default(0),
    'of everything drawn at random',
    'the same seed gives the same bytes; the paper reports seeds 0 to 4 [p]',
    'N',
  ),
} as const satisfies Record<string, ConfigSetting>;

type Options = typeof TRAINING_SETTINGS;
type Shape = { [K in keyof Options]: Options[K]['type'] };

const shape = Object.fromEntries(
  Object.entries(TRAINING_SETTINGS).map(([key, { type }]) => [key, type]),
) as unknown as Shape;

/** Strict: a misspelt choice that silently does nothing is worse than an error. */
export const trainingConfigSchema = z
  .strictObject(shape)
  .refine(({ maskMin, maskMax }) => maskMin <= maskMax, {
    path: ['maskMin'],
    message: 'must not be above maskMax',
  })
  .refine(
    ({ balanced, maskBase, maskMin, maskMax }) =>
      balanced ? maskMax > 0 && (maskBase > 0 || maskMin > 0) : maskBase > 0,
    { path: ['maskBase'], message: 'no node would ever be masked, and nothing learned' },
  )
  .refine(({ hidden, heads }) => hidden % heads === 0, {
    path: ['hidden'],
    message: 'must be a multiple of heads',
  });

export type TrainingConfig = z.output<typeof trainingConfigSchema>;

export const DEFAULT_PROFILE = 'recal' satisfies TrainingConfig['profile'];

/** What a preset says where nothing else is said. */
export const PRESETS: Readonly<Record<TrainingConfig['profile'], Partial<TrainingConfig>>> = {
  recal: { epochs: 50 },
  paper: { graph: 'file', encoder: 'rgat' },
};

/** λ per second. */
export function decayOf({ halfLife }: Pick<TrainingConfig, 'halfLife'>): number {
  return halfLife === 0 ? 0 : Math.LN2 / halfLife;
}

/** Fills in what is not said: the preset's word first, then the defaults. Refuses what makes no sense. */
export function resolveTrainingConfig(given: Readonly<Record<string, unknown>> = {}): TrainingConfig {
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const profile = (said.profile ?? DEFAULT_PROFILE) as TrainingConfig['profile'];
  const preset = PRESETS[profile] ?? {}; // an unknown one is refused below
  const parsed = trainingConfigSchema.safeParse({ ...preset, ...said });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RecalError('training-config', `${issue.path.join('.') || 'training'}: ${issue.message}`, {
    hint: 'docs/reference/settings.md lists every setting and its range',
    exit: EXIT.usage,
  });
}

/** The part of the choices that the learning core is built from. */
export function coreConfigOf(config: TrainingConfig, relations: number, features: number): ModelConfig {
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

/** The part that masking reads. */
export function maskConfigOf({ maskBase, maskMin, maskMax, gamma, balanced }: TrainingConfig): MaskConfig {
  return { p0: maskBase, pMin: maskMin, pMax: maskMax, gamma, balanced };
}
