import { peakMemory, resetPeakMemory } from '../../base/peak-memory.js';
import { evaluateVariants } from '../evaluate-variants.js';
import type { EvaluateVariantsOptions, EvaluateWatch } from '../evaluation.js';
import { summariseSeeds } from '../metrics/summary-statistics.js';
import { UNSEEDED } from '../protocol/variants.js';
import { PROCESSOR_STAGE } from '../report/describe-run.js';
import { ONE_SEED } from '../report/run-notes.js';
import { type EvaluationResult, FIGURE_NAMES, type VariantResult } from '../result-schema.js';
import { readTrial, type Trial, trialId, writeTrial } from '../sweep/sweep-trial.js';

export interface CompareOptions extends Omit<EvaluateVariantsOptions, 'watch' | 'commonRule'> {
  /** Folder of the finished runs. */
  readonly folder: string;
  readonly watch?: CompareWatch | undefined;
}

export interface CompareWatch {
  /** Called when the run of a contestant begins, or when its result is already known. */
  run?(contestant: string, seed: number, known: boolean, place: RunPlace): void;
  readonly evaluation?: EvaluateWatch;
}

/** The place of a run among all runs of a comparison, from 1. */
export interface RunPlace {
  readonly number: number;
  readonly count: number;
}

/** One contestant over all finished seeds. */
export interface Contestant {
  readonly name: string;
  readonly result: VariantResult;
  /** By seed: the most memory of the process during the run, with the data. Null if the system cannot tell runs apart. */
  readonly memory: readonly (number | null)[];
  /** By seed: processor seconds of all threads, with the measurement of the scores. */
  readonly processor: readonly number[];
}

export interface Comparison {
  readonly contestants: readonly Contestant[];
  /** Data, protocol and versions, the same in all runs. */
  readonly about: Omit<EvaluationResult, 'variants' | 'timings' | 'peakMemory' | 'notes'>;
  readonly notes: readonly string[];
  /** Runs with a result from before. */
  readonly known: number;
  readonly complete: boolean;
}

/**
 * Runs every contestant with every seed by itself, all with the same threshold rule, so that time and memory are its own.
 * A finished run is kept in a file that is named by its content, and is not run again. Undefined if none is finished.
 */
export async function compare(options: CompareOptions): Promise<Comparison | undefined> {
  const { variants, seeds, folder, signal, watch } = options;
  const finished: Trial[] = [];
  let known = 0;
  let complete = true;
  const runs = variants.flatMap((variant) =>
    (UNSEEDED.has(variant.variant.name) ? seeds.slice(0, 1) : seeds).map((seed) => ({ variant, seed })),
  );
  for (const [i, { variant, seed }] of runs.entries()) {
    if (signal?.aborted === true) complete = false;
    if (!complete) break;
    const run = {
      ...options,
      variants: [variant],
      seeds: [seed],
      commonRule: true,
      watch: watch?.evaluation,
    };
    const id = trialId(run);
    const assignment = { contestant: variant.variant.name, seed };
    const before = await readTrial(folder, assignment, id);
    watch?.run?.(assignment.contestant, seed, before !== undefined, { number: i + 1, count: runs.length });
    if (before !== undefined) known++;
    const trial = before ?? (await runOne(run, { assignment, id }));
    if (trial === undefined) complete = false;
    else finished.push(trial);
    if (trial !== undefined && before === undefined) await writeTrial(folder, trial);
  }
  return finished.length === 0 ? undefined : join(finished, known, complete);
}

/** Undefined if the run was stopped. */
async function runOne(
  options: EvaluateVariantsOptions,
  trial: Pick<Trial, 'assignment' | 'id'>,
): Promise<Trial | undefined> {
  (globalThis as { gc?: () => void }).gc?.();
  const isOwn = resetPeakMemory();
  const before = process.cpuUsage();
  try {
    const { result, complete } = await evaluateVariants(options);
    if (!complete) return undefined;
    const { user, system } = process.cpuUsage(before);
    // The time of the process includes reading the logs, and earlier runs.
    const timings = { ...result.timings, [PROCESSOR_STAGE]: (user + system) / 1e6 };
    const own = { ...result, timings, peakMemory: isOwn ? peakMemory() : null };
    return { ...trial, result: JSON.parse(JSON.stringify(own)) };
  } catch (error) {
    if (options.signal?.aborted === true) return undefined;
    throw error;
  }
}

function join(finished: readonly Trial[], known: number, complete: boolean): Comparison {
  const names = [...new Set(finished.map(({ assignment }) => String(assignment.contestant)))];
  const contestants = names.map((name): Contestant => {
    const own = finished.filter(({ assignment }) => assignment.contestant === name);
    const seeds = own.flatMap(({ result }) => result.variants[name].seeds);
    const { config } = own[0].result.variants[name];
    return {
      name,
      result: { ...(config === undefined ? {} : { config }), seeds, ...summariseSeeds(seeds, FIGURE_NAMES) },
      memory: own.map(({ result }) => result.peakMemory),
      processor: own.map(({ result }) => result.timings[PROCESSOR_STAGE] ?? 0),
    };
  });
  const { variants: _, timings: __, peakMemory: ___, notes: ____, ...about } = finished[0].result;
  const notes = joinNotes(finished, contestants);
  return { contestants, about: { ...about, complete }, notes, known, complete };
}

/** Each note once, with all contestants that it is true of. */
function joinNotes(finished: readonly Trial[], contestants: readonly Contestant[]): string[] {
  const namesOf = new Map<string, Set<string>>();
  const add = (note: string, name?: string) => {
    const names = namesOf.get(note) ?? new Set();
    namesOf.set(note, name === undefined ? names : names.add(name));
  };
  for (const { assignment, result } of finished) {
    const name = String(assignment.contestant);
    for (const note of result.notes) {
      // Every run has one seed, so what it says of seeds does not hold for the comparison.
      if (note === ONE_SEED) continue;
      if (note.startsWith(`${name}: `)) add(note.slice(name.length + 2), name);
      else add(note);
    }
  }
  for (const { name, result } of contestants) {
    if (!UNSEEDED.has(name) && result.seeds.length === 1) add(ONE_SEED, name);
  }
  return Array.from(namesOf, ([note, names]) =>
    names.size > 0 ? `${[...names].join(', ')}: ${note}` : note,
  );
}
