import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { closestName } from '../../base/settings/closest-name.js';
import { type DetectionConfig, resolveDetectionConfig } from '../../detect/detection-config.js';
import { resolveTrainingConfig, type TrainingConfig } from '../../model/training/training-config.js';
import {
  isPublished,
  PUBLISHED_RIVALS,
  type PublishedRival,
  publishedVariant,
  searchedSettings,
} from '../rivals/rival-settings.js';
import type { VeloxOptions } from '../rivals/velox-options.js';

/** A detector that an evaluation compares: RECAL, an ablation of it, or a rival (method §10). */
export interface Variant {
  readonly name: string;
  /** The detector that computes the scores. */
  readonly kind: 'recal' | 'rarity' | 'velox' | 'episodes' | PublishedRival;
  /** Settings that define the variant. They override the profile and the user's settings. */
  readonly training: Readonly<Partial<TrainingConfig>>;
  readonly detection: Readonly<Partial<DetectionConfig>>;
  /** Settings of the network, for `velox`. */
  readonly velox?: Readonly<Partial<VeloxOptions>> | undefined;
  /** Settings of a published rival that differ from its defaults. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** A variant with all settings resolved. */
export interface ResolvedVariant {
  readonly variant: Variant;
  /** Each run sets its own seed. */
  readonly training: TrainingConfig;
  readonly detection: DetectionConfig;
}

const PAPER = { profile: 'paper' } as const;
const KNN_ALONE = {
  evidence: ['distance'],
  gate: 'none',
  calibration: 'none',
  fusion: 'max',
} satisfies Partial<DetectionConfig>;

/** Rivals that read a window at a time. The others score whole nodes, so their graphs are files. */
const WINDOWED: ReadonlySet<string> = new Set(['velox', 'orthrus']);

const VARIANTS: readonly Variant[] = [
  recal('recal', { profile: 'recal' }),
  recal('paper', PAPER),
  // Without balanced learning, scored by kNN distance.
  recal('wo-bl', { ...PAPER, balanced: false }, KNN_ALONE),
  // Without calibrated detection, scored by kNN distance.
  recal('wo-cd', PAPER, KNN_ALONE),
  // z-scores instead of quantiles.
  recal('zscore', PAPER, { calibration: 'zscore' }),
  // The strongest relation instead of Fisher's fusion.
  recal('max', PAPER, { fusion: 'max' }),
  // The mean over relations instead of Fisher's fusion.
  recal('mean', PAPER, { fusion: 'mean' }),
  rival('rarity'),
  rival('velox'),
  rival('episodes'),
  ...PUBLISHED_RIVALS.map((kind) => rival(kind, kind, searchedSettings(kind))),
  ...PUBLISHED_RIVALS.filter((kind) => publishedVariant(kind) !== kind).map((kind) =>
    rival(kind, publishedVariant(kind)),
  ),
];

/** Variants that use no random numbers: every seed gives the same scores. */
export const UNSEEDED: ReadonlySet<string> = new Set(['rarity', 'episodes']);

const VARIANT_NAMES: readonly string[] = VARIANTS.map(({ name }) => name);

/** What an evaluation compares by default. The published rivals take minutes each, so they are asked for by name. */
export const DEFAULT_VARIANTS: readonly string[] = VARIANTS.filter(({ kind }) => !isPublished(kind)).map(
  ({ name }) => name,
);

/** What a comparison of detectors runs by default. */
export const COMPARED: readonly string[] = ['recal', 'velox', 'rarity', 'episodes', ...PUBLISHED_RIVALS];

function recal(name: string, training: Variant['training'], detection: Variant['detection'] = {}): Variant {
  return { name, kind: 'recal', training, detection };
}

/** Rivals have no profile of their own. */
function rival(
  kind: Exclude<Variant['kind'], 'recal'>,
  name: string = kind,
  settings?: Variant['settings'],
): Variant {
  // The window of Orthrus is that of its authors.
  const windowed = kind === 'orthrus' ? { window: 15 } : {};
  const training = WINDOWED.has(kind) ? windowed : { graph: 'file' as const };
  return { name, kind, training: { profile: 'recal', ...training }, detection: {}, settings };
}

export function variantOf(name: string): Variant {
  const found = VARIANTS.find((variant) => variant.name === name);
  if (found !== undefined) return found;
  const near = closestName(name, VARIANT_NAMES);
  throw new RecalError('unknown-variant', `unknown variant '${printable(name, 60)}'`, {
    hint: near === undefined ? `use one of: ${VARIANT_NAMES.join(', ')}` : `did you mean '${near}'?`,
    exit: EXIT.usage,
  });
}

/** Applies the profile, then the user's settings, then the settings that define the variant. */
export function resolveVariant(
  variant: Variant,
  training: Readonly<Record<string, unknown>>,
  detection: Readonly<Record<string, unknown>>,
): ResolvedVariant {
  const config = resolveTrainingConfig({ ...training, ...variant.training });
  return {
    variant,
    training: config,
    detection: resolveDetectionConfig(config.profile, { ...detection, ...variant.detection }),
  };
}

/** Groups the variants that need the same trained model, in the given order. */
export function shareTraining(variants: readonly ResolvedVariant[]): ResolvedVariant[][] {
  const groups = new Map<string, ResolvedVariant[]>();
  for (const each of variants) {
    const { kind, name } = each.variant;
    // Fitting fixes these detection settings, so variants that differ in them cannot share a model.
    const { reference, rounds, neighbours } = each.detection;
    const key = kind === 'recal' ? JSON.stringify([each.training, reference, rounds, neighbours]) : name;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}

/** Parses seeds such as `0-4`, `7` or `0,2,9-11`. */
export function parseSeeds(text: string): number[] {
  const seeds = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^\s*(\d{1,10})(?:\s*-\s*(\d{1,10}))?\s*$/.exec(part);
    const [first, last] = match === null ? [1, 0] : [Number(match[1]), Number(match[2] ?? match[1])];
    if (first > last || last > 2 ** 32 - 1 || last - first >= 1000) {
      throw new RecalError('seeds-invalid', `invalid seeds '${printable(text, 60)}'`, {
        hint: 'write 0-4, 7 or 0,2,9-11',
        exit: EXIT.usage,
      });
    }
    for (let seed = first; seed <= last; seed++) seeds.add(seed);
  }
  return [...seeds];
}
