import type { IncidentLinks } from '../../detect/alerts/incident-links.js';
import type { NodeScores, TestGraph } from '../metrics/node-scores.js';
import type { ErrorRows } from './error-rows.js';
import type { JudgedRun } from './judged-run.js';
import type { CalibrationOutcome, TrainingBudget } from './variant-group.js';

/** The scores of one variant with one seed, with everything that figures need except labels. */
export interface ScoredRun {
  readonly variant: string;
  readonly seed: number;
  /** The share of entities that it was calibrated on. */
  readonly calibrationShare: number;
  readonly nodeScores: NodeScores;
  readonly outcome: CalibrationOutcome;
  /** The reconstruction errors of the test; only with the first seed. */
  readonly errors?: ErrorRows | undefined;
  readonly budget?: TrainingBudget | undefined;
  /** Seconds by stage that the variant needs by itself. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly graphs: readonly TestGraph[];
  readonly links: IncidentLinks;
  /** Scores of the folded episodes of the test, if the variant scores episodes itself. */
  readonly episodeScores?: Float64Array | undefined;
  /** The incidents of the test, if the variant ranks episodes itself. */
  readonly judged?: JudgedRun | undefined;
}
