import type { Alert, AlertMoment, Incident } from '../../detect/alerts/alert.js';
import { momentOf } from '../../detect/alerts/moment.js';
import { scorePlot } from '../charts/score-plot.js';
import type { ScorePoint } from '../charts/score-points.js';
import { formatNumber, formatSeconds, formatTime } from '../page/format.js';
import { type Content, code, h } from '../page/html.js';
import { renderPage, type Section } from '../page/page.js';
import { shortenMiddle } from '../page/shorten.js';
import { dataTable, nameCell } from '../page/tables.js';
import { incidentActions } from './actions.js';
import type { AlertFilesToWrite } from './alert-files.js';
import { entityName } from './entity-name.js';
import { incidentArticle, incidentId, incidentName } from './incident-article.js';
import { sentenceContent } from './sentence.js';
import { hasThresholdLine, type ThresholdInfo, thresholdContent } from './threshold-section.js';

const MOST_DETAILED = 10;
const MOST_LISTED = 50;

/** The content of a detection report. It has no clock time and no path: the same content gives the same bytes. */
export interface DetectionReport extends Pick<AlertFilesToWrite, 'alerts' | 'incidents'> {
  readonly run: Omit<AlertFilesToWrite['run'], 'store' | 'threshold'>;
  readonly threshold: ThresholdInfo;
  /** First and last event, in nanoseconds since the epoch. */
  readonly span: readonly [first: bigint, last: bigint];
  /** Instances without an alert; read once. */
  readonly belowThreshold: Iterable<ScorePoint>;
  /** Instances with score 0 that are missing in `belowThreshold`. */
  readonly zerosLeftOut?: number;
}

/** The page an analyst opens first: what was found, where to look and why. */
export function renderDetectionReport(report: DetectionReport): string {
  const { run, incidents, threshold, span } = report;
  const { counts } = run;
  const found = incidents.length;
  const where =
    run.hosts.length === 1
      ? `host ${shortenMiddle(run.hosts[0], 24)}`
      : `${formatNumber(run.hosts.length)} hosts`;
  return renderPage({
    kind: 'Detection report',
    title: `${found === 0 ? 'No incidents' : found === 1 ? 'One incident' : `${formatNumber(found)} incidents`} on ${where}`,
    lead: found === 0 ? 'No score was high enough to raise an alert.' : leadOf(incidents[0], report),
    facts: [
      ['events', formatNumber(counts.events ?? 0)],
      ['time span', formatSeconds(Number(span[1] - span[0]) / 1e9)],
      ['instances scored', formatNumber(counts.instances ?? 0)],
      ['alerts', formatNumber(counts.alerts ?? report.alerts.length)],
      ['incidents', formatNumber(found)],
      ['threshold', code(threshold.rule)],
    ],
    generator: 'recal detect',
    provenance: [
      'Model ',
      code(run.model.slice(0, 12)),
      '. The model knows no attacks: an incident is unusual behaviour and may be benign.',
    ],
    sections: [
      scoreSection(report),
      ...(found === 0 ? [] : [listSection(report), detailSection(report)]),
      inputSection(report),
    ],
  });
}

/** The first incident in a sentence. A lead is plain text, so names lose their backticks. */
function leadOf(incident: Incident, report: DetectionReport): string {
  const actions = incidentActions(report.alerts, 3)(incident).replaceAll('`', '');
  const [from, to] = [minuteOf(incident.first), minuteOf(incident.last)];
  const until = from.slice(0, 10) === to.slice(0, 10) ? to.slice(11) : to;
  return `Start with incident 1, ${incidentName(incident)}, from ${from} to ${until} UTC: ${actions}.`;
}

const minuteOf = ({ iso }: AlertMoment): string => iso.slice(0, 16).replace('T', ' ');

function indexAlerts({ alerts }: Pick<DetectionReport, 'alerts'>): ReadonlyMap<string, Alert> {
  return new Map(alerts.map((alert) => [alert.id, alert]));
}

/** By score. */
function alertsOf({ alerts }: Incident, byId: ReadonlyMap<string, Alert>): Alert[] {
  return alerts.flatMap(({ id }) => byId.get(id) ?? []);
}

function scoreSection(report: DetectionReport): Section {
  const { threshold } = report;
  return {
    id: 'scores',
    title: 'Scores and threshold',
    lead: 'An instance is one entity in one graph, usually a time window. Its score tells how unusual it is compared with benign instances.',
    content: [
      hasThresholdLine(threshold)
        ? scorePlot({
            id: 'score-plot',
            title: 'Scores over time',
            caption: plotCaption(report),
            points: pointsOf(report),
            threshold: threshold.nodes ?? threshold.value,
          })
        : h('p', { class: 'note' }, 'This rule gives no threshold, so there is no chart of scores.'),
      thresholdContent(threshold),
    ],
  };
}

function plotCaption({ zerosLeftOut = 0, run }: DetectionReport): string {
  const passed = (run.counts.instances ?? 0) - (run.counts.candidates ?? 0);
  const notes = ['Each dot is an instance at the time of its last event. Triangles are alerts.'];
  if (passed > 0)
    notes.push(`${formatNumber(passed)} instances score 0 because they are close to known behaviour.`);
  if (zerosLeftOut > 0) notes.push(`${formatNumber(zerosLeftOut)} instances with score 0 are not drawn.`);
  return notes.join(' ');
}

