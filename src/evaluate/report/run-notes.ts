import { hasOwnBudget } from '../../model/training/training-config.js';
import type { EvaluateVariantsOptions, RunRecord } from '../evaluation.js';
import type { LabelMatch } from '../labels/label-match.js';
import { type ResolvedVariant, UNSEEDED } from '../protocol/variants.js';
import { stepsOf } from './cell-text.js';

// Notes that the caveats of a report state in their own way.
export const ONE_SEED =
  'one seed only: there is no standard deviation, and another seed may change the order';
export const NO_ATTACKS = 'the labels name no attacks, so there are no results for attacks';
export const IN_TRAINING = 'also occur in training and may have been learned as benign';

/** The notes of an evaluation for `result.json`. */
export function* runNotes(
  options: EvaluateVariantsOptions,
  labels: LabelMatch,
  run: RunRecord,
): Generator<string> {
  yield* labelNotes(labels);
  yield* seedNotes(options, run);
  yield* variantNotes(options, run);
  yield* budgetNotes(options, run);
}

function* labelNotes({ counts, attacks, unmatched, inTraining, attacksUnmatched }: LabelMatch) {
  if (attacks === null) yield NO_ATTACKS;
  if (counts.labelsUnmatched > 0) {
    yield `${counts.labelsUnmatched} of ${counts.labels} labels match no node of the test split, for example ${unmatched.join(', ')}`;
  }
  if (counts.labelsInTraining > 0) {
    yield `${counts.labelsInTraining} labelled entities ${IN_TRAINING}, for example ${inTraining.join(', ')}`;
  }
  if (counts.ignored > 0) yield `${counts.ignored} nodes are ignored`;
  if (counts.labelledAndIgnored > 0) {
    yield `${counts.labelledAndIgnored} nodes are both labelled and ignored; they count as labelled`;
  }
  if (attacksUnmatched.length > 0)
    yield `no node of the test split belongs to ${attacksUnmatched.join(', ')}`;
}

function* seedNotes({ seeds, variants }: EvaluateVariantsOptions, { measured, complete }: RunRecord) {
  if (seeds.length === 1) yield ONE_SEED;
  if (!complete) {
    const counted = variants.map(({ variant: { name } }) => ({
      name,
      seeds: measured.filter((each) => each.variant === name).length,
    }));
    // Means of different variants may cover different seeds.
    const finished = counted
      .filter((each) => each.seeds > 0)
      .map((each) => `${each.name} ${each.seeds} of ${seeds.length}`);
    yield `stopped before the end; results cover only the finished seeds: ${finished.join(', ')}`;
    const missing = counted.filter((each) => each.seeds === 0);
    if (missing.length > 0) yield `not run: ${missing.map(({ name }) => name).join(', ')}`;
  }
  const unseeded = new Set(measured.map(({ variant }) => variant).filter((name) => UNSEEDED.has(name)));
  if (unseeded.size > 0 && seeds.length > 1) {
    yield `${[...unseeded].join(', ')}: no random numbers, so all seeds are the same run and the deviation is 0`;
  }
}

/** Learned variants that differ by more than this factor in steps are not compared fairly. */
const UNEQUAL = 2;

function* budgetNotes({ variants }: EvaluateVariantsOptions, { measured }: RunRecord) {
  const budgets = new Map(
    variants.flatMap(({ variant: { name } }) => {
      const seeds = measured.filter((each) => each.variant === name).map((each) => each.measured.result);
      const steps = stepsOf({ seeds });
      return steps === null ? [] : [[name, { steps, graphs: seeds[0].budget?.graphs ?? 0 }] as const];
    }),
  );
  const steps = [...new Set([...budgets.values()].map((budget) => budget.steps))].sort((a, b) => a - b);
  if (steps.length < 2 || steps[steps.length - 1] <= UNEQUAL * steps[0]) return;
  const taken = steps.map((count, i) => {
    const names = [...budgets].filter(([, budget]) => budget.steps === count).map(([name]) => name);
    return `${names.join(', ')} ${i === 0 ? `took ${count} steps` : count}`;
  });
  const trained = variants.filter(({ variant: { name } }) => budgets.has(name));
  const graphs = Math.max(...[...budgets.values()].map((budget) => budget.graphs));
  const advice = trained.some(({ training }) => training.steps !== undefined)
    ? `an epoch is not divided, so use --steps ${graphs} or more`
    : trained.every(({ training }) => hasOwnBudget(training))
      ? 'each took its own budget; --steps gives all the same'
      : 'use --steps, or leave --epochs out so that each takes its own budget';
  yield `unequal training: ${taken.join('; ')}; ${advice}`;
}

/** Notes about thresholds, each with the variants it is true of. */
function* variantNotes({ variants }: EvaluateVariantsOptions, { measured }: RunRecord) {
  const namesOf = new Map<string, Set<string>>();
  for (const { variant, measured: each, outcome } of measured) {
    const isOracle = each.result.threshold.oracle;
    const { detection } = variants.find(({ variant: { name } }) => name === variant) as ResolvedVariant;
    // Plain distances do not depend on calibration.
    const isPlain = detection.calibration === 'none' && detection.gate === 'none';
    const inSample =
      outcome.benign.inSample && !isOracle && !isPlain
        ? ['benign scores come from the same data as the calibration tables, so the threshold is too low']
        : [];
    for (const note of [...(each.note === null ? [] : [each.note]), ...inSample]) {
      const names = namesOf.get(note) ?? new Set();
      namesOf.set(note, names.add(variant));
    }
  }
  for (const [note, names] of namesOf) yield `${[...names].join(', ')}: ${note}`;
}
