import { EXIT, RecalError } from '../../base/errors.js';
import { dayOf } from '../alerts/activity.js';
import type { Calibration } from '../calibration/calibrate.js';
import type { Detector } from '../detector.js';
import type { SplitGraphs } from '../split-graphs.js';
import type { BenignScores } from './benign-scores.js';
import { describeNeeded, NodeDays } from './node-days.js';
import {
  chooseThreshold,
  empiricalP,
  formatThreshold,
  type Threshold,
  type ThresholdSpec,
} from './threshold.js';

/** A threshold rule, applied to graphs. */
export interface AppliedThreshold {
  /** The lowest score that alarms. */
  readonly tau: number;
  /** Whether a node of the loaded events alarms with this score in a graph of this day (days since 1970). */
  alarms(score: number, node: number, day: number): boolean;
  /** Undefined for a false discovery rate, which has no single τ. */
  readonly threshold: Threshold | undefined;
  /** A remark for readers of the alerts. */
  readonly note: string | null;
}

/** The scores of one graph. */
export interface DayScores {
  /** The nodes of the loaded events, by local node. */
  readonly nodes: Int32Array;
  readonly scores: Float64Array;
  /** Days since 1970. */
  readonly day: number;
}

/**
 * Finds the scores that raise alerts. A false discovery rate is about all nodes of a host and day, so that applying it
 * scores the graphs once before detection.
 */
export async function applyThreshold(
  spec: ThresholdSpec,
  detector: Detector,
  graphs: SplitGraphs,
  signal?: AbortSignal,
): Promise<AppliedThreshold> {
  function* scored(): Generator<DayScores> {
    for (const { scores, view } of detector.score(graphs)) {
      signal?.throwIfAborted();
      yield { nodes: view.planned.nodes, scores, day: dayOf(view) };
    }
  }
  const { calibration } = detector;
  const applied = applyRule(spec, calibration.benign, scored(), (node) => graphs.events.keys.hostAt(node));
  return { ...applied, note: joinNotes(applied.note, noteFusion(calibration)) };
}

/** The same for known scores. `graphs` is read only for a false discovery rate. */
export function applyRule(
  spec: ThresholdSpec,
  benign: BenignScores,
  graphs: Iterable<DayScores>,
  hostAt: (node: number) => number,
): AppliedThreshold {
  if (spec.kind === 'oracle') throw new RangeError('the oracle needs labels: use it only in evaluation');
  if (spec.kind === 'top') {
    throw new RecalError('threshold-invalid', `${formatThreshold(spec)} needs a model that judges episodes`, {
      hint: 'use budget:N/day, or calibrate with --set unit=episode',
      exit: EXIT.usage,
    });
  }
  if (spec.kind === 'fdr') return discover(spec.level, benign, graphs, hostAt);
  const threshold = chooseThreshold(spec, benign);
  const { tau, status } = threshold;
  const note =
    status === 'resolved' ? null : `the threshold is ${status}: the benign split is too short for this rule`;
  return { tau, alarms: (score) => score >= tau, threshold, note };
}

/** The local nodes of a graph that raise an alert. A node that scores 0 never does. */
export function alarmingNodes(
  { nodes, scores, day }: DayScores,
  { alarms }: Pick<AppliedThreshold, 'alarms'>,
): Int32Array {
  return Int32Array.from({ length: scores.length }, (_, v) => v).filter(
    (v) => scores[v] > 0 && alarms(scores[v], nodes[v], day),
  );
}

function noteFusion({ covariance }: Calibration): string | null {
  if (covariance === undefined || covariance.pairs.known > 0) return null;
  return 'too few co-occurring pairs to estimate covariance; using Fisher';
}

function joinNotes(...notes: (string | null)[]): string | null {
  const known = notes.filter((note) => note !== null);
  return known.length === 0 ? null : known.join('. ');
}

/** Finds the discoveries among the nodes of each host and day, and the lowest score of any. */
function discover(
  level: number,
  benign: BenignScores,
  graphs: Iterable<DayScores>,
  hostAt: (node: number) => number,
): AppliedThreshold {
  const nodeDays = new NodeDays();
  const scored: { rows: number[]; scores: number[] } = { rows: [], scores: [] };
  for (const { nodes, scores, day } of graphs) {
    scores.forEach((score, v) => {
      const row = nodeDays.add(nodes[v], day, empiricalP(benign, score));
      if (score === 0) return;
      scored.rows.push(row);
      scored.scores.push(score);
    });
  }
  const found = nodeDays.discover(level, benign, hostAt);
  const keyOf = (host: number, day: number) => `${host} ${day}`;
  const keyOfRow = (row: number) => keyOf(hostAt(nodeDays.nodes[row]), nodeDays.days[row]);
  const levels = new Map(found.days.map((each) => [keyOf(each.host, each.day), each.level]));
  const alarmsIn = (row: number, score: number) =>
    nodeDays.correct(row, empiricalP(benign, score)) <= (levels.get(keyOfRow(row)) ?? 0);
  let tau = Number.MAX_VALUE;
  scored.scores.forEach((score, i) => {
    if (alarmsIn(scored.rows[i], score)) tau = Math.min(tau, score);
  });
  const note =
    tau === Number.MAX_VALUE
      ? `no node raises an alert at this nominal false discovery rate: ${describeNeeded(found, benign)}`
      : 'the false discovery rate is nominal, because nodes share neighbours and load';
  return {
    tau,
    alarms: (score, node, day) => alarmsIn(nodeDays.rowOf(node, day), score),
    threshold: undefined,
    note,
  };
}
