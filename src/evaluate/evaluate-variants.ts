import { Stopwatch } from '../base/stopwatch.js';
import { learnNodeText } from '../features/node-text.js';
import { decayOf } from '../model/training/training-config.js';
import type { EvaluateVariantsOptions, Evaluation, MeasureOptions, ScoringOptions } from './evaluation.js';
import { hashBehaviours } from './metrics/behaviour-hash.js';
import { ScoreSheet } from './metrics/score-sheet.js';
import { Measurements } from './protocol/measurements.js';
import { referenceEpisodes } from './protocol/reference-episodes.js';
import { VariantRunner } from './protocol/variant-runner.js';
import { describeRun } from './report/describe-run.js';

/** Runs every variant with every seed on the same splits, and measures all of them against the same labels (method §10). */
export async function evaluateVariants(options: EvaluateVariantsOptions): Promise<Evaluation> {
  const [evaluation] = await evaluateEach(options, [options]);
  return evaluation;
}

/**
 * Evaluates under several protocols, against several labels, or with several calibration shares. Training and measuring
 * depend on none of these, so they run once, and each evaluation equals one that runs alone.
 */
export async function evaluateEach(
  options: ScoringOptions,
  measures: readonly MeasureOptions[],
): Promise<Evaluation[]> {
  const { splits, seeds, variants, signal, watch } = options;
  // Match all labels first, so that a mistake shows before hours of work.
  const measurements = measures.map((each) => new Measurements(splits, each));
  for (const { labels, notes } of measurements) watch?.started?.(labels, notes);
  const clock = new Stopwatch();
  const shares = [...new Set(measures.map(shareOf))];
  const runner = new VariantRunner(options, shares);
  const sheets = new Map(
    shares.map((share) => {
      const columns = seeds.length * variants.length * shares.length;
      return [share, new ScoreSheet(splits.test.events.keys.size, columns)];
    }),
  );
  const errors: (Evaluation['errors'][number] & { share: number })[] = [];
  let complete = false;
  try {
    const hashes = await clock.time('behaviours', () => hashTest(options));
    const { folded } = await clock.time('episodes', () => referenceEpisodes(splits));
    for await (const run of runner.runs()) {
      for (const each of measurements) {
        if (shareOf(each.options) === run.calibrationShare) each.add(run, hashes, folded);
      }
      const { variant, seed, calibrationShare: share, errors: rows } = run;
      if (rows !== undefined) errors.push({ variant, seed, share, rows });
      const sheet = sheets.get(run.calibrationShare) as ScoreSheet;
      sheet.add(run.variant, run.seed, run.nodeScores);
    }
    complete = true;
  } catch (error) {
    // After Ctrl-C the finished runs are still worth reporting.
    if (signal?.aborted !== true || measurements.every(({ measured }) => measured.length === 0)) throw error;
  }
  return measurements.map(({ options: measure, labels, notes, measured, curves, seconds: measuring }) => {
    const seconds = { ...clock.seconds, ...runner.seconds, ...measuring };
    return {
      result: describeRun({ ...options, ...measure }, labels, { measured, seconds, complete }, notes),
      curves,
      scores: sheets.get(shareOf(measure))?.columns ?? [],
      errors: errors.filter(({ share }) => share === shareOf(measure)),
      labels,
      complete,
    };
  });
}

function shareOf({ calibrationShare = 1 }: MeasureOptions): number {
  return calibrationShare;
}

async function hashTest({ splits: { train, test }, variants }: ScoringOptions): Promise<Uint32Array> {
  const { vocabulary } = await learnNodeText(train.store, train.events);
  const { training } = variants[0];
  return hashBehaviours(test.events, await test.text(vocabulary), {
    history: training.history,
    decay: decayOf(training),
  });
}
