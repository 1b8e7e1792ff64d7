import {
  type BenignCurve,
  chooseThreshold,
  empiricalP,
  perDay,
  type Threshold,
  type ThresholdSpec,
} from '../threshold/threshold.js';
import type { TailSurprise } from './novelty/tail-surprise.js';

/** The incidents that benign episodes form, and the time that they span. */
export interface BenignIncidents {
  readonly scores: TailSurprise;
  readonly hostDays: number;
  readonly graphs: number;
}

export interface RaisedIncidents<Incident> {
  /** By rank. */
  readonly incidents: readonly Incident[];
  /** The lowest score that is raised. */
  readonly tau: number;
  readonly threshold: Threshold;
  readonly note: string | null;
}

/**
 * Decides which ranked incidents are raised. `top:N/day` ranks first: it raises the first N of each host and day, however
 * short the calibration was, and says how many of them benign events would give.
 */
export function raiseIncidents<Incident extends { readonly score: number }>(
  spec: Exclude<ThresholdSpec, { kind: 'oracle' }>,
  ranked: readonly Incident[],
  { benign, hostDays }: { readonly benign: BenignIncidents; readonly hostDays: number },
): RaisedIncidents<Incident> {
  const scored = ranked.filter(({ score }) => score > 0);
  const curve = curveOf(benign);
  if (spec.kind === 'top') {
    const asked = perDay(spec);
    const count = Math.max(1, Math.ceil(spec.count * Math.max(1, (hostDays * asked) / spec.count)));
    const incidents = scored.slice(0, count);
    const tau = incidents.at(-1)?.score ?? Number.MAX_VALUE;
    return { incidents, tau, ...describe(tau, asked, benign, curve) };
  }
  if (spec.kind === 'fdr') {
    const ps = scored.map(({ score }) => empiricalP(curve, score));
    const kept = ps.findLastIndex((p, i) => p <= ((i + 1) * spec.level) / ps.length) + 1;
    const tau = kept === 0 ? Number.MAX_VALUE : scored[kept - 1].score;
    return { incidents: scored.slice(0, kept), tau, ...describe(tau, spec.level, benign, curve) };
  }
  const threshold = chooseThreshold(spec, curve);
  const note =
    threshold.status === 'resolved'
      ? null
      : `the threshold is ${threshold.status}: the benign split is too short for this rule`;
  return {
    incidents: scored.filter(({ score }) => score >= threshold.tau),
    tau: threshold.tau,
    threshold,
    note,
  };
}

/** How many incidents of at least τ benign events give, and how sure that is. */
function describe(
  tau: number,
  asked: number,
  { scores, hostDays, graphs }: BenignIncidents,
  { incidents, thresholds }: BenignCurve,
): { threshold: Threshold; note: string | null } {
  const above = thresholds.findIndex((threshold) => threshold < tau);
  const count = above < 0 ? scores.values.length : above === 0 ? 0 : incidents[above - 1];
  const isResolved = count > 0 || tau === Number.MAX_VALUE;
  const few = scores.values.length < 20;
  const expected = isResolved ? count : Math.min(1, scores.values.length * Math.exp(-scores.of(tau)));
  const perHostDay = hostDays > 0 ? expected / hostDays : 0;
  const status = few ? 'unresolved' : isResolved ? 'resolved' : 'extrapolated';
  return {
    threshold: {
      tau,
      status,
      asked,
      finest: hostDays > 0 ? 1 / hostDays : Number.POSITIVE_INFINITY,
      realised: hostDays > 0 ? count / hostDays : 0,
      incidentsPerDay: perHostDay,
      alarmsPerDay: perHostDay,
      graphs,
      range: undefined,
    },
    note: few
      ? 'fewer than 20 benign incidents to compare with: the order is reliable, but the number of false incidents is unknown'
      : null,
  };
}

function curveOf({ scores, hostDays, graphs }: BenignIncidents): BenignCurve {
  const descending = Float32Array.from(scores.values).reverse();
  const positive = descending.filter((score) => score > 0);
  const thresholds = positive.filter((score, i) => i === 0 || score !== positive[i - 1]);
  let at = 0;
  const incidents = Uint32Array.from(thresholds, (threshold) => {
    while (at < positive.length && positive[at] >= threshold) at++;
    return at;
  });
  return {
    scores: positive,
    instances: Math.max(1, descending.length),
    hostDays,
    graphs,
    thresholds,
    incidents,
    without: [],
  };
}
