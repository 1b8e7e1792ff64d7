import type { Random } from '../../base/random.js';
import { KeyTable } from '../../store/key-table.js';
import { type Confusion, countConfusion, ratesOf } from './metrics.js';

/**
 * Nodes that do the same, told by a hash of their features and of the relations around them. Most labelled nodes of the
 * public traces repeat one behaviour, so that finding it once looks like finding thousands (method §10).
 */
export interface Behaviours {
  readonly count: number;
  /** The behaviour of each node, numbered by first sight; -1 for ignored nodes. */
  readonly of: Int32Array;
}

export interface BehaviourMetrics extends Confusion {
  readonly behaviours: number;
  readonly precision: number | null;
  readonly recall: number | null;
  /** Positive behaviours that benign nodes show too: no detector of these features could tell those nodes apart. */
  readonly mixed: number;
}

/** The range of the middle 95 % of the resamples in which the figure is defined; null where it never is. */
export interface Interval {
  readonly low: number | null;
  readonly high: number | null;
  readonly defined: number;
}

export interface BehaviourBootstrap {
  readonly resamples: number;
  readonly behaviourPrecision: Interval;
  readonly behaviourRecall: Interval;
  /** Per node, with behaviours drawn whole: how far the usual figures depend on a few behaviours. */
  readonly precision: Interval;
  readonly recall: Interval;
  readonly f1: Interval;
}

const TAIL = 0.025;

/** `hashes` holds two words per node: 64 bits, so that a million behaviours collide with a chance below 1e-7. */
export function groupBehaviours(hashes: Uint32Array, ignored?: Uint8Array | undefined): Behaviours {
  const table = new KeyTable();
  const of = new Int32Array(hashes.length >>> 1);
  for (let v = 0; v < of.length; v++) {
    const out = ignored !== undefined && ignored[v] !== 0;
    of[v] = out ? -1 : table.intern(0, hashes[2 * v], hashes[2 * v + 1], 0, 0);
  }
  return { count: table.size, of };
}

/** A behaviour is positive if any of its nodes is, and flagged if any of its nodes is, be it another one. */
export function behaviourMetrics(
  behaviours: Behaviours,
  flagged: Uint8Array,
  positives: Uint8Array,
): BehaviourMetrics {
  const cells = countCells(behaviours, flagged, positives);
  const anyFlagged = new Uint8Array(behaviours.count);
  const anyPositive = new Uint8Array(behaviours.count);
  let mixed = 0;
  for (let b = 0; b < behaviours.count; b++) {
    const [tp, fp, fn, tn] = cells.subarray(4 * b, 4 * b + 4);
    if (tp + fp > 0) anyFlagged[b] = 1;
    if (tp + fn > 0) anyPositive[b] = 1;
    if (tp + fn > 0 && fp + tn > 0) mixed++;
  }
  const confusion = countConfusion(anyFlagged, anyPositive);
  const { precision, recall } = ratesOf(confusion);
  return { ...confusion, behaviours: behaviours.count, precision, recall, mixed };
}

/**
 * Draws as many behaviours as there are, with replacement, again and again. Figures over nodes that repeat each other
 * vary far more than a bootstrap over nodes would say.
 */
export function bootstrapBehaviours(
  behaviours: Behaviours,
  flagged: Uint8Array,
  positives: Uint8Array,
  random: Random,
  resamples = 1000,
): BehaviourBootstrap {
  const cells = countCells(behaviours, flagged, positives);
  // Behaviours of true negatives alone change none of the figures. How often any other is drawn is binomial, so skip
  // from one such draw to the next: a resample costs what is flagged or labelled, not all behaviours.
  const drawn: number[] = [];
  for (let b = 0; b < behaviours.count; b++) {
    if (cells[4 * b] + cells[4 * b + 1] + cells[4 * b + 2] > 0) drawn.push(b);
  }
  const logMiss = Math.log1p(-drawn.length / behaviours.count);
  const figures = Array.from({ length: 5 }, () => new Array<number | null>(resamples).fill(null));
  for (let i = 0; i < resamples && drawn.length > 0; i++) {
    const draws = random.stream(`resample ${i}`);
    const gap = () => Math.floor(Math.log(1 - draws.float()) / logMiss);
    let [tp, fp, fn, behaviourTp, behaviourFp, behaviourFn] = [0, 0, 0, 0, 0, 0];
    for (let draw = gap(); draw < behaviours.count; draw += 1 + gap()) {
      const at = 4 * drawn[draws.below(drawn.length)];
      const [hit, wrong, missed] = [cells[at], cells[at + 1], cells[at + 2]];
      tp += hit;
      fp += wrong;
      fn += missed;
      if (hit + missed === 0) behaviourFp++;
      else if (hit + wrong > 0) behaviourTp++;
      else behaviourFn++;
    }
    const ofNodes = ratesOf({ tp, fp, fn, tn: 0 });
    const ofBehaviours = ratesOf({ tp: behaviourTp, fp: behaviourFp, fn: behaviourFn, tn: 0 });
    figures[0][i] = ofBehaviours.precision;
    figures[1][i] = ofBehaviours.recall;
    figures[2][i] = ofNodes.precision;
    figures[3][i] = ofNodes.recall;
    figures[4][i] = ofNodes.f1;
  }
  const [behaviourPrecision, behaviourRecall, precision, recall, f1] = figures.map(intervalOf);
  return { resamples, behaviourPrecision, behaviourRecall, precision, recall, f1 };
}

/** Four counts of nodes per behaviour: tp, fp, fn, tn. */
function countCells(behaviours: Behaviours, flagged: Uint8Array, positives: Uint8Array): Uint32Array {
  const cells = new Uint32Array(4 * behaviours.count);
  for (let v = 0; v < behaviours.of.length; v++) {
    const b = behaviours.of[v];
    if (b >= 0) cells[4 * b + (positives[v] !== 0 ? (flagged[v] !== 0 ? 0 : 2) : flagged[v] !== 0 ? 1 : 3)]++;
  }
  return cells;
}

function intervalOf(values: readonly (number | null)[]): Interval {
  const defined = Float64Array.from(values.filter((value) => value !== null)).sort();
  if (defined.length === 0) return { low: null, high: null, defined: 0 };
  return { low: quantile(defined, TAIL), high: quantile(defined, 1 - TAIL), defined: defined.length };
}

/** Linear between order statistics. */
function quantile(sorted: Float64Array, q: number): number {
  const at = q * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}