function* pointsOf({ alerts, incidents, belowThreshold }: DetectionReport): Generator<ScorePoint> {
  const rankOf = new Map(incidents.flatMap(({ rank, alerts: own }) => own.map(({ id }) => [id, rank])));
  for (const { id, entity, score, last } of alerts) {
    const incident = rankOf.get(id);
    yield {
      name: entityName(entity),
      score,
      alert: true,
      time: BigInt(last.ns),
      ...(incident === undefined ? {} : { incident }),
    };
  }
  yield* belowThreshold;
}

const TREES =
  'An incident is one or more related process trees and the alerts of their entities. The incident that is least like benign activity comes first.';
const GROUPS =
  'An incident is a group of related alerts. The most prominent incident comes first. The score of an entity adds up all its evidence. Its prominence is at most twice what its most unusual single action would score alone.';

const PROMINENCE = {
  heading: 'prominence',
  value: ({ prominence }: Incident) => prominence,
  show: ({ prominence }: Incident) => prominence.toFixed(1),
};

function listSection(report: DetectionReport): Section {
  const { incidents, alerts: all } = report;
  const isTrees = incidents.some(({ episode }) => episode !== null && episode !== undefined);
  const actionsIn = incidentActions(all, 2);
  return {
    id: 'list',
    title: 'Incidents',
    lead: isTrees ? TREES : GROUPS,
    content: dataTable({
      id: 'incidents',
      title: 'All incidents',
      columns: [
        {
          heading: 'rank',
          value: ({ rank }) => rank,
          show: (incident) =>
            incident.rank <= MOST_DETAILED
              ? h('a', { href: `#${incidentId(incident)}` }, incident.rank)
              : incident.rank,
        },
        ...(isTrees ? [] : [PROMINENCE]),
        { heading: 'score', value: ({ score }) => score, show: ({ score }) => score.toFixed(1) },
        { heading: 'severity', value: ({ severity }) => severity },
        { heading: 'start (UTC)', value: ({ first }) => minuteOf(first), as: 'whole' },
        isTrees
          ? { heading: 'processes', value: ({ episode }) => episode?.processCount ?? 0 }
          : { heading: 'alerts', value: ({ alerts }) => alerts.length },
        {
          heading: 'root',
          value: ({ root }) => root.name ?? root.id,
          as: 'brief',
          show: (incident) => nameCell(incidentName(incident), 26),
        },
        {
          heading: 'main actions',
          value: actionsIn,
          as: 'sentence',
          show: (incident) => sentenceContent(actionsIn(incident)),
        },
        { heading: 'id', value: ({ id }) => id, as: 'whole', show: ({ id }) => code(id.slice(0, 8)) },
      ],
      rows: incidents,
      most: MOST_LISTED,
      download: true,
    }),
  };
}

function detailSection(report: DetectionReport): Section {
  const { incidents } = report;
  const byId = indexAlerts(report);
  const detailed = incidents.slice(0, MOST_DETAILED);
  const others = incidents.length - detailed.length;
  return {
    id: 'details',
    title: others > 0 ? `The first ${MOST_DETAILED} incidents in detail` : 'Incidents in detail',
    content: [
      detailed.map((incident) => incidentArticle(incident, alertsOf(incident, byId))),
      others > 0 &&
        h(
          'p',
          { class: 'note' },
          `${formatNumber(others)} more incidents are in the table above and in incidents.jsonl. For details: `,
          code('recal explain ID --alerts DIR'),
        ),
    ],
  };
}

function inputSection({ run, alerts, span, threshold }: DetectionReport): Section {
  const { counts, selection } = run;
  const count = (name: string): number => counts[name] ?? 0;
  const selected = (Object.entries(selection) as [string, string | null][]).flatMap(([key, value]) =>
    value === null ? [] : [`${key} ${key === 'from' || key === 'to' ? formatTime(BigInt(value)) : value}`],
  );
  const rows: [string, number | string, Content][] = [
    ['events', count('events'), `from ${minuteOf(momentOf(span[0]))} to ${minuteOf(momentOf(span[1]))} UTC`],
    ['entities', count('entities'), 'processes, files, network flows and others'],
    [
      'hosts',
      run.hosts.length,
      run.hosts.slice(0, 5).map((host, i) => [i === 0 ? '' : ', ', nameCell(host, 40)]),
    ],
    ['graphs', count('graphs'), 'one for each time window of a host, or for each file'],
    ['instances', count('instances'), 'an entity in a graph; each has a score'],
    ['candidates', count('candidates'), 'instances that are not close to known behaviour'],
    ['new relations', count('newRelation'), 'instances with a relation that training has not seen'],
    [
      'alerts',
      count('alerts'),
      threshold.nodes === undefined
        ? 'instances at or above the threshold'
        : 'the main processes of the incidents, and their instances at or above the dashed line',
    ],
    [
      'alerts left out',
      count('alertsLeftOut'),
      'the lowest alerts of each kind, if there are too many to write',
    ],
    ['alerts written', alerts.length, 'in alerts.jsonl and alerts.csv'],
  ];
  return {
    id: 'input',
    title: 'Input and counts',
    ...(selected.length === 0 ? {} : { lead: `Selection: ${selected.join(', ')}.` }),
    content: dataTable({
      id: 'counts',
      title: 'Counts',
      columns: [
        { heading: 'item', value: ([item]) => item },
        { heading: 'number', value: ([, number]) => number },
        { heading: 'meaning', value: () => '', show: ([, , meaning]) => meaning },
      ],
      rows,
    }),
  };
}
