import { EXIT, RecalError } from '../../base/errors.js';
import { evaluateVariants } from '../evaluate-variants.js';
import type { EvaluateVariantsOptions, EvaluateWatch } from '../evaluation.js';
import { LoadedSplit, type Splits } from '../protocol/splits.js';
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

/**
 * Runs the trials one by one. Each trial is an independent evaluation, so its figures do not depend on other trials. A
 * finished trial is kept in a file and is not run again.
 */
export async function runSweep(options: SweepOptions): Promise<SweepOutcome> {
  const { trials, folder, watch, signal } = options;
  // Check all trials first, so that a mistake shows before hours of work.
  const variants = trials.map((assignment) => variantsOf(options, assignment));
  const finished: Trial[] = [];
  let known = 0;
  for (const [i, assignment] of trials.entries()) {
    if (signal?.aborted === true) return { trials: finished, known, complete: false };
    const splits = await shortenCalibration(options.splits, groupAssignment(assignment).calibrationShare);
    const each: EvaluateVariantsOptions = {
      ...options,
      splits,
      variants: variants[i],
      watch: watch?.evaluation,
    };
    const id = trialId(each);
    // Axes of a sensitivity analysis share the trial with all defaults.
    const same = finished.find((trial) => trial.id === id);
    const before = (await readTrial(folder, assignment, id)) ?? (same && { ...same, assignment });
    watch?.trial?.(assignment, i, before !== undefined);
    if (before !== undefined) {
      finished.push(before);
      known++;
      continue;
    }
    const trial = await runTrial(each, assignment, id);
    if (trial === undefined) return { trials: finished, known, complete: false };
    await writeTrial(folder, trial);
    finished.push(trial);
  }
  return { trials: finished, known, complete: true };
}

/** Undefined if the trial was stopped: an incomplete trial is not kept. */
async function runTrial(
  options: EvaluateVariantsOptions,
  assignment: Assignment,
  id: string,
): Promise<Trial | undefined> {
  try {
    const { result, complete } = await evaluateVariants(options);
    return complete ? { assignment, id, result: JSON.parse(JSON.stringify(result)) } : undefined;
  } catch (error) {
    if (options.signal?.aborted === true) return undefined;
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

/** Keeps the latest share of the calibrate split, the events nearest to the test. */
async function shortenCalibration(splits: Splits, share: number): Promise<Splits> {
  if (share >= 1) return splits;
  const { store, selection, events } = splits.calibrate;
  const { ts, length } = events.table;
  const from = ts[Math.min(length - 1, Math.floor(length * (1 - share)))];
  const calibrate = await LoadedSplit.open('calibrate', {
    folder: store.folder,
    selection: { ...selection, from },
  });
  return { ...splits, calibrate };
}

/** The name of a trial in messages. */
export function trialName(assignment: Assignment): string {
  const text = assignmentText(assignment);
  return text === '' ? 'default settings' : text;
}
