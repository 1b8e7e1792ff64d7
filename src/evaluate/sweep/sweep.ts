import { EXIT, RecalError } from '../../base/errors.js';
import { evaluate } from '../evaluate.js';
import type { EvaluateOptions, EvaluateWatch } from '../evaluation.js';
import { Part, type Parts } from '../protocol/parts.js';
import { type ResolvedVariant, resolveVariant, variantOf } from '../protocol/variants.js';
import { type Assignment, assignmentText, sortAssignment, valueText } from './sweep-axes.js';
import { readTrial, type Trial, trialId, writeTrial } from './sweep-trial.js';

export interface SweepOptions extends Omit<EvaluateOptions, 'variants' | 'watch'> {
  readonly variants: readonly string[];
  /** What holds for every trial. */
  readonly training: Readonly<Record<string, unknown>>;
  readonly detection: Readonly<Record<string, unknown>>;
  readonly trials: readonly Assignment[];
  /** Where finished trials are kept. */
  readonly folder: string;
  readonly watch?: SweepWatch | undefined;
}

export interface SweepWatch {
  /** A trial begins, or is known already. */
  trial?(assignment: Assignment, number: number, known: boolean): void;
  readonly evaluation?: EvaluateWatch;
}

export interface SweepOutcome {
  readonly trials: readonly Trial[];
  /** Trials that an earlier run had finished. */
  readonly known: number;
  readonly complete: boolean;
}

/**
 * Runs trial after trial; each is an evaluation of its own, from its seeds on, so that it equals one that is run alone.
 * Finished trials are files, and are not run again.
 */
export async function runSweep(options: SweepOptions): Promise<SweepOutcome> {
  const { trials, folder, watch, signal } = options;
  // All are checked before the first hour of work.
  const variants = trials.map((assignment) => variantsOf(options, assignment));
  const finished: Trial[] = [];
  let known = 0;
  for (const [i, assignment] of trials.entries()) {
    if (signal?.aborted === true) return { trials: finished, known, complete: false };
    const parts = await partsOf(options.parts, sortAssignment(assignment).calibrationShare);
    const each: EvaluateOptions = { ...options, parts, variants: variants[i], watch: watch?.evaluation };
    const id = trialId(each);
    // Two axes of a sensitivity analysis meet in what is the default of both.
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

/** Undefined where it was stopped: half a trial is none. */
async function runTrial(
  options: EvaluateOptions,
  assignment: Assignment,
  id: string,
): Promise<Trial | undefined> {
  try {
    const { result, complete } = await evaluate(options);
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
  const own = sortAssignment(assignment);
  return variants.map((name) => {
    const resolved = resolveVariant(
      variantOf(name),
      { ...training, ...own.training },
      { ...detection, ...own.detection },
    );
    const config: Record<string, unknown> = { ...resolved.training, ...resolved.detection };
    for (const [key, value] of Object.entries({ ...own.training, ...own.detection })) {
      if (JSON.stringify(config[key]) !== JSON.stringify(value)) throw fixed(name, key, config[key]);
    }
    return resolved;
  });
}

function fixed(variant: string, key: string, value: unknown): RecalError {
  const own = valueText(value as string);
  return new RecalError('sweep-fixed', `the variant ${variant} is what it is by ${key}=${own}`, {
    hint: `sweep ${key} over another variant with --variants`,
    exit: EXIT.usage,
  });
}

/** The latest share of the calibration events, those nearest to the test. */
async function partsOf(parts: Parts, share: number): Promise<Parts> {
  if (share >= 1) return parts;
  const { store, selection, events } = parts.calibrate;
  const { ts, length } = events.table;
  const from = ts[Math.min(length - 1, Math.floor(length * (1 - share)))];
  const calibrate = await Part.open('calibrate', {
    folder: store.folder,
    selection: { ...selection, from },
  });
  return { ...parts, calibrate };
}

/** For messages: which trial this is. */
export function trialName(assignment: Assignment): string {
  const text = assignmentText(assignment);
  return text === '' ? 'as it is' : text;
}
