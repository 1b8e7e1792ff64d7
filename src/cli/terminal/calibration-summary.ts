import { countOf } from '../../base/number-text.js';
import type { Threshold } from '../../detect/threshold/threshold.js';
import type { CalibrationSummary } from '../../pipeline/calibration-summary.js';
import { formatCount, formatDuration } from './quantities.js';

const DAY_MS = 86_400_000;

/** What a calibration used, and what the default threshold will bring. */
export function* renderCalibration(summary: CalibrationSummary): Generator<string> {
  const { graphs, instances, benign, config, covariance, threshold } = summary;
  yield `calibrated on ${countOf(graphs, 'graph')}, ${countOf(instances, 'instance')}: ${config.evidence.join(', ')}`;
  if (covariance !== undefined) yield describeCovariance(covariance);
  if (benign.inSample) {
    yield 'benign scores come from the same data as the tables; thresholds are too low';
  }
  yield* renderThreshold(threshold.rule, threshold, benign.hostDays);
}

function describeCovariance({ known, total }: { known: number; total: number }): string {
  if (known === 0) return 'brown: too few co-occurring pairs to estimate covariance; using Fisher';
  const others = known < total ? '; the others use the mean' : '';
  return `brown: ${formatCount(known)} of ${formatCount(total)} pairs of evidence have their own covariance${others}`;
}

/** How a threshold was found, and how many false incidents to expect. */
export function* renderThreshold(rule: string, found: Threshold, hostDays: number): Generator<string> {
  const { tau, status, finest, incidentsPerDay, alarmsPerDay, range } = found;
  const rate = (value: number) => (value >= 10 ? formatCount(Math.round(value)) : value.toPrecision(2));
  const covered =
    hostDays < 0.95 ? formatDuration(hostDays * DAY_MS) : `${hostDays.toPrecision(2)} host-days`;
  const unit = /^(?:budget|top)/.test(rule) ? 'false incidents per host and day' : 'of instances';
  if (rule.startsWith('top') && finest > found.asked) {
    // The rule raises the first incidents in any case; a rate per day would be a guess.
    yield `threshold ${rule}: score ${tau.toFixed(2)} or more, by rank alone`;
    yield `  calibration covers only ${covered} of benign events: too little to say how many incidents are false`;
    yield '  hint: read the incidents in order; calibrate on a day or more to get a rate';
    return;
  }
  yield `threshold ${rule}: score ${tau.toFixed(2)} or more (${status})`;
  yield `  calibration covers ${covered} of benign events; the lowest rate it can measure is ${rate(finest)} ${unit}`;
  if (rule.startsWith('top') && status === 'unresolved') {
    // A rate from so few benign incidents would be a guess.
    yield '  benign events form too few incidents to say how many of the raised ones are false';
    yield '  hint: read the incidents in order; calibrate on a longer benign period to get a rate';
    return;
  }
  const most = status === 'resolved' ? 'about' : 'at most';
  yield `  expect ${most} ${rate(incidentsPerDay)} false incidents and ${rate(alarmsPerDay)} false alerts per host and day`;
  if (range !== undefined) {
    const [low, high] = range.tau;
    yield `  leaving out any part of the calibration gives a score of ${low.toFixed(2)} to ${high.toFixed(2)} and a rate of ${rate(range.rate[0])} to ${rate(range.rate[1])}`;
  }
  if (status !== 'resolved') yield `  hint: calibrate on a longer benign period for a reliable rate`;
}
