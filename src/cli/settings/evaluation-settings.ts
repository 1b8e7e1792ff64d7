import { z } from 'zod';
import { DETECTION_PRESETS, DETECTION_SETTINGS } from '../../detect/detection-config.js';
import { TIER_CHOICES } from '../../evaluate/labels/labels.js';
import { MATCHING_PROTOCOLS } from '../../evaluate/metrics/matching.js';
import { PROTOCOL_THRESHOLDS, PROTOCOLS } from '../../evaluate/protocol/protocol.js';
import { PRESETS, TRAINING_SETTINGS } from '../../model/training/training-config.js';
import { configSettings, givenValues } from './config-settings.js';
import { threadsSetting } from './threads.js';

// A variant sets the profile, and --seeds sets the seed.
const { profile: _profile, seed: _seed, ...variantSettings } = TRAINING_SETTINGS;

const logs = (purpose: string) => ({
  type: z.array(z.string().min(1)).min(1),
  description: `logs to ${purpose}: files, a quoted glob, a store with this split, or DIR#SPLIT`,
  value: 'FILE',
});

export const outSetting = {
  type: z.string().min(1),
  description: 'folder for the results',
  value: 'DIR',
} as const;

export const seedsSetting = {
  type: z.string().default('0-4'),
  description: 'seeds, such as 0-4 or 7',
  value: 'SEEDS',
} as const;

/** The variants to compare, and what is compared by default. */
export function variantsSetting(defaults: readonly string[]) {
  return {
    type: z.string().default(defaults.join(',')),
    description: 'variants to compare, separated by commas',
    value: 'NAMES',
  } as const;
}

/** The names in a list with commas, each once. */
export function parseNames(text: string): string[] {
  return [...new Set(text.split(',').map((name) => name.trim()))];
}

/** The learning and detection settings of commands that compare variants. */
export const comparedSettings = {
  threads: threadsSetting('the result'),
  ...configSettings<keyof typeof variantSettings>(variantSettings, PRESETS, { options: ['epochs', 'steps'] }),
  ...configSettings(DETECTION_SETTINGS, DETECTION_PRESETS),
};

/** The given learning and detection settings. */
export function comparedValues(settings: Readonly<Record<string, unknown>>) {
  return {
    training: givenValues(variantSettings, settings),
    detection: givenValues(DETECTION_SETTINGS, settings),
  };
}

/** The settings that `recal evaluate` and `recal sweep` share. */
export const evaluationSettings = {
  train: logs('train on'),
  calibrate: logs('calibrate on'),
  test: logs('score'),
  labels: {
    type: z.string().min(1),
    description: 'attack nodes by id, path or address: a list, or a CSV with uuid or key, attack and tier',
    value: 'FILE',
  },
  ignore: {
    type: z.string().min(1).optional(),
    description: 'ids of nodes to leave out of all figures, in the same format',
    value: 'FILE',
  },
  out: outSetting,
  protocol: {
    type: z.enum(PROTOCOLS).default('honest'),
    description: 'honest: threshold from calibration; paper: best threshold on the test split',
  },
  match: {
    type: z.enum(MATCHING_PROTOCOLS).default('node'),
    description: 'how alerts are matched to labels',
  },
  threshold: {
    type: z.string().optional(),
    description: `budget:5/day, fpr:0.001, fdr:0.1 or oracle (default: ${PROTOCOL_THRESHOLDS.honest}, paper: ${PROTOCOL_THRESHOLDS.paper})`,
    value: 'RULE',
  },
  seeds: seedsSetting,
  tier: {
    type: z.enum(TIER_CHOICES).default('all'),
    description: 'core: count only entities that the attacker created or controlled',
  },
  allowPast: {
    type: z.boolean().default(false),
    description: 'allow the calibrate or test split to begin before training ends',
  },
  ...comparedSettings,
} as const;
