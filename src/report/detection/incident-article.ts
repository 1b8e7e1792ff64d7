import type { Alert, Incident } from '../../detect/alerts/alert.js';
import { incidentGraph } from '../graph/incident-graph.js';
import { formatNumber, formatSeconds, formatTime } from '../page/format.js';
import { code, type Element, h } from '../page/html.js';
import { factList } from '../page/page.js';
import { shortenMiddle } from '../page/shorten.js';
import { dataTable, nameCell } from '../page/tables.js';
import { actCommands } from './act-commands.js';
import { mainAction, mainActions } from './actions.js';
import { alertSection } from './alert-section.js';
import { entityName } from './entity-name.js';
import { buildSubgraph, type IncidentSubgraph } from './incident-subgraph.js';
import { sentenceContent } from './sentence.js';
import { usualText } from './usual-text.js';

const MOST_ALERTS = 3;
const MOST_ACTIONS = 5;
const MOST_ENTITIES = 12;
const MOST_DRAWN = 18;

/** The id of an incident in the page. */
export function incidentId({ rank }: Pick<Incident, 'rank'>): string {
  return `incident-${rank}`;
}

/** The name of an incident in headings: its root. */
export function incidentName({ root }: Pick<Incident, 'root'>): string {
  return shortenMiddle(entityName(root), 60);
}

/** One incident: what and when, its graph, its entities, then the evidence. `alerts` are its own, by score. */
export function incidentArticle(incident: Incident, alerts: readonly Alert[]): Element {
  const id = incidentId(incident);
  const subgraph = buildSubgraph(alerts);
  const entities = highestByEntity(alerts);
  const detailed = entities.slice(0, MOST_ALERTS);
  const others = entities.length - detailed.length;
  return h(
    'article',
    { class: 'incident', id, 'aria-labelledby': `${id}-title` },
    h('h3', { id: `${id}-title` }, `${incident.rank}. `, code(incidentName(incident))),
    h('p', {}, sentenceContent(incident.sentence)),
    episodeActs(incident) ?? alertActions(alerts),
    factList([
      ['severity', incident.severity],
      ...(incident.episode === null ? [['prominence', formatNumber(incident.prominence, 3)] as const] : []),
      ['score', formatNumber(incident.score, 3)],
      ['alerts', `${formatNumber(alerts.length)} on ${countText(entities.length)}`],
      ['first event (UTC)', formatTime(BigInt(incident.first.ns)).replace(' UTC', '')],
      ['duration', formatSeconds(Number(BigInt(incident.last.ns) - BigInt(incident.first.ns)) / 1e9)],
    ]),
    incidentGraph({
      id: `${id}-graph`,
      title: 'Incident graph',
      caption: graphCaption(subgraph),
      most: MOST_DRAWN,
      nodes: subgraph.nodes,
      edges: subgraph.edges,
    }),
    entityTable(id, entities),
    detailed.map(({ alert }, i) => alertSection(alert, `${id}-alert-${i + 1}`, i + 1)),
    others > 0 &&
      h(
        'p',
        { class: 'note' },
        `${countText(others)} of this incident ${others === 1 ? 'has' : 'have'} no details here. To see them: `,
        code('recal explain ALERT --alerts DIR'),
      ),
  );
}

function alertActions(alerts: readonly Alert[]): Element {
  const actions = mainActions(alerts, MOST_ACTIONS).join('; ');
  return h('p', {}, h('b', {}, 'Main actions: '), sentenceContent(actions), '.');
}

/** What is new in the process trees, in order of time; undefined without any. */
function episodeActs({ episode }: Incident): Element | undefined {
  if (episode === null || episode.acts.length === 0) return undefined;
  const commands = actCommands(episode.acts);
  return h(
    'ul',
    {},
    episode.acts.map((act, i) =>
      h(
        'li',
        {},
        act.at === null ? '' : `${formatTime(BigInt(act.at.ns))}: `,
        sentenceContent(act.what),
        usualText(act),
        commandLine(commands[i]),
      ),
    ),
  );
}

function commandLine(command: string | undefined): Element | undefined {
  return command === undefined ? undefined : h('div', { class: 'command' }, nameCell(command));
}

function graphCaption({ othersLeftOut, withoutEdges }: IncidentSubgraph): string {
  const notes = ['Alerts and the entities they interact with. Actions of an entity on itself are not drawn.'];
  if (othersLeftOut > 0) notes.push(`${formatNumber(othersLeftOut)} more of these entities are left out.`);
  if (withoutEdges > 0)
    notes.push(`The interactions of the ${formatNumber(withoutEdges)} lowest alerts are left out.`);
  return notes.join(' ');
}

interface AlertedEntity {
  /** The highest of the entity. */
  readonly alert: Alert;
  /** Windows in which the entity raised an alert. */
  windows: number;
}

function highestByEntity(alerts: readonly Alert[]): AlertedEntity[] {
  const entities = new Map<string, AlertedEntity>();
  for (const alert of alerts) {
    const known = entities.get(alert.entity.id);
    // Alerts are sorted by score, so the first alert of an entity is its highest.
    if (known === undefined) entities.set(alert.entity.id, { alert, windows: 1 });
    else known.windows++;
  }
  return [...entities.values()];
}

const countText = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'entity' : 'entities'}`;

function entityTable(id: string, rows: readonly AlertedEntity[]): Element {
  return dataTable({
    id: `${id}-members`,
    title: 'Entities',
    caption: 'By score. For an entity with alerts in several windows, the highest score is shown.',
    columns: [
      {
        heading: 'entity',
        value: ({ alert }) => entityName(alert.entity),
        as: 'name',
        show: ({ alert }) => nameCell(entityName(alert.entity), 44),
      },
      { heading: 'type', value: ({ alert }) => alert.entity.type },
      {
        heading: 'pid',
        value: ({ alert }) => alert.entity.pid,
        show: ({ alert }) => String(alert.entity.pid ?? '–'),
      },
      { heading: 'score', value: ({ alert }) => Number(alert.score.toFixed(1)), as: 'bar' },
      ...(rows.some(({ windows }) => windows > 1)
        ? [{ heading: 'windows', value: ({ windows }: AlertedEntity) => windows }]
        : []),
      {
        heading: 'main action',
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
    most: MOST_ENTITIES,
    download: rows.length > MOST_ENTITIES,
  });
}
