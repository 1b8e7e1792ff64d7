import { dayOf } from './activity.js';
import type { Detector } from './detector.js';
import { discoverByDay } from './fdr.js';
import { PairTable } from './pair-table.js';
import type { SplitGraphs } from './split-graphs.js';
import { chooseThreshold, empiricalP, nodeP, type Threshold, type ThresholdSpec } from './threshold.js';

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

/** Benjamini and Hochberg over the nodes of each host and day; a node in G graphs of a day has G chances (method §9). */
function discover(
  level: number,
  detector: Detector,
  graphs: SplitGraphs,
  signal: AbortSignal | undefined,
): AppliedThreshold {
  const { benign } = detector.calibration;
  const { keys } = graphs.events;
  const rows = new PairTable();
  const best: number[] = [];
  const times: number[] = [];
  const scored: { rows: number[]; scores: number[] } = { rows: [], scores: [] };
  for (const { scores, view } of detector.score(graphs)) {
    signal?.throwIfAborted();
    const day = dayOf(view);
    scores.forEach((score, v) => {
      const row = rows.intern(view.planned.nodes[v], day);
      best[row] = Math.max(best[row] ?? 0, score);
      times[row] = (times[row] ?? 0) + 1;
      if (score > 0) {
        scored.rows.push(row);
        scored.scores.push(score);
      }
    });
  }
  const hosts = Array.from(rows.firsts, (node) => keys.hostAt(node));
  const found = discoverByDay(
    { hosts, days: rows.seconds, p: best.map((score, row) => nodeP(empiricalP(benign, score), times[row])) },
    // Events on file are over: every day of them is closed.
    { level, floor: 1 / (benign.instances + 1), openDay: Number.POSITIVE_INFINITY },
  );
  const keyOf = (host: number, day: number) => `${host} ${day}`;
  const levels = new Map(found.days.map((each) => [keyOf(each.host, each.day), each.level]));
  const alarmsIn = (row: number, score: number) => {
    const most = levels.get(keyOf(hosts[row], rows.seconds[row])) ?? 0;
    return nodeP(empiricalP(benign, score), times[row]) <= most;
  };
  const taus = new Map<string, number>();
  scored.scores.forEach((score, i) => {
    const row = scored.rows[i];
    const key = keyOf(hosts[row], rows.seconds[row]);
    if (alarmsIn(row, score)) taus.set(key, Math.min(taus.get(key) ?? Number.MAX_VALUE, score));
  });
  const needed = found.days.reduce((least, day) => Math.min(least, day.needed), Number.POSITIVE_INFINITY);
  return {
    tau: [...taus.values()].reduce((least, tau) => Math.min(least, tau), Number.MAX_VALUE),
    tauOf: (host, day) => taus.get(keyOf(host, day)) ?? Number.MAX_VALUE,
    alarms: (score, node, day) => alarmsIn(rows.find(node, day), score),
    threshold: undefined,
    note:
      taus.size === 0
        ? `nothing alarms at this nominal false discovery rate: on a day ${needed} nodes, of one graph each, would have to score above all ${benign.instances} benign ones`
        : 'the false discovery rate is nominal: nodes share neighbours and load',
  };
}
