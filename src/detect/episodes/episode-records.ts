import { largest, smallest } from '../../base/extremes.js';
import { printable } from '../../base/printable.js';
import { nameOf } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import {
  ALERT_VERSION,
  type Alert,
  type EntityRef,
  type Incident,
  MOST_PACKAGES,
  MOST_PROCESSES,
  MOST_TEXT,
  stableId,
} from '../alerts/alert.js';
import { momentOf } from '../alerts/moment.js';
import { quote } from '../evidence/relation-words.js';
import type { SplitGraphs } from '../split-graphs.js';
import { type DescribedChange, describeChange, phraseChange } from './changes/describe-change.js';
import type { EpisodeIncident, JudgedEpisode, JudgedEpisodes } from './episode-detector.js';
import type { IncidentBehaviourFinder } from './incident-behaviours.js';
import { benignRate, severityOf } from './incident-severity.js';
import type { BenignIncidents } from './raise-incidents.js';
import { incidentActs, type TellingAct } from './telling-acts.js';

export interface RecordContext {
  readonly graphs: SplitGraphs;
  readonly judged: JudgedEpisodes;
  readonly benign: BenignIncidents;
  /** Highest learned score by node. */
  readonly scores: Float64Array;
  readonly model: string;
  readonly behaviours: IncidentBehaviourFinder;
}

/** Describes a raised incident. `alerts` are its own, the highest score first. */
export function describeEpisodes(
  incident: EpisodeIncident,
  rank: number,
  alerts: readonly Alert[],
  context: RecordContext,
): Incident {
  const { graphs, judged } = context;
  const { events } = graphs;
  const { catalogue, nodes } = judged.novelty.activity;
  const [highest] = incident.episodes;
  const telling = tellingEpisode(incident, judged);
  const anyNode = nodes.get(telling.processes[0]) as number;
  const host = cut(events.hosts[events.keys.hostAt(anyNode)]);
  const commandOf = (process: number) => {
    const command = graphs.names.cmd[nodes.get(process) ?? -1] ?? -1;
    return command < 0 ? undefined : graphs.names.texts[command];
  };
  const { acts, inSentence } = incidentActs(incident.distinct, judged, {
    commandOf,
    pidOf: (process) => {
      const pid = graphs.names.pid[nodes.get(process) ?? -1] ?? -1;
      return pid < 0 ? undefined : pid;
    },
  });
  const change = describeChange(incident, judged, commandOf);
  const found = benignRate(incident.score, context.benign);
  const processes = [...new Set(incident.episodes.flatMap((episode) => episode.processes))];
  const rows = rowsOf(incident.episodes, judged);
  const refs = processes.slice(0, MOST_PROCESSES).map((process) => nodes.get(process) as number);
  return {
    version: ALERT_VERSION,
    id: stableId('incident', host, catalogue.uuid(telling.root)),
    model: context.model,
    rank,
    host,
    score: incident.score,
    prominence: incident.score,
    severity: severityOf(found),
    root: rootOf(highest, context),
    first: momentOf(events.table.ts[rows.first]),
    last: momentOf(events.table.ts[rows.last]),
    entities: { process: processes.length },
    alerts: alerts.map((alert) => ({ id: alert.id, entity: refTo(alert), score: alert.score })),
    sentence: phrase(incident, inSentence, context, { host, change }),
    episode: {
      count: incident.episodes.length,
      novelty: incident.fromNovelty,
      learned: incident.fromLearned,
      falsePerDay: found.rate,
      sure: found.sure,
      change:
        change === undefined
          ? null
          : {
              ...change,
              manager: cut(change.manager),
              packages: change.packages.slice(0, MOST_PACKAGES).map(cut),
            },
      acts: acts.map(({ row, sentence, command, surprise, usual, isMain }) => ({
        at: row < 0 ? null : momentOf(events.table.ts[row]),
        what: sentence,
        command: command === undefined ? null : cut(command),
        surprise,
        main: isMain,
        usual: usual === undefined ? null : { fresh: usual.fresh, all: usual.all },
      })),
      processes: refs.map((node) => ({
        entity: refOf(node, graphs),
        pid: graphs.names.pid[node] < 0 ? null : graphs.names.pid[node],
        score: Number.isFinite(context.scores[node]) ? context.scores[node] : 0,
      })),
      processCount: processes.length,
      behaviours: context.behaviours.of(incident),
    },
  };
}

/**
 * The tree that the id comes from: novelty depends on the model's data only, not on its weights or windows. Of repeats that
 * are as new, the earliest.
 */
