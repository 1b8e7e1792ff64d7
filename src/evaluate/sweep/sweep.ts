import { EXIT, RecalError } from '../../base/errors.js';
import { evaluateEach } from '../evaluate-variants.js';
import type { EvaluateVariantsOptions, EvaluateWatch } from '../evaluation.js';
import { type ResolvedVariant, resolveVariant, variantOf } from '../protocol/variants.js';
import { type Assignment, assignmentText, groupAssignment, valueText } from './sweep-axes.js';
import { readTrial, type Trial, trialId, writeTrial } from './sweep-trial.js';

export interface SweepOptions extends Omit<EvaluateVariantsOptions, 'variants' | 'watch'> {
  readonly variants: readonly string[];
  /** Settings of every trial. */
  readonly training: Readonly<Record<string, unknown>>;
  readonly detection: Readonly<Record<string, unknown>>;
  readonly trials: readonly Assignment[];
  /** Folder of the finished trials. */
  readonly folder: string;
  readonly watch?: SweepWatch | undefined;
}

export interface SweepWatch {
  /** Called when a trial begins, or when its result is already known. */
  trial?(assignment: Assignment, number: number, known: boolean): void;
  readonly evaluation?: EvaluateWatch;
}

export interface SweepOutcome {
  readonly trials: readonly Trial[];
  /** Number of trials with a result from an earlier run or trial. */
  readonly known: number;
  readonly complete: boolean;
}

/** A trial and what it evaluates. */
interface PlannedTrial {
  readonly assignment: Assignment;
  readonly id: string;
  readonly evaluation: EvaluateVariantsOptions;
  /** Equal for trials that differ in the calibration share alone. */
  readonly models: string;
}

/**
 * Runs the trials one by one. Each trial is an independent evaluation, so its figures do not depend on other trials.
 * Trials that differ in the calibration share alone have the same models and measurements, so they run together. A
 * finished trial is kept in a file and is not run again.
 */
export async function runSweep(options: SweepOptions): Promise<SweepOutcome> {
  const { folder, watch, signal } = options;
  // Check all trials first, so that a mistake shows before hours of work.
  const planned = options.trials.map((assignment) => planTrial(options, assignment));
  const finished: Trial[] = [];
  /** Trials that ran together with an earlier one. */
  const fresh = new Map<string, Trial>();
  let known = 0;
  for (const [i, { assignment, id, models }] of planned.entries()) {
    if (signal?.aborted === true) return { trials: finished, known, complete: false };
    const before = fresh.has(id) ? undefined : await findTrial(folder, planned[i], finished);
    watch?.trial?.(assignment, i, before !== undefined);
    if (before !== undefined) {
      finished.push(before);
      known++;
      continue;
    }
    if (!fresh.has(id)) {
      const together: PlannedTrial[] = [];
      for (const each of planned.slice(i).filter((other) => other.models === models)) {
        const isNew = together.every((other) => other.id !== each.id);
        if (isNew && (await findTrial(folder, each, finished)) === undefined) together.push(each);
      }
      const done = await runTogether(together);
      if (done === undefined) return { trials: finished, known, complete: false };
      for (const trial of done) {
        await writeTrial(folder, trial);
        fresh.set(trial.id, trial);
      }
    }
    finished.push({ ...(fresh.get(id) as Trial), assignment });
    fresh.delete(id);
  }
  return { trials: finished, known, complete: true };
}

function planTrial(options: SweepOptions, assignment: Assignment): PlannedTrial {
  const variants = variantsOf(options, assignment);
  const { calibrationShare } = groupAssignment(assignment);
  const evaluation = { ...options, variants, calibrationShare, watch: options.watch?.evaluation };
  return { assignment, evaluation, id: trialId(evaluation), models: JSON.stringify(variants) };
}

/** The trial of an earlier run, or an equal trial: the axes of a sensitivity analysis share the one with all defaults. */
async function findTrial(
  folder: string,
  { assignment, id }: PlannedTrial,
  finished: readonly Trial[],
): Promise<Trial | undefined> {
  const same = finished.find((trial) => trial.id === id);
  return (await readTrial(folder, assignment, id)) ?? (same && { ...same, assignment });
}

/** Undefined if the trials were stopped: an incomplete trial is not kept. */
async function runTogether(trials: readonly PlannedTrial[]): Promise<Trial[] | undefined> {
  const [{ evaluation: first }] = trials;
  try {
    const evaluations = await evaluateEach(
      first,
      trials.map(({ evaluation }) => evaluation),
    );
    if (evaluations.some(({ complete }) => !complete)) return undefined;
    return trials.map(({ assignment, id }, i) => ({
      assignment,
      id,
      result: JSON.parse(JSON.stringify(evaluations[i].result)),
    }));
  } catch (error) {
    if (first.signal?.aborted === true) return undefined;
    throw error;
  }
}

function variantsOf(
  { variants, training, detection }: SweepOptions,
  assignment: Assignment,
): ResolvedVariant[] {
  const own = groupAssignment(assignment);
  return variants.map((name) => {
    const resolved = resolveVariant(
      variantOf(name),
      { ...training, ...own.training },
      { ...detection, ...own.detection },
    );
    const config: Record<string, unknown> = { ...resolved.training, ...resolved.detection };
    for (const [key, value] of Object.entries({ ...own.training, ...own.detection })) {
      if (JSON.stringify(config[key]) !== JSON.stringify(value)) throw fixedSetting(name, key, config[key]);
    }
    return resolved;
  });
}

function fixedSetting(variant: string, key: string, value: unknown): RecalError {
  const fixed = valueText(value as string);
  return new RecalError('sweep-fixed', `the variant ${variant} fixes ${key}=${fixed}`, {
    hint: `sweep ${key} with another variant: --variants recal`,
    exit: EXIT.usage,
  });
}

/** The name of a trial in messages. */
export function trialName(assignment: Assignment): string {
  const text = assignmentText(assignment);
  return text === '' ? 'default settings' : text;
}
