import { z } from 'zod';
import { EXIT, RecalError } from '../../../base/errors.js';
import { countOf } from '../../../base/number-text.js';
import { printable } from '../../../base/printable.js';
import { defineSettings } from '../../../base/settings/settings.js';
import type { Alert, EntityRef, Incident } from '../../../detect/alerts/alert.js';
import { type Explained, findExplained, type RawEvents } from '../../../detect/alerts/explain.js';
import { UNKNOWN } from '../../../features/vocabulary.js';
import { explain } from '../../../pipeline/explain.js';
import { actCommands } from '../../../report/detection/act-commands.js';
import { readAlertFolders } from '../../../report/detection/alert-folders.js';
import { usualText } from '../../../report/detection/usual-text.js';
import { defineCommand } from '../../command.js';
import { placesOf, watchFolderSetting } from '../../settings/watch-folder.js';
import { formatProbability, renderEvidence } from '../../terminal/evidence-table.js';
import { formatCount } from '../../terminal/quantities.js';
import { type Look, renderTable } from '../../terminal/tables.js';
import { renderTextGraph } from '../../terminal/text-graph.js';

const MOST_LISTED = 40;
const MOST_COMMAND = 300;

export const command = defineCommand({
  details:
    'Prints the evidence for an alert or for each alert of an incident, what it was compared with, the interactions and, ' +
    'if the store exists, the raw events. The first characters of an id are enough.',
  examples: [
    'recal explain 3fa9 --alerts alerts',
    'recal explain 3fa9 --dir /var/lib/recal',
    'recal explain 3fa9c1 --alerts alerts --store cadets --events 100',
  ],
  arguments: { id: { description: 'id of an alert or incident, or its first characters' } },
  settings: defineSettings({
    alerts: {
      type: z.string().min(1).optional(),
      description: 'folder that recal detect wrote',
      value: 'DIR',
    },
    dir: watchFolderSetting,
    store: {
      type: z.string().min(1).optional(),
      description: 'folder of the store (default: the one that recal detect read)',
      value: 'DIR',
    },
    events: {
      type: z.coerce.number().int().min(0).max(1_000_000).default(20),
      description: 'raw events to show per alert; 0 for none',
      value: 'N',
    },
  }),
  async run({ id }, { alerts: given, dir, store: asked, events }, { out }) {
    const places = placesOf({ alerts: given === undefined ? [] : [given], store: asked, dir });
    const [place] = places.alerts;
    if (place === undefined) throw noPlace(dir);
    const alerts = given ?? (await folderWith(id, place));
    const { store } = places;
    const { found, explained, rawEvents, missingStore } = await explain({ alerts, id, store, events });
    if (missingStore !== undefined) {
      const which = missingStore === '' ? '' : ` (${printable(missingStore)} does not exist)`;
      out.info(`raw events are not shown without the store${which}; set --store DIR`);
    }
    const rawOf = new Map(rawEvents.map((each) => [each.alert, each]));
    out.result({ ...found, rawEvents }, () => render(found, explained, rawOf, out));
    return EXIT.done;
  },
});

/** The latest of several alerts folders that has an alert or incident. Throws what is wrong with the id. */
async function folderWith(id: string, place: string): Promise<string> {
  const found = await readAlertFolders([place]);
  const { incident } = findExplained(id, found);
  return found.incidents.find((each) => each.id === incident?.id)?.folder ?? place;
}

function noPlace(dir: string | undefined): RecalError {
  const message =
    dir === undefined ? 'either --alerts or --dir is required' : `${printable(dir)} has no incidents yet`;
  const hint = 'add --alerts DIR for a folder of recal detect, or --dir DIR for one of recal watch';
  return new RecalError('usage-invalid-argument', message, { hint, exit: EXIT.usage });
}

