import { closestName } from '../../base/closest-name.js';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { type DetectionConfig, resolveDetectionConfig } from '../../detect/detection-config.js';
import { resolveTrainingConfig, type TrainingConfig } from '../../model/training/training-config.js';

/** One contestant of an evaluation: RECAL as configured, an ablation of it, or a rival (method §10). */
export interface Variant {
  readonly name: string;
  readonly summary: string;
  /** What computes the scores. */
  readonly kind: 'recal' | 'rarity' | 'velox';
  /** What sets it apart, over the profile and what the person asked for. */
  readonly training: Readonly<Partial<TrainingConfig>>;
  readonly detection: Readonly<Partial<DetectionConfig>>;
}

/** A variant with every choice made. */
export interface ResolvedVariant {
  readonly variant: Variant;
  /** Of any seed: the seed is set for each run. */
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

const VARIANTS: readonly Variant[] = [
  recal('recal', 'the default profile', { profile: 'recal' }, {}),
  recal('paper', 'the profile that follows the paper', PAPER, {}),
  recal(
    'wo-bl',
    'paper without balanced learning, by kNN distance alone',
    { ...PAPER, balanced: false },
    KNN_ALONE,
  ),
  recal('wo-cd', 'paper without calibrated detection, by kNN distance alone', PAPER, KNN_ALONE),
  recal('zscore', 'paper with z-scores instead of quantiles', PAPER, { calibration: 'zscore' }),
  recal('max', 'paper with the strongest relation instead of fusion', PAPER, { fusion: 'max' }),
  recal('mean', 'paper with the mean of relations instead of fusion', PAPER, { fusion: 'mean' }),
  { ...rival('rarity', 'share of names and relations never seen before: the baseline to beat') },
  { ...rival('velox', 'least likely relation by one small network over the text of both ends') },
];

export const VARIANT_NAMES: readonly string[] = VARIANTS.map(({ name }) => name);

function recal(
  name: string,
  summary: string,
  training: Variant['training'],
  detection: Variant['detection'],
): Variant {
  return { name, summary, kind: 'recal', training, detection };
}

/** Rivals have no profile. Rarity is about a node as a whole, so a graph is a file; Velox looks at single edges. */
function rival(name: 'rarity' | 'velox', summary: string): Variant {
  const training = name === 'rarity' ? { graph: 'file' as const } : {};
  return { name, summary, kind: name, training: { profile: 'recal', ...training }, detection: {} };
}

export function variantOf(name: string): Variant {
  const found = VARIANTS.find((variant) => variant.name === name);
  if (found !== undefined) return found;
  const near = closestName(name, VARIANT_NAMES);
  throw new RecalError('unknown-variant', `there is no variant '${printable(name, 60)}'`, {
    hint: near === undefined ? `one of: ${VARIANT_NAMES.join(', ')}` : `did you mean '${near}'?`,
    exit: EXIT.usage,
  });
}

/** The profile's word first, then what was asked for, then what makes the variant what it is. */
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

/** Variants that need the same trained model stand together, in the order in which they were asked for. */
export function shareTraining(variants: readonly ResolvedVariant[]): ResolvedVariant[][] {
  const groups = new Map<string, ResolvedVariant[]>();
  for (const each of variants) {
    const { kind, name } = each.variant;
    // How many points the reference holds is settled when a model is fitted.
    const { reference, rounds, neighbours } = each.detection;
    const key = kind === 'recal' ? JSON.stringify([each.training, reference, rounds, neighbours]) : name;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}

/** `0-4`, `7`, `0,2,9-11`. */
export function parseSeeds(text: string): number[] {
  const seeds = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^\s*(\d{1,10})(?:\s*-\s*(\d{1,10}))?\s*$/.exec(part);
    const [first, last] = match === null ? [1, 0] : [Number(match[1]), Number(match[2] ?? match[1])];
    if (first > last || last > 2 ** 32 - 1 || last - first >= 1000) {
      throw new RecalError('seeds-invalid', `'${printable(text, 60)}' names no seeds`, {
        hint: 'write 0-4, or 7, or 0,2,9-11',
        exit: EXIT.usage,
      });
    }
    for (let seed = first; seed <= last; seed++) seeds.add(seed);
  }
  return [...seeds];
}
