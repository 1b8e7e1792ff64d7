import type { DetectionConfig } from '../../detect/detection-config.js';
import type { GraphView } from '../../detect/graph-view.js';
import type { BenignScores } from '../../detect/threshold/benign-scores.js';
import type { ErrorRows } from './error-rows.js';
import type { JudgedRun } from './judged-run.js';
import type { Splits } from './splits.js';

/** The scores that one variant gives to the nodes of one graph. */
export interface GraphScores {
  /** Higher is more anomalous; 0 for nodes without evidence of an anomaly. */
  readonly scores: Float64Array;
  /** The order of incidents; the scores if absent. */
  readonly prominence?: Float64Array | undefined;
  /** Ranks the nodes that score 0 (method §8); NaN or absent if unknown. */
  readonly distances?: Float64Array | undefined;
  /** 1 for nodes that the gate keeps for scoring; absent without a gate. */
  readonly candidates?: Uint8Array | undefined;
}

/** How a published detector decides which nodes are alarms. */
export interface OwnRule {
  /** In words, for tables. */
  readonly name: string;
  /** The threshold for the scores of the test, by node. Nodes that score above it are flagged. It sees no labels. */
  threshold(scores: Float64Array): number;
}

/** The result of calibrating one variant on benign graphs that it was not trained on. */
export interface CalibrationOutcome {
  readonly benign: BenignScores;
  /** How a node's scores in several graphs become one. */
  readonly over: DetectionConfig['over'];
  /** Id of the model; absent if the variant has none. */
  readonly model?: string | undefined;
  /** A threshold that the variant sets itself. Nodes with a higher score are flagged. */
  readonly ownThreshold?: number | undefined;
  /** The rule of a published detector, measured beside the requested one. */
  readonly ownRule?: OwnRule | undefined;
}

/** How much a variant was trained. One epoch takes every training graph once. */
export interface TrainingBudget {
  readonly epochs: number;
  /** Updates of the weights. */
  readonly steps: number;
  readonly graphs: number;
}

/** Reports the completed share of a stage, 0 to 1. */
export type StageProgress = (stage: 'words' | 'train' | 'fit' | 'calibrate' | 'score', done: number) => void;

export interface VariantFitOptions {
  readonly seed: number;
  readonly threads: number;
  /** Shares of the entities to calibrate on. Default: all, [1]. */
  readonly calibrationShares?: readonly number[] | undefined;
  /** Keep the reconstruction errors of the test. */
  readonly keepErrors?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: StageProgress | undefined;
}

/**
 * Variants that share one fitted model: fit on train, calibrate on benign graphs, score the test. Variants that differ in
 * detection only form one group, so that training and measuring happen once. Most groups have one variant.
 */
export interface VariantGroup {
  /** Names of the variants. `calibrate` and `score` give a result for each share and, in this order, each variant. */
  readonly names: readonly string[];
  /** False if every seed gives the same scores. */
  readonly seeded: boolean;
  fit(train: Splits['train'], options: VariantFitOptions): Promise<void>;
  calibrate(benign: Splits['calibrate']): Promise<CalibrationOutcome[]>;
  /** Yields the scores of each graph, in the order in which the graphs end. */
  score(test: Splits['test']): AsyncGenerator<{ view: GraphView; of: readonly GraphScores[] }>;
  /** Judges the episodes of the test by result `i` of `calibrate`, if the variant does. `scores` by node. */
  judge?(i: number, test: Splits['test'], scores: Float64Array): Promise<JudgedRun | undefined>;
  /** The training that `fit` did; undefined if nothing is learned by gradients. */
  readonly budget?: TrainingBudget | undefined;
  /** The errors of each result of `calibrate`, if they were to be kept and the variant has any. */
  readonly errors?: readonly (ErrorRows | undefined)[] | undefined;
  /** Seconds by stage. */
  readonly seconds: Readonly<Record<string, number>>;
  /** Seconds by stage that each result of `calibrate` needs by itself; `seconds` if absent. */
  readonly ownSeconds?: readonly Readonly<Record<string, number>>[] | undefined;
  close(): Promise<void>;
}
