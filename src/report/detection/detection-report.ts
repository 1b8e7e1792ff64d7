import type { Alert, AlertMoment, Incident } from '../../detect/alerts/alert.js';
import { momentOf } from '../../detect/alerts/moment.js';
import { scorePlot } from '../charts/score-plot.js';
import type { ScorePoint } from '../charts/score-points.js';
import { formatNumber, formatSeconds, formatTime } from '../page/format.js';
import { type Content, code, h } from '../page/html.js';
import { renderPage, type Section } from '../page/page.js';
import { shortenMiddle } from '../page/shorten.js';
import { dataTable, nameCell } from '../page/tables.js';
import { mainActions } from './actions.js';
import type { AlertFilesToWrite } from './alert-files.js';
import { incidentAddress, incidentName, incidentStory } from './incident-section.js';
import { sentenceContent } from './sentence.js';
import { hasLine, type ToldThreshold, thresholdContent } from './threshold-section.js';

/** Incidents told in full, and listed. All are in the files beside the report. */
const MOST_TOLD = 10;
const MOST_LISTED = 50;

/** What a report of a detection is made of. The same content gives the same bytes: no clock, no path. */
export interface DetectionReport extends Pick<AlertFilesToWrite, 'alerts' | 'incidents'> {
  readonly run: Omit<AlertFilesToWrite['run'], 'store' | 'threshold'>;
  readonly threshold: ToldThreshold;
  /** First and last event that was judged, nanoseconds since the epoch. */
  readonly span: readonly [first: bigint, last: bigint];
  /** What scored below the threshold; read once. */
  readonly quiet: Iterable<ScorePoint>;
  /** Instances that score 0 and are not among them. */
  readonly quietLeftOut?: number;
}

/** The page that an analyst opens first: what was found, where to look, and why, in words and numbers. */
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
    title: `${found === 0 ? 'No incident' : found === 1 ? 'One incident' : `${formatNumber(found)} incidents`} on ${where}`,
    lead:
      incidents.length === 0 ? 'Nothing scored high enough to raise an alert.' : leadOf(incidents[0], report),
    facts: [
      ['events read', formatNumber(counts.events ?? 0)],
      ['span', formatSeconds(Number(span[1] - span[0]) / 1e9)],
      ['instances judged', formatNumber(counts.instances ?? 0)],
      ['alerts', formatNumber(counts.alerts ?? report.alerts.length)],
      ['incidents', formatNumber(found)],
      ['threshold', code(threshold.rule)],
    ],
    generator: 'recal detect',
    provenance: [
      'Model ',
      code(run.model.slice(0, 12)),
      '. Nobody was told of any attack: what is listed is unusual, and may be harmless.',
    ],
    sections: [
      scoreSection(report),
      ...(found === 0 ? [] : [listSection(report), storySection(report)]),
      readSection(report),
    ],
  });
}

/** The first incident in a sentence. Names lose their backticks: a lead is plain text. */
function leadOf(incident: Incident, report: DetectionReport): string {
  const deeds = mainActions(alertsOf(incident, indexAlerts(report)), 3)
    .join('; ')
    .replaceAll('`', '');
  const until = minuteOf(incident.last).slice(11);
  return `Look first at what happened around ${incidentName(incident)} from ${minuteOf(incident.first)} to ${until} UTC: ${deeds}.`;
}

const minuteOf = ({ iso }: AlertMoment): string => iso.slice(0, 16).replace('T', ' ');

function indexAlerts({ alerts }: Pick<DetectionReport, 'alerts'>): ReadonlyMap<string, Alert> {
  return new Map(alerts.map((alert) => [alert.id, alert]));
}

/** In the order of their scores. */
function alertsOf({ alerts }: Incident, byId: ReadonlyMap<string, Alert>): Alert[] {
  return alerts.flatMap(({ id }) => byId.get(id) ?? []);
}

function scoreSection(report: DetectionReport): Section {
  const { threshold } = report;
  return {
    id: 'scores',
    title: 'Scores and threshold',
    lead: 'An instance is one entity in one window of time. Its score says how unusual it is beside harmless instances.',
    content: [
      hasLine(threshold)
        ? scorePlot({
            id: 'score-plot',
            title: 'Every instance by the time it was last seen',
            caption: plotCaption(report),
            points: pointsOf(report),
            threshold: threshold.value,
            over: 'time',
            measure: 'score',
          })
        : h(
            'p',
            { class: 'note' },
            'No score alarms under this rule, so there is no line to draw scores against.',
          ),
      thresholdContent(threshold),
    ],
  };
}

function plotCaption({ quietLeftOut = 0, run }: DetectionReport): string {
  const passed = (run.counts.instances ?? 0) - (run.counts.candidates ?? 0);
  const notes = ['One dot an instance, alerts as triangles.'];
  if (passed > 0) notes.push(`${formatNumber(passed)} lie so near to known behaviour that they score 0.`);
  if (quietLeftOut > 0) notes.push(`${formatNumber(quietLeftOut)} that score 0 are not drawn.`);
  return notes.join(' ');
}

