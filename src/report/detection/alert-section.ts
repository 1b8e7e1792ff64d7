import type { Alert, AlertEvidence } from '../../detect/alerts/alert.js';
import { formatFrequency, formatNumber, formatPercent } from '../page/format.js';
import { type Content, type Element, h } from '../page/html.js';
import { barCell, dataTable, nameCell } from '../page/tables.js';
import { entityName } from './entity-name.js';
import { sentenceContent } from './sentence.js';

const MOST_EVIDENCE = 8;
/** Features that a larger share of training has are not shown as rare. */
const RARE = 0.2;
/** The token that stands for all words outside the vocabulary. */
const UNKNOWN = '<unk>';
/** A note is shown for fewer benign values than this. */
const FEW = 100;

/** Why one entity is suspicious: the sentence, the evidence, and the entities most like it. */
export function alertSection(alert: Alert, id: string, number: number): Element {
  return h(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    h('h4', { id: `${id}-title` }, `Alert ${number}: `, nameCell(entityName(alert.entity), 60)),
    h('p', {}, sentenceContent(alert.sentence)),
    inheritance(alert),
    evidenceTable(id, alert),
    lookAlikes(alert),
    rareFeatures(alert),
  );
}

/** The evidence in the table is the entity's own and need not explain its whole score. */
function inheritance({ lineage }: Alert): Content {
  if (lineage === null || lineage.inherited <= 0) return null;
  return h(
    'p',
    {},
    `Its own evidence gives a score of ${formatNumber(lineage.own, 3)}; `,
    nameCell(entityName(lineage.from), 48),
    `, which acted on it, passes on ${formatNumber(lineage.inherited, 3)}.`,
  );
}

function evidenceTable(id: string, { evidence, score, threshold }: Alert): Element {
  const magnitude = (each: AlertEvidence): number => -each.logP / Math.LN10;
  const most = evidence.reduce((high, each) => Math.max(high, magnitude(each)), 1);
  const isEstimated = evidence.some(isFromTail);
  const isExplained = evidence.slice(0, MOST_EVIDENCE).some((each) => explanation(each).length > 0);
  return dataTable({
    id: `${id}-evidence`,
    title: 'Evidence',
    caption: [
      `Score ${formatNumber(score, 3)}, threshold ${formatNumber(threshold, 3)}. Each value is compared with benign values. Bars are logarithmic.`,
      isEstimated && ' “About” marks a frequency that is estimated from the benign tail.',
    ],
    columns: [
      { heading: 'evidence', value: (each) => each.kind },
      {
        heading: 'relation',
        value: (each) => each.relation,
        as: 'whole',
        show: (each) => (each.relation === null ? '–' : nameCell(each.relation.replace(/^EVENT_/, ''), 28)),
      },
      { heading: 'events', value: (each) => each.events },
      { heading: 'benign below', value: (each) => each.benignQuantile, as: 'whole', show: quantileText },
      {
        heading: 'benign frequency',
        value: (each) => each.p,
        as: 'whole',
        show: (each) => [frequencyText(each), barCell(magnitude(each), most, 48)],
      },
      { heading: 'share', value: (each) => each.share, show: (each) => formatPercent(each.share, 0) },
      ...(isExplained
        ? [
            {
              heading: 'explanation',
              value: (each: AlertEvidence) => each.because,
              show: explanation,
            },
          ]
        : []),
    ],
    rows: evidence,
    most: MOST_EVIDENCE,
  });
}

/** Rounds down, so that "nearly all" does not become "all". */
function quantileText({ beyond, benignQuantile, n }: AlertEvidence): string {
  if (n === 0) return 'no benign values';
  const of = `of ${formatNumber(n)}`;
  if (beyond) return `all ${of}`;
  const share = Math.floor(benignQuantile * 1e4) / 1e4;
  return share >= 1 ? `more than 99.99 % ${of}` : `${formatPercent(share, 2)} ${of}`;
}

function frequencyText(evidence: AlertEvidence): string {
  const { p, n, floor } = evidence;
  // n benign values cannot show a lower frequency than this.
  const isLowest = floor && p <= 1.000001 / (n + 1);
  const prefix = isLowest ? 'fewer than ' : isFromTail(evidence) ? 'about ' : '';
  return `${prefix}${formatFrequency(p)}`;
}

const isFromTail = ({ floor, modelled }: AlertEvidence): boolean => modelled && !floor;

function explanation({ because, source, n, level, draws }: AlertEvidence): Content[] {
  const notes: string[] = [];
  if (source !== null) {
    const clock = source.first.iso.slice(11, 19);
    notes.push(source.count === 1 ? `at ${clock}` : `${formatNumber(source.count)} times, first at ${clock}`);
  }
  if (draws > 1) notes.push(`highest of ${formatNumber(draws)} values`);
  if (n < FEW) notes.push('few benign values');
  if (level === 'group' || level === 'all') notes.push('benign values include other relations');
  const parts: Content[] = because === '' ? notes : [sentenceContent(because), ...notes];
  return parts.map((part, i) => [i === 0 ? '' : '; ', part]);
}

function lookAlikes({ lookAlikes: found, knn }: Alert): Content {
  if (found.length === 0) return null;
  // Nearest first: keep the nearest of those with the same name.
  const distinct = found.filter(
    ({ name, type }, i) => found.findIndex((other) => other.name === name && other.type === type) === i,
  );
  const benign =
    knn.threshold === null ? '' : `; 9 in 10 benign entities are within ${formatNumber(knn.threshold, 3)}`;
  const distance =
    knn.distance === null
      ? ''
      : ` The mean distance to its neighbours is ${formatNumber(knn.distance, 3)}${benign}.`;
  return h(
    'p',
    {},
    h('b', {}, 'Most similar in training: '),
    distinct.map((entity, i) => [
      i === 0 ? '' : ', ',
      nameCell(entityName(entity), 48),
      ` (${entity.type}, distance ${formatNumber(entity.distance, 3)})`,
    ]),
    `.${distance}`,
  );
}

function rareFeatures({ deviations }: Alert): Content {
  const rare = deviations.filter(({ seen, of }) => seen <= RARE * of);
  if (rare.length === 0) return null;
  return h(
    'p',
    {},
    h('b', {}, 'Rare features: '),
    rare.map(({ kind, what, seen, of }, i) => [
      i === 0 ? '' : '; ',
      kind === 'token' && what === UNKNOWN
        ? 'a word outside the vocabulary'
        : [kind === 'token' ? 'word ' : 'sequence ', nameCell(what, 60)],
      ` (${formatNumber(seen)} of ${formatNumber(of)} in training)`,
    ]),
    '.',
  );
}
