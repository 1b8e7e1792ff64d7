import type { E3Host } from '../e3/published.js';
import type { Evaluation, EvaluationCurves } from '../evaluation.js';
import { scoreAt } from '../metrics/score-sheet.js';
import type { Splits } from '../protocol/splits.js';
import type { EvaluationResult, Figure, VariantResult } from '../result-schema.js';
import type { Axis } from '../sweep/sweep-axes.js';
import type { Trial } from '../sweep/sweep-trial.js';
import { type ErrorSamples, errorSamples } from './error-samples.js';

/** One evaluation, possibly under several protocols. */
export interface Study {
  readonly title: string;
  /** The host whose published results are compared; undefined for other data. */
  readonly host?: E3Host | undefined;
  readonly runs: readonly StudyRun[];
  readonly sweeps?: StudySweeps | undefined;
  readonly extras?: ReportExtras | undefined;
  /** Notes about the data. */
  readonly notes?: readonly string[] | undefined;
}

export interface StudyRun {
  /** Short and unique: the protocol. */
  readonly name: string;
  readonly result: EvaluationResult;
  /** Undefined if only result.json is left. */
  readonly curves?: EvaluationCurves | undefined;
  /** Errors and scores of nodes before and after calibration. */
  readonly scores?: ScoreSamples | undefined;
}

export interface StudySweeps {
  /** The variant and protocol of the trials. */
  readonly run: string;
  readonly axes: readonly Axis[];
  readonly trials: readonly Trial[];
  readonly complete: boolean;
}

/** The scores above 0 of one seed. */
export interface ScoreSample {
  readonly variant: string;
  readonly seed: number | 'mean';
  readonly benign: Float64Array;
  readonly attack: Float64Array;
  /** Nodes with score 0. */
  readonly zeros: { readonly benign: number; readonly attack: number };
}

export interface ScoreSamples {
  /** Raw and calibrated errors by relation. */
  readonly errors?: ErrorSamples | undefined;
  /** Fused scores. */
  readonly fused?: ScoreSample | undefined;
}

export interface ReportExtras {
  /** Training events by relation. */
  readonly relations?: readonly { readonly name: string; readonly events: number }[] | undefined;
  readonly scores?: ScoreSamples | undefined;
}

/** Data that the report shows and result.json does not contain. */
export function extrasOf(evaluation: Evaluation, splits: Pick<Splits, 'train'>): ReportExtras {
  return { relations: relationCounts(splits.train), scores: scoreSamples(evaluation) };
}

/** Raw events before reduction (method §1), most frequent first. */
export function relationCounts({ events: { table } }: Splits['train']): { name: string; events: number }[] {
  const counts = new Float64Array(table.relations.length);
  for (let row = 0; row < table.length; row++) counts[table.relation[row]]++;
  return table.relations
    .map((name, r) => ({ name, events: counts[r] }))
    .sort((a, b) => b.events - a.events || (a.name < b.name ? -1 : 1));
}

/** Before calibration: raw errors by relation. After it: calibrated errors, and the scores of the full method. */
export function scoreSamples({
  scores,
  errors,
  labels,
}: Pick<Evaluation, 'scores' | 'errors' | 'labels'>): ScoreSamples {
  const sample = (names: readonly string[]): ScoreSample | undefined => {
    const column = names.flatMap((name) => scores.find(({ variant }) => variant === name) ?? []).at(0);
    if (column === undefined) return undefined;
    const all = (wanted: number) =>
      column.ranking
        .map((_, v) => scoreAt(column, v))
        .filter((_, v) => labels.ignored[v] === 0 && labels.positives[v] === wanted);
    const [others, labelled] = [all(0), all(1)];
    const [benign, attack] = [others, labelled].map((scores) => scores.filter((score) => score > 0));
    return {
      variant: column.variant,
      seed: column.seed,
      benign,
      attack,
      zeros: { benign: others.length - benign.length, attack: labelled.length - attack.length },
    };
  };
  return { errors: errorSamples({ errors, labels }), fused: sample(['paper', 'recal']) };
}

/** The main variant of a report: `paper` if results are compared with published ones, else `recal`, else the first. */
export function leadingVariant(
  { variants }: EvaluationResult,
  host: Study['host'],
): [name: string, variant: VariantResult] {
  const order = host === undefined ? ['recal', 'paper'] : ['paper', 'recal'];
  const name = order.find((each) => variants[each] !== undefined) ?? Object.keys(variants)[0];
  return [name, variants[name]];
}

/** The values of a figure, without seeds that do not define it. */
export function seedValues({ seeds }: VariantResult, figure: Figure): number[] {
  return seeds.flatMap((seed) => seed[figure] ?? []);
}
