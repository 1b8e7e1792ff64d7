import type { Alert, AlertEvidence, Incident } from '../../detect/alerts/alert.js';
import { incidentGraph } from '../graph/incident-graph.js';
import { formatNumber, formatPercent, formatSeconds, formatTime } from '../page/format.js';
import { type Content, code, type Element, h } from '../page/html.js';
import { factList } from '../page/page.js';
import { shortenMiddle } from '../page/shorten.js';
import { barCell, dataTable, nameCell } from '../page/tables.js';
import { mainAction, mainActions } from './actions.js';
import { oneIn } from './incident.js';
import { buildSubgraph, type IncidentSubgraph } from './incident-subgraph.js';
import { sentenceContent } from './sentence.js';

/** Alerts of an incident that are told in full. */
const MOST_TOLD = 3;
const MOST_DEEDS = 5;
const MOST_MEMBERS = 12;
const MOST_EVIDENCE = 8;
const MOST_DRAWN = 18;
/** A feature that more than this share of training has is nothing to point at. */
const RARE = 0.2;
/** What the vocabulary calls all words that it does not hold. */
const UNKNOWN = '<unk>';
/** Fewer benign values than this are worth a word. */
const FEW = 100;

/** The address of an incident in the page. */
export function incidentAddress({ rank }: Pick<Incident, 'rank'>): string {
  return `incident-${rank}`;
}

/** What an incident is called in a heading: where it begins. */
export function incidentName({ root }: Pick<Incident, 'root'>): string {
  return shortenMiddle(root.name ?? `nameless ${root.type}`, 60);
}

/** One incident as an analyst reads it: what and when, who touched whom, then why. `alerts` are its own, by score. */
export function incidentStory(incident: Incident, alerts: readonly Alert[]): Element {
  const id = incidentAddress(incident);
  const drawn = buildSubgraph(alerts);
  const told = alertsToTell(alerts);
  const untold = countEntities(alerts) - told.length;
  return h(
    'article',
    { class: 'incident', id, 'aria-labelledby': `${id}-title` },
    h('h3', { id: `${id}-title` }, `${incident.rank}. Around `, code(incidentName(incident))),
    h('p', {}, sentenceContent(incident.sentence)),
    h(
      'p',
      {},
      h('b', {}, 'Most telling: '),
      sentenceContent(mainActions(alerts, MOST_DEEDS).join('; ')),
      '.',
    ),
    factList([
      ['severity', incident.severity],
      ['prominence', formatNumber(incident.prominence, 3)],
      ['score', formatNumber(incident.score, 3)],
      ['alerts', `${formatNumber(alerts.length)} about ${entities(countEntities(alerts))}`],
      ['first event', formatTime(BigInt(incident.first.ns))],
      ['lasted', formatSeconds(Number(BigInt(incident.last.ns) - BigInt(incident.first.ns)) / 1e9)],
    ]),
    incidentGraph({
      id: `${id}-graph`,
      title: 'Who touched what',
      caption: graphCaption(drawn),
      most: MOST_DRAWN,
      nodes: drawn.nodes,
      edges: drawn.edges,
    }),
    membersTable(id, alerts),
    told.map((alert, i) => alertStory(alert, `${id}-alert-${i + 1}`, i + 1)),
    untold > 0 &&
      h('p', { class: 'note' }, `${entities(untold)} of this incident not told in full; for any of them: `, [
        code('recal explain ALERT --alerts DIR'),
        '.',
      ]),
  );
}

function graphCaption({ othersLeftOut, withoutEdges }: IncidentSubgraph): string {
  const notes = ['Alerts and what they touched; what an entity did to itself is not drawn.'];
  if (othersLeftOut > 0)
    notes.push(`${formatNumber(othersLeftOut)} more entities that they touched are left out.`);
  if (withoutEdges > 0) notes.push(`Of the ${formatNumber(withoutEdges)} lowest alerts no edges are given.`);
  return notes.join(' ');
}

