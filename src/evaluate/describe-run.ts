import type { EvaluateOptions, RunRecord } from './evaluate.js';
import type { LabelMatch } from './label-match.js';
import type { Labels } from './labels.js';
import type { Part } from './parts.js';
import { type EvaluationResult, FIGURE_NAMES, type VariantResult } from './result-schema.js';
import { summariseSeeds } from './summary-statistics.js';
import type { ResolvedVariant } from './variants.js';

/** All that was measured, as `result.json` has it. */
export function describeRun(
  options: EvaluateOptions,
  labels: LabelMatch,
  run: RunRecord,
  notes: readonly string[],
): EvaluationResult {
  const { parts, variants, protocol, matching, threshold, seeds, tier } = options;
  const { train, calibrate, test } = parts;
  const finished = variants.filter(({ variant }) => run.measured.some((each) => each.variant === variant.name));
  return {
    version: 1,
    ...{ protocol, matching },
    variants: Object.fromEntries(
      finished.map((resolved) => [resolved.variant.name, describeVariant(resolved, run)]),
    ),
    data: {
      labels: describeLabels(options.labels),
      ...(options.ignore === undefined ? {} : { ignore: describeLabels(options.ignore) }),
      tier,
      nodes: labels.counts.nodes,
      positives: labels.counts.positives,
      ignored: labels.counts.ignored,
      labelled: labels.counts.labels,
      labelsUnmatched: labels.counts.labelsUnmatched,
      labelsInTraining: labels.counts.labelsInTraining,
      withoutAttack: labels.counts.withoutAttack,
      labelledAndIgnored: labels.counts.labelledAndIgnored,
      attacks: labels.attacks === null ? null : [...labels.attacks.names],
      attacksUnmatched: [...labels.attacksUnmatched],
      splits: { train: describePart(train), calibrate: describePart(calibrate), test: describePart(test) },
    },
    config: { threshold: thresholdText(threshold), seeds: [...seeds], threads: options.threads },
    versions: { node: process.versions.node, ...options.versions },
    timings: { ...options.timings, ...run.seconds },
    peakMemory: process.resourceUsage().maxRSS * 1024,
    notes: [...notes, ...describeLabelling(labels), ...describeSeeds(options, run)],
  };
}
