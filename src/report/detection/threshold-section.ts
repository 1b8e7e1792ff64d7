import type { Threshold } from '../../detect/threshold/threshold.js';
import { formatFixed, formatNumber } from '../page/format.js';
import { type Content, code, h } from '../page/html.js';

/** What a report knows of how its threshold was found. */
export interface ToldThreshold {
  readonly value: number;
  /** As asked for, such as budget:5/day. */
  readonly rule: string;
  readonly note: string | null;
  /** Undefined for a false discovery rate, which has no score of its own. */
  readonly found?: Threshold | undefined;
  /** Benign time that scores were compared with. */
  readonly hostDays: number;
}

/** True where there is a score to draw a line at. */
export function hasLine({ value }: Pick<ToldThreshold, 'value'>): boolean {
  return Number.isFinite(value) && value < Number.MAX_VALUE;
}

/** What the threshold is, where it comes from and what to expect of it. */
export function thresholdContent(threshold: ToldThreshold): Content {
  const { value, rule, note, found, hostDays } = threshold;
  const meaning =
    'A score is −ln of the probability that something harmless looks at least so unusual: 5 is about 1 in 150, 10 is about 1 in 22,000, ' +
    'if the pieces of evidence were independent, which they are not. So the threshold is not taken from that formula, but from ' +
    'how high harmless events scored that the model was not trained on.';
  const lines: Content[] = [
    h(
      'p',
      {},
      hasLine(threshold)
        ? [
            'Asked for ',
            code(rule),
            ': an alert is raised from a score of ',
            h('b', {}, formatFixed(value, 2)),
            ' on. ',
          ]
        : ['Asked for ', code(rule), ': no score alarms. '],
      ruleMeaning(rule),
    ),
    h('p', {}, meaning),
  ];
  if (found !== undefined) lines.push(h('p', {}, expectation(found, hostDays)));
  if (note !== null) lines.push(h('p', { class: 'warning' }, `Note: ${note}.`));
  return lines;
}

function ruleMeaning(rule: string): string {
  if (rule.startsWith('budget:'))
    return `The rule allows ${rule.slice(7).replace('/', ' false incidents per host and ')}.`;
  if (rule.startsWith('fpr:'))
    return 'The rule allows this share of harmless (entity, window) instances to alarm.';
  return 'The rule allows this share of the alerts of a host and day to be false.';
}

function expectation(found: Threshold, hostDays: number): string {
  const { status, finest, incidentsPerDay, alarmsPerDay, range, graphs } = found;
  const most = status === 'resolved' ? 'about' : 'at most';
  const days = formatNumber(hostDays, 2);
  const span = `It was compared with ${days} host-day${days === '1' ? '' : 's'} of harmless time in ${formatNumber(graphs)} graphs`;
  const rates = `expect ${most} ${formatNumber(incidentsPerDay, 2)} false incidents and ${formatNumber(alarmsPerDay, 2)} false alerts per host and day where days are like that time`;
  const spread =
    range === undefined
      ? ''
      : ` With one of these graphs left out the threshold would lie between ${formatFixed(range.tau[0], 2)} and ${formatFixed(range.tau[1], 2)}.`;
  return `${span} (rates below ${formatNumber(finest, 2)} cannot be told from none): ${rates}.${spread}`;
}