function* render(
  found: Explained,
  told: readonly Alert[],
  rawOf: ReadonlyMap<string, RawEvents>,
  look: Look,
): Generator<string> {
  if (found.kind === 'alert') {
    yield* renderAlert(found.alert, rawOf.get(found.alert.id), look);
    const { incident } = found;
    if (incident !== undefined) {
      yield '';
      yield `incident    ${incident.id} (rank ${incident.rank}, ${countOf(incident.alerts.length, 'alert')})`;
    }
    return;
  }
  const { incident } = found;
  // Incidents of process trees are ordered by their score.
  const prominence = incident.episode === null ? `prominence ${incident.prominence.toFixed(2)}, ` : '';
  yield printable(incident.sentence);
  yield '';
  yield* renderLines([
    [
      'incident',
      `${incident.id} (rank ${incident.rank}), ${incident.severity}, ${prominence}score ${incident.score.toFixed(2)}`,
    ],
    ['host', printable(incident.host, 200)],
    ['root', showEntity(incident.root)],
    ['time', `${incident.first.iso} to ${incident.last.iso}`],
  ]);
  yield '';
  yield* renderEpisode(incident);
  yield* renderTable(
    ['#', 'alert', 'score', 'type', 'name'],
    incident.alerts
      .slice(0, MOST_LISTED)
      .map(({ id, entity, score }, i) => [
        `${i + 1}`,
        id,
        score.toFixed(2),
        entity.type,
        entity.name ?? entity.id,
      ]),
    look,
  );
  const more = incident.alerts.length - MOST_LISTED;
  if (more > 0) yield `… and ${formatCount(more)} more`;
  const marks = new Map(incident.alerts.map(({ entity }, i) => [entity.id, `alert #${i + 1}`]));
  for (const alert of told) {
    yield '';
    yield* renderAlert(alert, rawOf.get(alert.id), look, marks);
  }
  const untold = incident.alerts.length - told.length;
  if (untold > 0) {
    yield '';
    yield `${countOf(untold, 'more alert')}; for the details of one: recal explain ALERT --alerts DIR`;
  }
}

/** What is new in the process trees of an incident, in order of time. */
function* renderEpisode({ episode, score }: Incident): Generator<string> {
  if (episode === null) return;
  const { count, processCount, novelty, learned, falsePerDay, sure, acts } = episode;
  // Contacts with a new address at regular intervals add the rest of the score.
  const rest = score - novelty - learned;
  const regular = rest < 0.05 ? '' : `, ${rest.toFixed(1)} from regular contacts with a new address`;
  yield `${countOf(count, 'process tree')}, ${countOf(processCount, 'process', 'processes')}; score: ${novelty.toFixed(1)} from novelty, ${learned.toFixed(1)} from learned scores${regular}`;
  const rate = falsePerDay < 0.01 ? 'fewer than 0.01' : formatCount(Number(falsePerDay.toPrecision(2)));
  yield sure === 'unresolved'
    ? 'calibration has fewer than 20 benign incidents: how often benign activity raises such an incident is unknown'
    : `benign activity would raise ${rate} such incidents per host and day (${sure})`;
  if (acts.length > 0) yield '';
  const commands = actCommands(acts);
  for (const [i, act] of acts.entries()) {
    const at = act.at === null ? '' : `${act.at.iso.slice(0, 19).replace('T', ' ')}  `;
    yield `  ${at}${printable(act.what, 2000)}${usualText(act)}`;
    const command = commands[i];
    if (command !== undefined) yield `${' '.repeat(2 + at.length)}$ ${printable(command, MOST_COMMAND)}`;
  }
  yield '';
}