function* pointsOf({ alerts, incidents, quiet }: DetectionReport): Generator<ScorePoint> {
  const rankOf = new Map(incidents.flatMap(({ rank, alerts: own }) => own.map(({ id }) => [id, rank])));
  for (const { id, entity, score, last } of alerts) {
    const rank = rankOf.get(id);
    yield {
      name: entity.name ?? `nameless ${entity.type}`,
      score,
      alert: true,
      time: BigInt(last.ns),
      ...(rank === undefined ? {} : { group: `incident ${rank}` }),
    };
  }
  yield* quiet;
}

function listSection(report: DetectionReport): Section {
  const { incidents } = report;
  const byId = indexAlerts(report);
  return {
    id: 'list',
    title: 'Incidents',
    lead: 'Alerts that belong together, most prominent first. A score adds up all that is unusual about an entity; prominence counts it as no more than two acts as strange as its strangest.',
    content: dataTable({
      id: 'incidents',
      title: 'All incidents',
      columns: [
        {
          heading: 'rank',
          value: ({ rank }) => rank,
          show: (incident) =>
            incident.rank <= MOST_TOLD
              ? h('a', { href: `#${incidentAddress(incident)}` }, incident.rank)
              : incident.rank,
        },
        {
          heading: 'prominence',
          value: ({ prominence }) => prominence,
          show: ({ prominence }) => prominence.toFixed(1),
        },
        { heading: 'score', value: ({ score }) => score, show: ({ score }) => score.toFixed(1) },
        { heading: 'severity', value: ({ severity }) => severity },
        { heading: 'from (UTC)', value: ({ first }) => minuteOf(first), as: 'whole' },
        { heading: 'alerts', value: ({ alerts }) => alerts.length },
        {
          heading: 'begins at',
          value: ({ root }) => root.name ?? root.id,
          as: 'brief',
          show: (incident) => nameCell(incidentName(incident), 26),
        },
        {
          heading: 'most telling',
          value: (incident) => mainActions(alertsOf(incident, byId), 3).join('; '),
          as: 'sentence',
          show: (incident) => sentenceContent(mainActions(alertsOf(incident, byId), 2).join('; ')),
        },
        { heading: 'id', value: ({ id }) => id, as: 'whole', show: ({ id }) => code(id.slice(0, 8)) },
      ],
      rows: incidents,
      most: MOST_LISTED,
      download: true,
    }),
  };
}

function storySection(report: DetectionReport): Section {
  const { incidents } = report;
  const byId = indexAlerts(report);
  const told = incidents.slice(0, MOST_TOLD);
  const untold = incidents.length - told.length;
  return {
    id: 'stories',
    title: untold > 0 ? `The first ${MOST_TOLD} incidents` : 'Each incident',
    content: [
      told.map((incident) => incidentStory(incident, alertsOf(incident, byId))),
      untold > 0 &&
        h(
          'p',
          { class: 'note' },
          `${formatNumber(untold)} more incidents are listed above and in incidents.jsonl; for any of them: `,
          code('recal explain ID --alerts DIR'),
          '.',
        ),
    ],
  };
}

function readSection({ run, alerts, span }: DetectionReport): Section {
  const { counts, selection } = run;
  const count = (name: string): number => counts[name] ?? 0;
  const chosen = (Object.entries(selection) as [string, string | null][]).flatMap(([key, value]) =>
    value === null ? [] : [`${key} ${key === 'from' || key === 'to' ? formatTime(BigInt(value)) : value}`],
  );
  const rows: [string, number | string, Content][] = [
    [
      'events',
      count('events'),
      `read from the store, ${minuteOf(momentOf(span[0]))} to ${minuteOf(momentOf(span[1]))} UTC`,
    ],
    ['entities', count('entities'), 'processes, files, network flows and others'],
    [
      'hosts',
      run.hosts.length,
      run.hosts.slice(0, 5).map((host, i) => [i === 0 ? '' : ', ', nameCell(host, 40)]),
    ],
    ['graphs', count('graphs'), 'a window or a file of a host'],
    ['instances', count('instances'), 'an entity in a graph; each was judged'],
    ['candidates', count('candidates'), 'instances that are not near to known behaviour'],
    [
      'new relations',
      count('newRelation'),
      'instances that take part in a relation which training never met',
    ],
    ['alerts', count('alerts'), 'instances at or above the threshold'],
    ['alerts left out', count('alertsLeftOut'), 'the lowest ones, where there are too many to write'],
    ['alerts written', alerts.length, 'in alerts.jsonl and alerts.csv'],
  ];
  return {
    id: 'read',
    title: 'What was read, and what was left out',
    ...(chosen.length === 0 ? {} : { lead: `Selected: ${chosen.join(', ')}.` }),
    content: dataTable({
      id: 'counts',
      title: 'Counts',
      columns: [
        { heading: 'what', value: ([what]) => what },
        { heading: 'number', value: ([, number]) => number },
        { heading: 'meaning', value: () => '', show: ([, , meaning]) => meaning },
      ],
      rows,
    }),
  };
}