function tellingEpisode({ episodes }: EpisodeIncident, { novelty }: JudgedEpisodes): JudgedEpisode {
  const { catalogue } = novelty.activity;
  const isEarlier = (a: JudgedEpisode, b: JudgedEpisode) => {
    const [one, other] = [catalogue.begun(a.root), catalogue.begun(b.root)];
    return one < other || (one === other && catalogue.uuid(a.root) < catalogue.uuid(b.root));
  };
  return episodes.reduce((most, each) =>
    each.novelty > most.novelty || (each.novelty === most.novelty && isEarlier(each, most)) ? each : most,
  );
}

/** The rows of the first and last new act; without any, those of the processes. */
function rowsOf(
  episodes: readonly JudgedEpisode[],
  { novelty }: JudgedEpisodes,
): { first: number; last: number } {
  const { actorsOf, doneAt, nodes, lastRows } = novelty.activity;
  const members = new Set(episodes.flatMap(({ processes }) => processes));
  let [first, last] = [Number.POSITIVE_INFINITY, -1];
  for (const process of members)
    for (const actor of actorsOf(process))
      for (const row of novelty.news(actor)) {
        first = Math.min(first, doneAt[row]);
        last = Math.max(last, doneAt[row]);
      }
  if (last >= 0) return { first, last };
  const rows = [...members].map((process) => Math.max(0, lastRows[nodes.get(process) ?? -1] ?? -1));
  return { first: smallest(rows), last: largest(rows) };
}

function rootOf({ root, processes }: JudgedEpisode, { graphs, judged }: RecordContext): EntityRef {
  const { nodes, catalogue } = judged.novelty.activity;
  const node = nodes.get(root);
  if (node !== undefined) return refOf(node, graphs);
  // The root ran before the selected events, but the lead knows it.
  const known = catalogue.executable(judged.novelty.activity.lastPrograms.get(root) ?? -1) ?? null;
  return known === null
    ? refOf(nodes.get(processes[0]) as number, graphs)
    : { id: catalogue.uuid(root), type: 'process', name: cut(known) };
}

/** How records name a node. */
export function refOf(node: number, { events, names }: SplitGraphs): EntityRef {
  const name = nameOf(names, node);
  return {
    id: events.uuid(node),
    type: ENTITY_TYPES[names.types[node]],
    name: name === undefined ? null : cut(name),
  };
}

function refTo({ entity: { id, type, name } }: Alert): EntityRef {
  return { id, type, name };
}

function phrase(
  incident: EpisodeIncident,
  acts: readonly TellingAct[],
  context: RecordContext,
  { host, change }: { host: string; change: DescribedChange | undefined },
): string {
  const [highest] = incident.episodes;
  const { catalogue } = context.judged.novelty.activity;
  const count = highest.processes.length;
  const size = `${count} ${count === 1 ? 'process' : 'processes'}`;
  const root = catalogue.executable(highest.program);
  const tree = root === '' ? 'Unnamed process tree' : `Process tree ${quote(root)}`;
  const who = `${tree} (${[size, ...placeOf(highest, context)].join(', ')})`;
  const others = incident.episodes.length - 1;
  const more = others === 0 ? '' : ` and ${others} related ${others === 1 ? 'tree' : 'trees'}`;
  const told = acts.map(({ sentence }) => sentence);
  const what =
    told.length > 0 ? told.join('; ') : 'nothing in it is new, but its processes behave unlike benign ones';
  const about = change === undefined ? '' : `${phraseChange(change)}. `;
  return `${about}${who}${more}${hostsOf(incident, host, context)}: ${what}.`;
}

/** "session 12" and "unit `cron.service`", as far as the log says so of the root. */
function placeOf({ root, processes }: JudgedEpisode, { graphs, judged }: RecordContext): string[] {
  const { nodes } = judged.novelty.activity;
  const { names } = graphs;
  const node = nodes.get(root) ?? nodes.get(processes[0]) ?? -1;
  return (['session', 'unit', 'container'] as const).flatMap((field) => {
    const text = names[field]?.[node] ?? -1;
    // auditd numbers sessions, and the store marks them.
    return text < 0 ? [] : [`${field} ${quote(names.texts[text].replace(/^ses:/, ''))}`];
  });
}

/** " on web1", or " on web1 and 4 more hosts"; nothing if the log does not name its only host. */
function hostsOf({ episodes }: EpisodeIncident, host: string, { judged }: RecordContext): string {
  const { catalogue } = judged.novelty.activity;
  const hosts = new Set(episodes.map(({ processes }) => catalogue.hostOf(processes[0])));
  const others = hosts.size - 1;
  const more = others === 0 ? '' : ` and ${others} more ${others === 1 ? 'host' : 'hosts'}`;
  return host === 'unknown' && others === 0 ? '' : ` on ${printable(host, 80)}${more}`;
}

function cut(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
}
