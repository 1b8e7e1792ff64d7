import type { ThresholdSpec } from '../detect/threshold/threshold.js';
import type { LabelMatch } from './labels/label-match.js';
import type { Labels, TierChoice } from './labels/labels.js';
import type { MatchingProtocol } from './metrics/matching.js';
import type { MeasuredSeed, SeedCurves } from './metrics/measure-run.js';
import type { ScoreColumn } from './metrics/score-sheet.js';
import type { ErrorRows } from './protocol/error-rows.js';
import type { Protocol } from './protocol/protocol.js';
import type { Splits } from './protocol/splits.js';
import type { CalibrationOutcome, StageProgress } from './protocol/variant-group.js';
import type { ResolvedVariant } from './protocol/variants.js';
import type { EvaluationResult } from './result-schema.js';

/** The variants to train and score, and the splits to use. None of this depends on labels. */
export interface ScoringOptions {
  readonly splits: Splits;
  readonly seeds: readonly number[];
  readonly variants: readonly ResolvedVariant[];
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  readonly watch?: EvaluateWatch | undefined;
  /** Seconds by stage that were spent before the evaluation. */
  readonly timings?: Readonly<Record<string, number>> | undefined;
  readonly versions?: Readonly<Record<string, string>> | undefined;
}

/** The labels to compare scores with, and how to compare them. */
export interface MeasureOptions {
  readonly labels: Labels;
  readonly ignore?: Labels | undefined;
  readonly tier: TierChoice;
  /** Count nodes without a label only if they are in the last file of the test, as MAGIC does. */
  readonly lastFileOnly?: boolean | undefined;
  readonly protocol: Protocol;
  readonly allowPast?: boolean | undefined;
  readonly matching: MatchingProtocol;
  readonly threshold: ThresholdSpec;
  /** Apply the threshold to every variant, also to one that has its own. */
  readonly commonRule?: boolean | undefined;
  /** The share of the entities of the calibrate split to calibrate on (method §10). Default: 1. */
  readonly calibrationShare?: number | undefined;
  /** Keeps the curves of the first seed only, to save memory. */
  readonly firstCurves?: boolean | undefined;
}

export interface EvaluateVariantsOptions extends ScoringOptions, MeasureOptions {}

export interface EvaluateWatch {
  /** Called after the labels are matched and the splits are checked. */
  started?(labels: LabelMatch, notes: readonly string[]): void;
  stage?(run: { seed: number; names: readonly string[] }, ...at: Parameters<StageProgress>): void;
  /** Called when a group of variants finishes a seed. `done` is the completed share of all work. */
  finished?(run: { seed: number; names: readonly string[]; seconds: number }, done: number): void;
}

export type EvaluationCurves = Readonly<Record<string, readonly SeedCurves[]>>;

export interface Evaluation {
  readonly result: EvaluationResult;
  readonly curves: EvaluationCurves;
  readonly scores: readonly ScoreColumn[];
  /** The reconstruction errors of the first seed. */
  readonly errors: readonly { readonly variant: string; readonly seed: number; readonly rows: ErrorRows }[];
  readonly labels: LabelMatch;
  /** False if the evaluation was stopped early. */
  readonly complete: boolean;
}

/** The figures of one variant with one seed. */
export interface MeasuredRun {
  readonly variant: string;
  readonly measured: Omit<MeasuredSeed, 'curves'>;
  readonly outcome: CalibrationOutcome;
}

/** The runs that are finished so far. */
export interface RunRecord {
  readonly measured: readonly MeasuredRun[];
  /** Seconds by stage. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly complete: boolean;
}
