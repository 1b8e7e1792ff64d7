import type { DetectionConfig } from '../../detect/detection-config.js';
import type { GraphView } from '../../detect/graph-view.js';
import type { BenignScores } from '../../detect/threshold/benign-scores.js';
import type { Parts } from './parts.js';

/** What a contestant says of the nodes of one graph. */
export interface GraphScores {
  /** The higher, the stranger; 0 for what is not worth a look. */
  readonly scores: Float64Array;
  /** What incidents are ordered by; absent where that is the score. */
  readonly prominence?: Float64Array | undefined;
  /** Orders the nodes that score nothing (method §8); NaN or absent where there is none. */
  readonly distances?: Float64Array | undefined;
  /** 1 where the gate did not let the node pass; absent without a gate. */
  readonly candidates?: Uint8Array | undefined;
}

/** What a contestant learned from benign graphs that it was not trained on. */
export interface BenignOutcome {
  readonly benign: BenignScores;
  /** How scores of several graphs become one of a node. */
  readonly over: DetectionConfig['over'];
  /** A threshold of the contestant's own making: scores above it are alarms. */
  readonly ownThreshold?: number | undefined;
}

/** How far a piece of work is, 0 to 1. */
export type StageProgress = (stage: 'words' | 'train' | 'fit' | 'calibrate' | 'score', done: number) => void;

export interface RunOptions {
  readonly seed: number;
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: StageProgress | undefined;
}

/**
 * The one contract: fit on training, calibrate on benign, score the test. What differs in the last step only shares the
 * first two, so it is of several variants at once; most have one.
 */
export interface Contestants {
  /** By variant, in the order in which `calibrate` and `score` answer. */
  readonly names: readonly string[];
  /** False where every seed gives the same. */
  readonly seeded: boolean;
  fit(train: Parts['train'], options: RunOptions): Promise<void>;
  calibrate(benign: Parts['calibrate']): Promise<BenignOutcome[]>;
  /** Graph after graph, in the order in which they end. */
  score(test: Parts['test']): AsyncGenerator<{ view: GraphView; of: readonly GraphScores[] }>;
  /** Seconds by stage. */
  readonly seconds: Readonly<Record<string, number>>;
  close(): Promise<void>;
}
