import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { fitTail, tailValue } from '../calibration/tail-model.js';

const DAYS = { hour: 1 / 24, day: 1, week: 7 } as const;

/** A threshold rule (method §9). */
export type ThresholdSpec =
  | { readonly kind: 'budget'; readonly count: number; readonly per: keyof typeof DAYS }
  | { readonly kind: 'top'; readonly count: number; readonly per: keyof typeof DAYS }
  | { readonly kind: 'fpr'; readonly level: number }
  | { readonly kind: 'fdr'; readonly level: number }
  | { readonly kind: 'oracle' };

const NUMBER = String.raw`(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)`;
const BUDGET = new RegExp(`^(budget|top):${NUMBER}/(hour|day|week)$`);
const LEVEL = new RegExp(`^(fpr|fdr):${NUMBER}$`);

/** Reads `top:10/day`, `budget:5/day`, `fpr:0.001`, `fdr:0.1` and, if labels are available, `oracle`. */
export function parseThreshold(text: string, { oracle = false } = {}): ThresholdSpec {
  const rule = text.trim().toLowerCase();
  if (rule === 'oracle') {
    if (oracle) return { kind: 'oracle' };
    throw invalid(
      'the threshold rule oracle needs labels',
      'use it only in evaluation; here use budget:5/day',
    );
  }
  const budget = BUDGET.exec(rule);
  if (budget !== null) {
    const [kind, count] = [budget[1] as 'budget' | 'top', Number(budget[2])];
    if (count > 0 && count < Infinity) return { kind, count, per: budget[3] as keyof typeof DAYS };
    throw invalid(`the number in ${quote(text)} must be greater than 0`, `try ${kind}:1/week`);
  }
  const level = LEVEL.exec(rule);
  if (level !== null) {
    const [kind, value] = [level[1] as 'fpr' | 'fdr', Number(level[2])];
    if (value > 0 && value < 1) return { kind, level: value };
    throw invalid(`the rate in ${quote(text)} must be between 0 and 1`, `try ${kind}:0.001`);
  }
  const known = `top:N/day or budget:N/day (or /hour, /week), fpr:P or fdr:Q${oracle ? ', or oracle' : ''}`;
  throw invalid(`unknown threshold rule ${quote(text)}`, `use ${known}`);
}

/** Writes a rule as `parseThreshold` reads it. */
export function formatThreshold(spec: ThresholdSpec): string {
  if (spec.kind === 'oracle') return 'oracle';
  return 'count' in spec ? `${spec.kind}:${spec.count}/${spec.per}` : `${spec.kind}:${spec.level}`;
}

/** The number that a rule allows per day. */
export function perDay({ count, per }: { readonly count: number; readonly per: keyof typeof DAYS }): number {
  return count / DAYS[per];
}

const quote = (text: string) => `"${printable(text, 60)}"`;

function invalid(message: string, hint: string): RecalError {
  return new RecalError('threshold-invalid', message, { hint, exit: EXIT.usage });
}

/** Benign scores, and the incidents that they form. */
export interface BenignCurve {
  /** Scores above 0, highest first, rounded to float32. */
  readonly scores: Float32Array;
  /** All instances, including those that score 0. */
  readonly instances: number;
  readonly hostDays: number;
  readonly graphs: number;
  /** Descending. Scores of at least `thresholds[i]` form `incidents[i]` incidents. */
  readonly thresholds: Float32Array;
  readonly incidents: Uint32Array;
  /** The same without one graph or block of graphs. `above` counts instances instead of incidents. */
  readonly without: readonly {
    readonly hostDays: number;
    readonly incidents: Uint32Array;
    readonly instances?: number;
    readonly above?: Uint32Array;
  }[];
}

export interface Threshold {
  /** Scores of at least τ raise an alert. */
  readonly tau: number;
  /**
   * `resolved`: counted on benign scores. `extrapolated`: from a tail fitted to them, because fewer than one alarm is
   * expected in their span. `unresolved`: just above the highest one; its rate is unknown.
   */
  readonly status: 'resolved' | 'extrapolated' | 'unresolved';
  /** The rate that the rule asks for: false incidents per host and day, or alarms per instance. */
  readonly asked: number;
  /** The smallest rate that the benign scores can tell from 0. */
  readonly finest: number;
  /** The rate of the benign scores at τ. */
  readonly realised: number;
  /** Expected false incidents and alarms per host and day; upper bounds unless resolved. */
  readonly incidentsPerDay: number;
  readonly alarmsPerDay: number;
  readonly graphs: number;
  /** The lowest and highest τ with one graph left out, and the lowest and highest rate over all graphs. */
  readonly range:
    | { readonly tau: readonly [number, number]; readonly rate: readonly [number, number] }
    | undefined;
}

