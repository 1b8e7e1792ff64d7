import { dayOf } from '../alerts/activity.js';
import type { Detector } from '../detector.js';
import type { SplitGraphs } from '../split-graphs.js';
import { describeNeeded, NodeDays } from './node-days.js';
import { chooseThreshold, empiricalP, type Threshold, type ThresholdSpec } from './threshold.js';

/** A rule turned into a score. */
export interface AppliedThreshold {
  /** The lowest score that alarms anywhere. */
  readonly tau: number;
  /** The lowest score that alarms in the graphs of a host and day; days since 1970. */
  tauOf(host: number, day: number): number;
  /** Whether a node, by the events' own number, that scores this in a graph of this day alarms. */
  alarms(score: number, node: number, day: number): boolean;
  /** How it was found; undefined for a false discovery rate, which has no score of its own. */
  readonly threshold: Threshold | undefined;
  /** What a reader of the alerts should know of it. */
  readonly note: string | null;
}

/**
 * The score from which on there are alerts. A false discovery rate is about all nodes of a day together, so that these
 * are scored once before, and every host and day has a score of its own.
 */
export async function applyThreshold(
  spec: ThresholdSpec,
  detector: Detector,
  graphs: SplitGraphs,
  signal?: AbortSignal,
): Promise<AppliedThreshold> {
  if (spec.kind === 'oracle') throw new RangeError('an oracle reads labels: evaluation only');
  const { benign } = detector.calibration;
  if (spec.kind !== 'fdr') {
    const threshold = chooseThreshold(spec, benign);
    const note =
      threshold.status === 'resolved'
        ? null
        : `the threshold is ${threshold.status}: the benign part is too short for it`;
    const { tau } = threshold;
    return { tau, tauOf: () => tau, alarms: (score) => score >= tau, threshold, note };
  }
  return discover(spec.level, detector, graphs, signal);
}

/** Discoveries among the nodes of each host and day, and the scores from which on they are. */
function discover(
  level: number,
  detector: Detector,
  graphs: SplitGraphs,
  signal: AbortSignal | undefined,
): AppliedThreshold {
  const { benign } = detector.calibration;
  const hostAt = (node: number) => graphs.events.keys.hostAt(node);
  const nodeDays = new NodeDays();
  const scored: { rows: number[]; scores: number[] } = { rows: [], scores: [] };
  for (const { scores, view } of detector.score(graphs)) {
    signal?.throwIfAborted();
    const day = dayOf(view);
    scores.forEach((score, v) => {
      const row = nodeDays.add(view.planned.nodes[v], day, empiricalP(benign, score));
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
  const taus = new Map<string, number>();
  scored.scores.forEach((score, i) => {
    const row = scored.rows[i];
    if (!alarmsIn(row, score)) return;
    const key = keyOfRow(row);
    taus.set(key, Math.min(taus.get(key) ?? Number.MAX_VALUE, score));
  });
  return {
    tau: [...taus.values()].reduce((least, tau) => Math.min(least, tau), Number.MAX_VALUE),
    tauOf: (host, day) => taus.get(keyOf(host, day)) ?? Number.MAX_VALUE,
    alarms: (score, node, day) => alarmsIn(nodeDays.rowOf(node, day), score),
    threshold: undefined,
    note:
      taus.size === 0
        ? `nothing alarms at this nominal false discovery rate: ${describeNeeded(found, benign)}`
        : 'the false discovery rate is nominal: nodes share neighbours and load',
  };
}
