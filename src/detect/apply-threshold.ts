import { dayOf } from './activity.js';
import type { Detector } from './detector.js';
import { discoverByDay } from './fdr.js';
import type { SplitGraphs } from './split-graphs.js';
import { chooseThreshold, empiricalP, type Threshold, type ThresholdSpec } from './threshold.js';

/** A rule turned into a score. */
export interface AppliedThreshold {
  /** The lowest score that alarms anywhere. */
  readonly tau: number;
  /** The score that alarms in the graphs of a host and day; days since 1970. */
  tauOf(host: number, day: number): number;
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
    return { tau, tauOf: () => tau, threshold, note };
  }
  const rows = { hosts: [] as number[], days: [] as number[], p: [] as number[], scores: [] as number[] };
  for (const { scores, view } of detector.score(graphs)) {
    signal?.throwIfAborted();
    const day = dayOf(view);
    scores.forEach((score, v) => {
      rows.hosts.push(graphs.events.keys.hostAt(view.planned.nodes[v]));
      rows.days.push(day);
      rows.p.push(empiricalP(benign, score));
      rows.scores.push(score);
    });
  }
  const floor = 1 / (benign.instances + 1);
  // Events on file are over: every day of them is closed.
  const found = discoverByDay(rows, { level: spec.level, floor, openDay: Number.POSITIVE_INFINITY });
  const taus = new Map<string, number>();
  const keyOf = (host: number, day: number) => `${host} ${day}`;
  found.alarms.forEach((alarm, row) => {
    const key = keyOf(rows.hosts[row], rows.days[row]);
    if (alarm === 1) taus.set(key, Math.min(taus.get(key) ?? Number.MAX_VALUE, rows.scores[row]));
  });
  const tau = Math.min(Number.MAX_VALUE, ...taus.values());
  const needed = found.days.reduce((least, day) => Math.min(least, day.needed), Number.POSITIVE_INFINITY);
  const note =
    taus.size === 0
      ? `nothing alarms at this nominal false discovery rate: on a day ${needed} nodes would have to score above all ${benign.instances} benign ones`
      : 'the false discovery rate is nominal: nodes share neighbours and load';
  const tauOf = (host: number, day: number) => taus.get(keyOf(host, day)) ?? Number.MAX_VALUE;
  return { tau, tauOf, threshold: undefined, note };
}