function* renderAlert(
  alert: Alert,
  raw: RawEvents | undefined,
  look: Look,
  marks?: ReadonlyMap<string, string>,
): Generator<string> {
  const bold = look.bold ?? ((text: string) => text);
  const { entity, knn } = alert;
  yield printable(alert.sentence);
  yield '';
  const lines: [string, string][] = [
    [
      'alert',
      `${alert.id}, ${alert.severity}, score ${alert.score.toFixed(2)} (threshold ${alert.threshold.toFixed(2)})`,
    ],
    [
      'empirical p',
      `${formatProbability(Math.log(alert.empiricalP))}, the share of benign scores at least as high`,
    ],
    [
      'entity',
      `${showEntity(entity)}${entity.pid === null ? '' : `, pid ${entity.pid}`}, ${printable(entity.id, 80)}`,
    ],
    ['host', printable(alert.host, 200)],
    ['window', `${alert.window.from.iso} to ${alert.window.to.iso}`],
    ['active', `${alert.first.iso} to ${alert.last.iso}`],
  ];
  if (alert.reasons.length > 0) lines.push(['reasons', alert.reasons.join(', ')]);
  if (entity.cmd !== null) lines.push(['command', printable(entity.cmd, 400)]);
  if (alert.lineage !== null) {
    const { own, inherited, from } = alert.lineage;
    const actor = from.name === null ? from.id : printable(from.name, 80);
    lines.push(['lineage', `own score ${own.toFixed(2)}, inherited from ${actor}: ${inherited.toFixed(2)}`]);
  }
  if (knn.distance !== null) {
    const from =
      knn.threshold === null ? 'no gate' : `the gate passes distances above ${knn.threshold.toFixed(4)}`;
    lines.push(['distance', `${knn.distance.toFixed(4)} from benign behaviour (${from})`]);
  }
  if (alert.lookAlikes.length > 0) {
    const likes = alert.lookAlikes.map(
      ({ name, type, distance }) => `${printable(name ?? `unnamed ${type}`, 60)} (${distance.toFixed(4)})`,
    );
    lines.push(['looks like', likes.join(', ')]);
  }
  yield* renderLines(lines);
  yield '';
  yield bold('evidence');
  yield* renderEvidence(alert.evidence, look);
  if (alert.deviations.length > 0) {
    yield '';
    yield* renderTable(
      ['rare feature', 'kind', 'in training', 'of'],
      alert.deviations.map(({ kind, what, seen, of }) => [
        what === UNKNOWN ? 'unknown word' : what,
        kind,
        seen,
        of,
      ]),
      look,
    );
  }
  yield '';
  yield bold('neighbourhood');
  yield* renderTextGraph(alert, look, marks === undefined ? {} : { marks });
  yield* renderSources(alert, look);
  if (raw !== undefined) yield* renderRaw(raw, look);
}

/** What the alert itself knows of the events behind its numbers. */
function* renderSources({ evidence }: Alert, look: Look): Generator<string> {
  const numbers = new Map<string, { numbers: number[]; cells: (string | number)[] }>();
  for (const [i, { source }] of evidence.entries()) {
    if (source === null) continue;
    const cells = [
      source.first.iso,
      source.count === 1 ? '' : source.last.iso,
      source.count,
      showEntity(source.subject),
      source.relation,
      showEntity(source.object),
    ];
    const key = JSON.stringify([cells, source.subject.id, source.object.id]);
    const row = numbers.get(key);
    if (row === undefined) numbers.set(key, { numbers: [i + 1], cells });
    else row.numbers.push(i + 1);
  }
  // An entity that acts on itself has the same events in both roles.
  const rows = Array.from(numbers.values(), ({ numbers, cells }) => [numbers.join(' '), ...cells]);
  if (rows.length === 0) return;
  yield '';
  yield* renderTable(
    ['#', 'first event', 'last event', 'events', 'subject', 'relation', 'object'],
    rows,
    look,
  );
}

function* renderRaw({ events, total, leftOut }: RawEvents, look: Look): Generator<string> {
  yield '';
  if (total === 0) {
    yield 'the store contains no events of this entity in this window';
    return;
  }
  yield* renderTable(
    ['time', 'subject', 'relation', 'object', 'second object', 'evidence'],
    events.map(({ time, subject, relation, object, object2, evidence }) => [
      time.iso,
      subject === null ? '-' : showEntity(subject),
      relation,
      object === null ? '-' : showEntity(object),
      object2 === null ? '' : showEntity(object2),
      evidence.map((number) => `#${number}`).join(' '),
    ]),
    look,
  );
  const rest = leftOut === 0 ? '' : `, ${formatCount(leftOut)} left out (show more with --events N)`;
  yield `${countOf(total, 'event')} of this entity in the window${rest}`;
}

function* renderLines(lines: readonly (readonly [string, string])[]): Generator<string> {
  for (const [label, value] of lines) yield `${label.padEnd(11)} ${value}`;
}

function showEntity({ name, type, id }: EntityRef): string {
  return printable(name ?? `unnamed ${type} ${id.slice(0, 8)}`, 200);
}
