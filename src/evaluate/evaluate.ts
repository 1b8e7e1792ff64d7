import { Stopwatch } from '../base/stopwatch.js';
import { learnNodeText } from '../features/node-text.js';
import { decayOf } from '../model/training/training-config.js';
import type { ContestOptions, EvaluateOptions, Evaluation, JudgeOptions } from './evaluation.js';
import { hashBehaviours } from './metrics/behaviour-hash.js';
import { ScoreSheet } from './metrics/score-sheet.js';
import { Contest } from './protocol/contest.js';
import { Judging } from './protocol/judging.js';
import { describeRun } from './report/describe-run.js';

/** Runs every variant with every seed over the same parts and holds all against the same labels (method §10). */
export async function evaluate(options: EvaluateOptions): Promise<Evaluation> {
  const [evaluation] = await evaluateEach(options, [options]);
  return evaluation;
}

/**
 * The same under several protocols, or against several labels: nothing that is learned or scored follows from labels, so
 * it is done once, and each evaluation equals one that is run alone.
 */
export async function evaluateEach(
  options: ContestOptions,
  judges: readonly JudgeOptions[],
): Promise<Evaluation[]> {
  const { parts, seeds, variants, signal, watch } = options;
  // All labels are matched before the first hour of work.
  const judgings = judges.map((each) => new Judging(parts, each));
  for (const { labels, notes } of judgings) watch?.started?.(labels, notes);
  const clock = new Stopwatch();
  const contest = new Contest(options);
  const sheet = new ScoreSheet(parts.test.events.keys.size, seeds.length * variants.length);
  let complete = false;
  try {
    const hashes = await clock.time('behaviours', () => hashTest(options));
    for await (const verdict of contest.verdicts()) {
      for (const judging of judgings) judging.measure(verdict, hashes);
      sheet.add(verdict.variant, verdict.seed, verdict.found.ranking);
    }
    complete = true;
  } catch (error) {
    // Ctrl-C leaves what is finished; anything else is not what was asked for.
    if (signal?.aborted !== true || sheet.columns.length === 0) throw error;
  }
  return judgings.map(({ options: judge, labels, notes, measured, curves, seconds: measuring }) => {
    const seconds = { ...clock.seconds, ...contest.seconds, ...measuring };
    return {
      result: describeRun({ ...options, ...judge }, labels, { measured, seconds, complete }, notes),
      curves,
      scores: sheet.columns,
      labels,
      complete,
    };
  });
}

async function hashTest({ parts: { train, test }, variants }: ContestOptions): Promise<Uint32Array> {
  const { vocabulary } = await learnNodeText(train.store, train.events);
  const { training } = variants[0];
  return hashBehaviours(test.events, await test.text(vocabulary), {
    history: training.history,
    decay: decayOf(training),
  });
}
