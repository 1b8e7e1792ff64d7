import type { ThresholdSpec } from '../detect/threshold/threshold.js';
import type { LabelMatch } from './labels/label-match.js';
import type { Labels, TierChoice } from './labels/labels.js';
import type { MatchingProtocol } from './metrics/matching.js';
import type { ScoreColumn } from './metrics/score-sheet.js';
import type { MeasuredSeed, SeedCurves } from './metrics/seed-result.js';
import type { BenignOutcome, StageProgress } from './protocol/contestant.js';
import type { Parts } from './protocol/parts.js';
import type { Protocol } from './protocol/protocol.js';
import type { ResolvedVariant } from './protocol/variants.js';
import type { EvaluationResult } from './result-schema.js';

/** What competes, and over which parts: nothing here knows of labels. */
export interface ContestOptions {
  readonly parts: Parts;
  readonly seeds: readonly number[];
  readonly variants: readonly ResolvedVariant[];
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  readonly watch?: EvaluateWatch | undefined;
  /** Seconds spent before, by stage. */
  readonly timings?: Readonly<Record<string, number>> | undefined;
  readonly versions?: Readonly<Record<string, string>> | undefined;
}

/** What scores are held against, and how. */
export interface JudgeOptions {
  readonly labels: Labels;
  readonly ignore?: Labels | undefined;
  readonly tier: TierChoice;
  readonly protocol: Protocol;
  readonly allowPast?: boolean | undefined;
  readonly matching: MatchingProtocol;
  readonly threshold: ThresholdSpec;
  /** Keep the curves of the first seed only: those of many seeds take more memory than all else. */
  readonly firstCurves?: boolean | undefined;
}

export interface EvaluateOptions extends ContestOptions, JudgeOptions {}

export interface EvaluateWatch {
  /** Labels are matched and all is in order. */
  started?(labels: LabelMatch, notes: readonly string[]): void;
  stage?(run: { seed: number; names: readonly string[] }, ...at: Parameters<StageProgress>): void;
  /** Some variants are done with a seed; the share of all work that is done by then. */
  finished?(run: { seed: number; names: readonly string[]; seconds: number }, done: number): void;
}

export type EvaluationCurves = Readonly<Record<string, readonly SeedCurves[]>>;

export interface Evaluation {
  readonly result: EvaluationResult;
  readonly curves: EvaluationCurves;
  readonly scores: readonly ScoreColumn[];
  readonly labels: LabelMatch;
  /** False where it was stopped before the last seed of the last variant. */
  readonly complete: boolean;
}

/** A variant with a seed, measured. */
export interface MeasuredRun {
  readonly variant: string;
  readonly measured: Omit<MeasuredSeed, 'curves'>;
  readonly outcome: BenignOutcome;
}

/** What runs have left behind so far. */
export interface RunRecord {
  readonly measured: readonly MeasuredRun[];
  /** By stage. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly complete: boolean;
}
