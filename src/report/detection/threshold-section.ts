import type { Threshold } from '../../detect/threshold/threshold.js';
import { formatFixed, formatNumber } from '../page/format.js';
import { type Content, code, h } from '../page/html.js';

/** The threshold of a detection and where it comes from. */
export interface ThresholdInfo {
  readonly value: number;
  /** The lowest score of a node with an alert. Default: `value`. */
  readonly nodes?: number | undefined;
  /** For example budget:5/day. */
  readonly rule: string;
  readonly note: string | null;
  /** Undefined for a false discovery rate, which has no single score. */
  readonly found?: Threshold | undefined;
  /** Host-days of benign data used for calibration. */
  readonly hostDays: number;
}

/** False if no score raises an alert, so that there is no line to draw. */
export function hasThresholdLine({ value }: Pick<ThresholdInfo, 'value'>): boolean {
  return Number.isFinite(value) && value < Number.MAX_VALUE;
}

const SCORE_MEANING =
  'A score is −ln of the probability that a benign instance looks at least this unusual: 5 is about 1 in 150, 10 is ' +
  'about 1 in 22,000. This would be exact if the pieces of evidence were independent, but they are not. The threshold ' +
  'therefore comes from the scores of benign events that the model was not trained on.';

/** The value of the threshold, its origin and the false alerts to expect. */
export function thresholdContent(threshold: ThresholdInfo): Content {
  const { value, nodes, rule, note, found, hostDays } = threshold;
  const raised = nodes === undefined ? 'an alert' : 'an incident';
  return [
    h(
      'p',
      {},
      'Rule ',
      code(rule),
      hasThresholdLine(threshold)
        ? [': a score of ', h('b', {}, formatFixed(value, 2)), ` or more raises ${raised}. `]
        : `: no score raises ${raised}. `,
      ruleMeaning(rule),
    ),
    nodes !== undefined &&
      h(
        'p',
        {},
        `An incident is one or more process trees. Its score adds what is new in them to the scores of their processes. Its alerts are its main processes, and all its instances that score ${formatFixed(nodes, 2)} or more (the dashed line).`,
      ),
    h('p', {}, SCORE_MEANING),
    found !== undefined && h('p', {}, expectation(found, rule, hostDays, nodes === undefined)),
    note !== null && h('p', { class: 'warning' }, `Note: ${note}.`),
  ];
}

function ruleMeaning(rule: string): string {
  if (rule.startsWith('top:'))
    return `The rule raises the first ${rule.slice(4).replace('/', ' incidents of each host and ')}, ranked by score.`;
  if (rule.startsWith('budget:'))
    return `The rule allows ${rule.slice(7).replace('/', ' false incidents per host and ')}.`;
  if (rule.startsWith('fpr:'))
    return 'The rule allows this share of benign instances (an entity in a graph) to raise an alert.';
  return 'The rule allows this share of the alerts of each host and day to be false.';
}

function expectation(found: Threshold, rule: string, hostDays: number, countsAlerts: boolean): string {
  const { asked, status, finest, incidentsPerDay, alarmsPerDay, range } = found;
  const days = formatNumber(hostDays, 2);
  const unit = /^(?:budget|top)/.test(rule) ? 'false incidents per host and day' : 'of instances';
  const calibration = `Calibration used ${days} host-day${days === '1' ? '' : 's'} of benign events; the lowest rate it can measure is ${formatNumber(finest, 2)} ${unit}.`;
  // A rate from so few benign incidents, or from so short a time, would be a guess, as `recal detect` says too.
  if (rule.startsWith('top:') && (status === 'unresolved' || finest > asked))
    return `${calibration} That is too little to say how many incidents are false.`;
  const most = status === 'resolved' ? 'about' : 'at most';
  const alerts = countsAlerts ? ` and ${formatNumber(alarmsPerDay, 2)} false alerts` : '';
  const rates = `On similar days, expect ${most} ${formatNumber(incidentsPerDay, 2)} false incidents${alerts} per host and day.`;
  const spread =
    range === undefined
      ? ''
      : ` Leaving out any part of the calibration gives a threshold between ${formatFixed(range.tau[0], 2)} and ${formatFixed(range.tau[1], 2)}.`;
  return `${calibration} ${rates}${spread}`;
}