/** The highest alerts, each about another entity. */
function alertsToTell(alerts: readonly Alert[]): Alert[] {
  const seen = new Set<string>();
  return alerts.filter(({ entity }) => !seen.has(entity.id) && seen.add(entity.id)).slice(0, MOST_TOLD);
}

function countEntities(alerts: readonly Alert[]): number {
  return new Set(alerts.map(({ entity }) => entity.id)).size;
}

const entities = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'entity' : 'entities'}`;

function membersTable(id: string, alerts: readonly Alert[]): Element {
  const members = new Map<string, { alert: Alert; windows: number }>();
  for (const alert of alerts) {
    const known = members.get(alert.entity.id);
    // Alerts come by score: the first one about an entity is its highest.
    if (known === undefined) members.set(alert.entity.id, { alert, windows: 1 });
    else known.windows++;
  }
  const rows = [...members.values()];
  return dataTable({
    id: `${id}-members`,
    title: 'Entities of the incident',
    caption: 'By score. An entity can alarm in several windows; the highest counts.',
    columns: [
      {
        heading: 'entity',
        value: ({ alert }) => nameOf(alert),
        as: 'name',
        show: ({ alert }) => nameCell(nameOf(alert), 44),
      },
      { heading: 'type', value: ({ alert }) => alert.entity.type },
      {
        heading: 'pid',
        value: ({ alert }) => alert.entity.pid,
        show: ({ alert }) => String(alert.entity.pid ?? '–'),
      },
      { heading: 'score', value: ({ alert }) => Number(alert.score.toFixed(1)), as: 'bar' },
      ...(rows.some(({ windows }) => windows > 1)
        ? [{ heading: 'windows', value: ({ windows }: { windows: number }) => windows }]
        : []),
      {
        heading: 'most telling',
        value: ({ alert }) => mainAction(alert),
        show: ({ alert }) => sentenceContent(mainAction(alert)),
      },
      {
        heading: 'alert',
        value: ({ alert }) => alert.id,
        as: 'whole',
        show: ({ alert }) => code(alert.id.slice(0, 8)),
      },
    ],
    rows,
    most: MOST_MEMBERS,
    download: rows.length > MOST_MEMBERS,
  });
}

/** Why one entity is suspicious: the sentence, the numbers behind it, and what it was compared with. */
function alertStory(alert: Alert, id: string, number: number): Element {
  return h(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    h('h4', { id: `${id}-title` }, `Alert ${number}: `, nameCell(nameOf(alert), 60)),
    h('p', {}, sentenceContent(alert.sentence)),
    inheritance(alert),
    evidenceTable(id, alert),
    lookAlikes(alert),
    deviations(alert),
  );
}

/** Suspicion follows the hand that acts: the evidence below is the entity's own and need not explain all of its score. */
function inheritance({ lineage }: Alert): Content {
  if (lineage === null || lineage.inherited <= 0) return null;
  return h(
    'p',
    {},
    `Its own evidence alone would score ${formatNumber(lineage.own, 3)}; the rest comes from `,
    nameCell(lineage.from.name ?? `a nameless ${lineage.from.type}`, 48),
    `, which acted on it and passes on ${formatNumber(lineage.inherited, 3)}.`,
  );
}

function evidenceTable(id: string, { evidence, score, threshold }: Alert): Element {
  const zeros = (each: AlertEvidence): number => -each.logP / Math.LN10;
  const most = evidence.reduce((high, each) => Math.max(high, zeros(each)), 1);
  return dataTable({
    id: `${id}-evidence`,
    title: 'Why',
    caption: `Score ${formatNumber(score, 3)}, alert from ${formatNumber(threshold, 3)} on. One row for each thing measured; the bar is the number of zeros of the probability.`,
    columns: [
      { heading: 'evidence', value: (each) => each.kind },
      {
        heading: 'relation',
        value: (each) => each.relation,
        as: 'whole',
        show: (each) => (each.relation === null ? '–' : nameCell(each.relation.replace(/^EVENT_/, ''), 28)),
      },
      { heading: 'events', value: (each) => each.events },
      { heading: 'beyond', value: (each) => each.benignQuantile, as: 'text', show: beyondOf },
      {
        heading: 'harmless ones like it',
        value: (each) => each.p,
        as: 'whole',
        show: (each) => [rarityOf(each), barCell(zeros(each), most, 48)],
      },
      { heading: 'share', value: (each) => each.share, show: (each) => formatPercent(each.share, 0) },
      { heading: 'in words', value: (each) => each.because, show: wordsOf },
    ],
    rows: evidence,
    most: MOST_EVIDENCE,
  });
}

/** Rounded down: nearly all must not become all. */
function beyondOf({ beyond, benignQuantile, n }: AlertEvidence): string {
  if (n === 0) return 'nothing to compare with';
  const of = `of ${formatNumber(n)}`;
  if (beyond) return `all ${of}`;
  const share = Math.floor(benignQuantile * 1e4) / 1e4;
  return share >= 1 ? `nearly all ${of}` : `${formatPercent(share, 2)} ${of}`;
}

function rarityOf({ p, n, floor }: AlertEvidence): string {
  return p < 1e-6 ? `1 in ${(1 / p).toExponential(0).replace('e+', 'e')}` : oneIn(p, floor ? n : undefined);
}

function wordsOf({ because, source, n, level, draws, floor, modelled }: AlertEvidence): Content {
  const notes: string[] = [];
  if (source !== null) {
    const clock = source.first.iso.slice(11, 19);
    notes.push(source.count === 1 ? `at ${clock}` : `${formatNumber(source.count)} times from ${clock} on`);
  }
  if (draws > 1) notes.push(`the most of ${formatNumber(draws)}`);
  if (n < FEW) notes.push('few to compare with');
  if (level === 'group' || level === 'all') notes.push('compared with other relations too');
  if (!floor && modelled) notes.push('how rare is estimated from the tail');
  const said = because === '' ? [] : [sentenceContent(because), notes.length > 0 ? '; ' : ''];
  return [said, notes.join('; ')];
}

function lookAlikes({ lookAlikes: found, knn }: Alert): Content {
  if (found.length === 0) return null;
  // Nearest first: of those that are called the same one says it.
  const distinct = found.filter(
    ({ name, type }, i) => found.findIndex((other) => other.name === name && other.type === type) === i,
  );
  const far =
    knn.distance === null
      ? ''
      : ` It lies ${formatNumber(knn.distance, 3)} from them${knn.threshold === null ? '' : `; nine in ten harmless ones lie within ${formatNumber(knn.threshold, 3)}`}.`;
  return h(
    'p',
    {},
    h('b', {}, 'Most like, of what training saw: '),
    distinct.map(({ name, type, distance }, i) => [
      i === 0 ? '' : ', ',
      nameCell(name ?? `nameless ${type}`, 48),
      ` (${type}, distance ${formatNumber(distance, 3)})`,
    ]),
    `.${far}`,
  );
}

function deviations({ deviations: all }: Alert): Content {
  const rare = all.filter(({ seen, of }) => seen <= RARE * of);
  if (rare.length === 0) return null;
  return h(
    'p',
    {},
    h('b', {}, 'Rare about it: '),
    rare.map(({ kind, what, seen, of }, i) => [
      i === 0 ? '' : '; ',
      kind === 'token' && what === UNKNOWN
        ? 'a word that training did not learn'
        : [kind === 'token' ? 'the word ' : 'the sequence ', nameCell(what, 60)],
      ` (${seen === 0 ? 'none' : formatNumber(seen)} of ${formatNumber(of)} in training)`,
    ]),
    '.',
  );
}

function nameOf({ entity }: Alert): string {
  return entity.name ?? `nameless ${entity.type}`;
}
