import { formatThreshold } from '../../detect/threshold/threshold.js';
import { planGraphs } from '../../model/training/graph-plan.js';
import type { EvaluateOptions, RunRecord } from '../evaluation.js';
import type { LabelMatch } from '../labels/label-match.js';
import type { Labels } from '../labels/labels.js';
import { summariseSeeds } from '../metrics/summary-statistics.js';
import { TOP_NODES } from '../metrics/top-incidents.js';
import type { LoadedSplit } from '../protocol/splits.js';
import type { ResolvedVariant } from '../protocol/variants.js';
import { type EvaluationResult, FIGURE_NAMES, type VariantResult } from '../result-schema.js';

type Data = EvaluationResult['data'];

/** All that was measured, as `result.json` has it. */
export function describeRun(
  options: EvaluateOptions,
  labels: LabelMatch,
  run: RunRecord,
  notes: readonly string[],
): EvaluationResult {
  const { variants, protocol, matching, threshold, seeds, threads } = options;
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
    config: { threshold: formatThreshold(threshold), seeds: [...seeds], threads, topNodes: TOP_NODES },
    versions: { node: process.versions.node, ...options.versions },
    timings: { ...options.timings, ...run.seconds, 'processor, all threads': processorSeconds() },
    peakMemory: process.resourceUsage().maxRSS * 1024,
    notes: [...notes, ...noteLabels(labels), ...noteRuns(options, run)],
  };
}

function describeVariant({ variant, training, detection }: ResolvedVariant, run: RunRecord): VariantResult {
  const seeds = run.measured
    .filter((each) => each.variant === variant.name)
    .map(({ measured }) => measured.result);
  const { seed: _, ...learning } = training;
  const config =
    variant.kind === 'recal' ? { training: learning, detection } : { training: { graph: learning.graph } };
  return { config: JSON.parse(JSON.stringify(config)), seeds, ...summariseSeeds(seeds, FIGURE_NAMES) };
}

function describeData(
  { splits, labels: file, ignore, tier, variants }: EvaluateOptions,
  { counts, attacks, attacksUnmatched }: LabelMatch,
): Data {
  // Graphs as the first variant cuts them.
  const describeSplit = ({ store, events }: LoadedSplit): Data['splits'][string] => ({
    graphs: planGraphs(store, events, variants[0].training).sizes.length,
    nodes: events.keys.size,
    events: events.table.length,
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

function* noteLabels({ counts, attacks, unmatched, inTraining, attacksUnmatched }: LabelMatch) {
  if (attacks === null) yield 'the labels name no attacks: figures over attacks are not defined';
  if (counts.labelsUnmatched > 0) {
    yield `${counts.labelsUnmatched} of ${counts.labels} labels are no node of the test, such as ${unmatched.join(', ')}`;
  }
  if (counts.labelsInTraining > 0) {
    yield `${counts.labelsInTraining} labels are in training too, and may have been learned as benign, such as ${inTraining.join(', ')}`;
  }
  if (counts.ignored > 0) yield `${counts.ignored} nodes are ignored`;
  if (counts.labelledAndIgnored > 0) {
    yield `${counts.labelledAndIgnored} nodes are both labelled and ignored: they count as labelled`;
  }
  if (attacksUnmatched.length > 0) yield `no node of the test is of ${attacksUnmatched.join(', ')}`;
}

function* noteRuns({ seeds, variants }: EvaluateOptions, { measured, complete }: RunRecord) {
  if (seeds.length === 1) yield 'one seed only: no deviation can be told';
  if (!complete) {
    const counted = variants.map(({ variant: { name } }) => ({
      name,
      seeds: measured.filter((each) => each.variant === name).length,
    }));
    // Means over different seeds are not of the same runs.
    const finished = counted
      .filter((each) => each.seeds > 0)
      .map((each, i) => `${each.name} ${each.seeds} of ${seeds.length}${i === 0 ? ' seeds' : ''}`);
    yield `stopped before the end: figures are over the seeds that were finished, ${finished.join(', ')}`;
    const missing = counted.filter((each) => each.seeds === 0);
    if (missing.length > 0) yield `not run: ${missing.map(({ name }) => name).join(', ')}`;
  }
  if (measured.some(({ variant }) => variant === 'rarity') && seeds.length > 1) {
    yield 'rarity draws nothing at random: its seeds are one run, and its deviation is 0';
  }
  const said = new Map<string, Set<string>>();
  for (const { variant, measured: each, outcome } of measured) {
    const isOracle = each.result.threshold.oracle;
    const { detection } = variants.find(({ variant: { name } }) => name === variant) as ResolvedVariant;
    // Plain distances are compared with nothing that calibration made.
    const isPlain = detection.calibration === 'none' && detection.gate === 'none';
    const inSample =
      outcome.benign.inSample && !isOracle && !isPlain
        ? ['benign scores come from the very data of its tables, so its threshold is too low']
        : [];
    for (const note of [...(each.note === null ? [] : [each.note]), ...inSample]) {
      const names = said.get(note) ?? new Set();
      said.set(note, names.add(variant));
    }
  }
  for (const [note, names] of said) yield `${[...names].join(', ')}: ${note}`;
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
