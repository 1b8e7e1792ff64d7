import { peakMemory } from '../../base/peak-memory.js';
import { hostDaysOf } from '../../detect/episodes/trees/host-days.js';
import { formatThreshold } from '../../detect/threshold/threshold.js';
import { planGraphs } from '../../model/training/graph-plan.js';
import type { EvaluateVariantsOptions, RunRecord } from '../evaluation.js';
import type { LabelMatch } from '../labels/label-match.js';
import type { Labels } from '../labels/labels.js';
import { summariseSeeds } from '../metrics/summary-statistics.js';
import { TOP_NODES } from '../metrics/top-incidents.js';
import type { LoadedSplit } from '../protocol/splits.js';
import type { ResolvedVariant } from '../protocol/variants.js';
import { type EvaluationResult, FIGURE_NAMES, type VariantResult } from '../result-schema.js';
import { isPublished, rivalSettings } from '../rivals/rival-settings.js';
import { veloxSettings } from '../rivals/velox-options.js';
import { runNotes } from './run-notes.js';

type Data = EvaluationResult['data'];

/** The name of the processor time among the seconds by stage. */
export const PROCESSOR_STAGE = 'processor, all threads';

/** The content of `result.json`. */
export function describeRun(
  options: EvaluateVariantsOptions,
  labels: LabelMatch,
  run: RunRecord,
  notes: readonly string[],
): EvaluationResult {
  const { variants, protocol, matching, threshold, seeds, threads, calibrationShare = 1 } = options;
  const finished = variants.filter(({ variant }) =>
    run.measured.some((each) => each.variant === variant.name),
  );
  return {
    version: 1,
    complete: run.complete,
    protocol,
    matching,
    data: describeData(options, labels),
    variants: Object.fromEntries(
      finished.map((resolved) => [resolved.variant.name, describeVariant(resolved, run)]),
    ),
    config: {
      threshold: formatThreshold(threshold),
      seeds: [...seeds],
      threads,
      topNodes: TOP_NODES,
      ...(calibrationShare < 1 ? { calibrationShare } : {}),
    },
    versions: { node: process.versions.node, ...options.versions },
    timings: { ...options.timings, ...run.seconds, [PROCESSOR_STAGE]: processorSeconds() },
    peakMemory: peakMemory(),
    notes: [...notes, ...runNotes(options, labels, run)],
  };
}

function describeVariant({ variant, training, detection }: ResolvedVariant, run: RunRecord): VariantResult {
  const seeds = run.measured
    .filter((each) => each.variant === variant.name)
    .map(({ measured }) => measured.result);
  const { seed: _, epochs, ...learning } = training;
  const { graph, textDimension, inputBlocks } = training;
  const config =
    variant.kind === 'recal'
      ? { training: learning.steps === undefined ? { ...learning, epochs } : learning, detection }
      : variant.kind === 'velox'
        ? { training: { graph, textDimension, inputBlocks }, network: veloxSettings(variant.velox, training) }
        : isPublished(variant.kind)
          ? { training: { graph }, network: rivalSettings(variant.kind, variant.settings) }
          : { training: { graph } };
  return { config: JSON.parse(JSON.stringify(config)), seeds, ...summariseSeeds(seeds, FIGURE_NAMES) };
}

function describeData(
  { splits, labels: file, ignore, tier, variants }: EvaluateVariantsOptions,
  { counts, attacks, attacksUnmatched }: LabelMatch,
): Data {
  // Variants may build graphs differently; these are the graphs of the first.
  const describeSplit = ({ store, events }: LoadedSplit): Data['splits'][string] => ({
    graphs: planGraphs(store, events, variants[0].training).sizes.length,
    nodes: events.keys.size,
    events: events.table.length,
    hostDays: hostDaysOf(events),
  });
  return {
    labels: describeLabels(file),
    ...(ignore === undefined ? {} : { ignore: describeLabels(ignore) }),
    tier,
    nodes: counts.nodes,
    positives: counts.positives,
    ignored: counts.ignored,
    labelled: counts.labels,
    labelsUnmatched: counts.labelsUnmatched,
    labelsInTraining: counts.labelsInTraining,
    withoutAttack: counts.withoutAttack,
    labelledAndIgnored: counts.labelledAndIgnored,
    attacks: attacks === null ? null : [...attacks.names],
    attacksUnmatched: [...attacksUnmatched],
    splits: {
      train: describeSplit(splits.train),
      calibrate: describeSplit(splits.calibrate),
      test: describeSplit(splits.test),
    },
  };
}

function describeLabels({ file, form, rows, merged, otherTier }: Labels): Data['labels'] {
  return { file, form, rows, merged, otherTier };
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