/** Chooses τ for a budget or a false positive rate (method §9). A false discovery rate has no single τ (fdr.ts). */
export function chooseThreshold(
  spec: Extract<ThresholdSpec, { kind: 'budget' | 'fpr' }>,
  benign: BenignCurve,
): Threshold {
  const { scores, instances, hostDays, graphs, thresholds } = benign;
  if (!(instances > 0) || !(hostDays > 0)) {
    throw new RecalError('nothing-to-calibrate', 'the model has no benign scores to set a threshold', {
      hint: 'calibrate on a longer benign split',
    });
  }
  const budget = spec.kind === 'budget';
  const asked = budget ? spec.count / DAYS[spec.per] : spec.level;
  const span = budget ? hostDays : instances;
  const counts = budget ? benign.incidents : countAbove(scores, thresholds);
  const allowed = allow(asked, span);
  const beyond = nextFloat32(scores.length === 0 ? 0 : scores[0]);
  const common = { asked, finest: 1 / span, graphs };
  if (allowed < 1) {
    const tail = fitTail(scores.slice().reverse());
    // An alarm forms at most one incident, so that a budget of incidents holds for alarms too.
    const tau =
      tail === undefined ? beyond : Math.max(beyond, tailValue(tail, Math.log(allowed / scores.length)));
    const perDay = (tail === undefined ? 1 : asked * span) / hostDays;
    return {
      ...common,
      tau,
      status: tail === undefined ? 'unresolved' : 'extrapolated',
      realised: 0,
      incidentsPerDay: perDay,
      alarmsPerDay: perDay,
      range: leaveOneOut(benign, budget, asked, counts, tau),
    };
  }
  // If too many share the highest score, τ lies above it.
  const tau = (budget ? lowestWithin(thresholds, counts, allowed) : scoreAtRank(scores, allowed)) ?? beyond;
  const incidentsPerDay = countAt(tau, thresholds, benign.incidents) / hostDays;
  const alarms = countAtLeast(scores, tau);
  return {
    ...common,
    tau,
    status: 'resolved',
    realised: budget ? incidentsPerDay : alarms / instances,
    incidentsPerDay,
    alarmsPerDay: alarms / hostDays,
    range: leaveOneOut(benign, budget, asked, counts, beyond),
  };
}

/** How many a rate allows in a span. The factor corrects binary fractions: 0.29 of 100 is 29. */
function allow(rate: number, span: number): number {
  return rate * span * (1 + 1e-12);
}

/** τ with each graph left out, and the rate of that τ over all graphs. */
function leaveOneOut(
  { without, thresholds, hostDays: allDays, instances: all }: BenignCurve,
  budget: boolean,
  asked: number,
  counts: Uint32Array,
  beyond: number,
): Threshold['range'] {
  const taus: number[] = [];
  const rates: number[] = [];
  for (const { hostDays, incidents, instances, above } of without) {
    const [left, leftSpan] = budget ? [incidents, hostDays] : [above, instances];
    if (left === undefined || leftSpan === undefined) return undefined;
    const tau = lowestWithin(thresholds, left, allow(asked, leftSpan)) ?? beyond;
    taus.push(tau);
    rates.push(countAt(tau, thresholds, counts) / (budget ? allDays : all));
  }
  if (taus.length < 2) return undefined;
  return { tau: [Math.min(...taus), Math.max(...taus)], rate: [Math.min(...rates), Math.max(...rates)] };
}

/**
 * The lowest threshold down to which the count never exceeds what is allowed. At low thresholds incidents merge and become
 * fewer again, but a few giant incidents do not keep a budget.
 */
function lowestWithin(thresholds: Float32Array, counts: Uint32Array, allowed: number): number | undefined {
  let within = 0;
  while (within < thresholds.length && counts[within] <= allowed) within++;
  return within === 0 ? undefined : thresholds[within - 1];
}

/** The lowest score that at most `allowed` scores reach. */
function scoreAtRank(scores: Float32Array, allowed: number): number | undefined {
  let rank = Math.min(scores.length, Math.floor(allowed));
  while (rank > 0 && rank < scores.length && scores[rank - 1] === scores[rank]) rank--;
  return rank === 0 ? undefined : scores[rank - 1];
}

/** The count at a threshold; between two points of the curve, that of the lower one. */
function countAt(tau: number, thresholds: Float32Array, counts: Uint32Array): number {
  let at = 0;
  while (at < thresholds.length && thresholds[at] > tau) at++;
  if (tau > thresholds[0]) return 0;
  return at < counts.length ? counts[at] : (counts[counts.length - 1] ?? 0);
}

function countAbove(scores: Float32Array, thresholds: Float32Array): Uint32Array {
  return Uint32Array.from(thresholds, (tau) => countAtLeast(scores, tau));
}

/** #{scores ≥ score}, for scores in descending order. */
function countAtLeast(scores: Float32Array, score: number): number {
  let low = 0;
  let high = scores.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (scores[middle] >= score) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The next float32 above a nonnegative number. */
function nextFloat32(value: number): number {
  const float = Float32Array.of(value);
  new Uint32Array(float.buffer)[0]++;
  return float[0];
}

/** The empirical p-value (1 + #{B ≥ s}) / (|B| + 1) of a score s among benign instances B. It is never 0. */
export function empiricalP(
  { scores, instances }: Pick<BenignCurve, 'scores' | 'instances'>,
  score: number,
): number {
  if (Number.isNaN(score)) throw new RangeError('the score is NaN');
  if (score <= 0) return 1;
  return (1 + countAtLeast(scores, Math.fround(score))) / (instances + 1);
}

/** The p-value of a node in G graphs, from the smallest of its G p-values. */
export function nodeP(smallest: number, graphs: number): number {
  return Math.min(1, graphs * smallest);
}
