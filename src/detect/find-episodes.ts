import { smallest } from '../base/extremes.js';
import { yieldToSignals } from '../base/yield-to-signals.js';
import { dayOf, SuspiciousNodeCollector } from './alerts/activity.js';
import type { Alert, Incident } from './alerts/alert.js';
import { kindOfAlert } from './alerts/alert-kind.js';
import { describeAlerts } from './alerts/alert-record.js';
import { markIfFlood } from './alerts/flood-incidents.js';
import { KeptAlerts } from './alerts/kept-alerts.js';
import { rowsOf } from './alerts/suspicious-nodes.js';
import type { Detector } from './detector.js';
import { type EpisodeIncident, EpisodeJudge, type JudgedEpisodes } from './episodes/episode-detector.js';
import { describeEpisodes } from './episodes/episode-records.js';
import { raiseBesideFloods, withoutFloods } from './episodes/fold-floods.js';
import { IncidentBehaviourFinder } from './episodes/incident-behaviours.js';
import type { AcceptedBehaviours } from './episodes/novelty/accepted-behaviours.js';
import { type RaisedIncidents, raiseIncidents } from './episodes/raise-incidents.js';
import { hostDaysOf } from './episodes/trees/host-days.js';
import {
  alertContext,
  type Detection,
  type FindIncidentsOptions,
  fillDistances,
  type ToldAlert,
} from './find-incidents.js';
import { behavioursOf } from './fitted-detector.js';
import type { SplitGraphs } from './split-graphs.js';
import { alarmingNodes } from './threshold/apply-threshold.js';
import type { ThresholdSpec } from './threshold/threshold.js';

/** Incidents by novelty alone whose processes are described in any case. */
const MOST_FORESEEN = 100;
const MOST_PER_INCIDENT = 12;

export interface FindEpisodesOptions extends FindIncidentsOptions {
  readonly rule: Exclude<ThresholdSpec, { kind: 'oracle' }>;
  /** What people accepted beside the model. */
  readonly accepted?: AcceptedBehaviours | undefined;
}

/** Scores graphs, judges their process trees, and raises the incidents that the rule allows. */
export async function findEpisodes(
  detector: Detector,
  graphs: SplitGraphs,
  { threshold, rule, accepted, signal, progress, seen }: FindEpisodesOptions,
): Promise<Detection & { readonly raised: RaisedIncidents<EpisodeIncident> }> {
  const { events } = graphs;
  const { calibration, watch } = detector;
  const { episodes } = calibration;
  if (episodes === undefined) throw new TypeError('the model does not judge episodes');
  const named = await watch.time('episodes', () => graphs.named());
  const judge = watch.measure(
    'episodes',
    () => new EpisodeJudge(behavioursOf(detector.fitted), episodes, named, accepted),
  );
  const highest = new Float64Array(events.keys.size);
  const foreseen = watch.measure('episodes', () => {
    const judged = judge.judge(highest);
    return tellingNodes(withoutFloods(judged, events).ranked, judged);
  });
  const context = alertContext(detector, graphs, threshold.tau);
  const kept = new KeptAlerts<ToldAlert>();
  const place = { table: events.table, hostAt: (node: number) => events.keys.hostAt(node) };
  const counts = { graphs: 0, instances: 0, candidates: 0, newRelation: 0 };
  for (const scored of detector.score(graphs)) {
    signal?.throwIfAborted();
    const { scores, candidates, newRelation, view } = scored;
    const { nodes } = view.planned;
    const alarming = new Set(alarmingNodes({ nodes, scores, day: dayOf(view) }, threshold));
    const told = Int32Array.from(nodes, (_, v) => v).filter((v) => alarming.has(v) || foreseen.has(nodes[v]));
    watch.measure('alerts', () => {
      if (told.length === 0) return;
      fillDistances(scored, told, detector);
      const members = new SuspiciousNodeCollector();
      const wanted = new Set(told);
      members.add(view, counts.graphs, scored, (v) => wanted.has(v), place);
      const alerts = describeAlerts(scored, told, context);
      kept.add(
        rowsOf(members.finish()).map((member, i) => ({
          id: alerts[i].id,
          score: alerts[i].score,
          kind: kindOfAlert(alerts[i]),
          alert: alerts[i],
          member,
        })),
      );
    });
    counts.graphs++;
    counts.instances += scores.length;
    for (let v = 0; v < scores.length; v++) {
      counts.candidates += candidates[v];
      counts.newRelation += newRelation[v];
      if (scores[v] > highest[nodes[v]]) highest[nodes[v]] = scores[v];
    }
    seen?.(scored);
    progress?.(counts.graphs / graphs.count);
    await yieldToSignals();
  }
  const { rows, leftOut, leftOutLike } = kept.finish();
  return watch.measure('incidents', () => {
    const judged = judge.judge(highest);
    const benign = {
      scores: episodes.incidents,
      hostDays: calibration.benign.hostDays,
      graphs: calibration.graphs,
    };
    const { ranked, floods, loud } = withoutFloods(judged, events);
    const raised = raiseBesideFloods(ranked, loud, (quiet) =>
      raiseIncidents(rule, quiet, { benign, hostDays: hostDaysOf(events) }),
    );
    const told = assignAlerts(raised.incidents, rows, judged);
    const behaviours = new IncidentBehaviourFinder(judged);
    const record = { graphs, judged, benign, scores: highest, model: detector.model.id, behaviours };
    const rowOf = new Map(rows.map((row) => [row.alert, row]));
    const incidents = raised.incidents.map((incident, i): Incident => {
      const described = describeEpisodes(incident, i + 1, told[i], record);
      return markIfFlood(described, told[i], floods.get(incident)?.length ?? 1, (alert) =>
        leftOutLike(rowOf.get(alert) as ToldAlert),
      );
    });
    const alerts = told.flatMap((each, i) => each.slice(0, incidents[i].alerts.length));
    return {
      alerts,
      incidents,
      raised,
      counts: {
        ...counts,
        events: events.table.length,
        entities: events.keys.size,
        episodes: judged.count,
        alerts: alerts.length,
        alertsLeftOut: leftOut + told.flat().length - alerts.length,
        incidents: incidents.length,
        acceptances: accepted?.count ?? 0,
      },
    };
  });
}

/** The nodes of the processes that did the most surprising new things. */
function tellingNodes(ranked: readonly EpisodeIncident[], { novelty }: JudgedEpisodes): ReadonlySet<number> {
  const { actors, nodes } = novelty.activity;
  const found = new Set<number>();
  for (const { episodes } of ranked.slice(0, MOST_FORESEEN)) {
    const [{ root, actors: strongest, processes }] = episodes;
    const told = [
      root,
      ...Array.from(strongest).flatMap((actor) => (actor < 0 ? [] : [actors.firstAt(actor)])),
    ];
    for (const process of [...new Set([...told, ...processes])].slice(0, MOST_PER_INCIDENT)) {
      const node = nodes.get(process);
      if (node !== undefined) found.add(node);
    }
  }
  return found;
}

/** Gives each alert to the first incident that contains its process, or a process that acted on it. */
function assignAlerts(
  incidents: readonly EpisodeIncident[],
  rows: readonly ToldAlert[],
  { novelty }: JudgedEpisodes,
): Alert[][] {
  const { nodes, catalogue } = novelty.activity;
  const byNode = new Map<number, number>();
  const byId = new Map<string, number>();
  incidents.forEach(({ episodes }, i) => {
    for (const process of episodes.flatMap((episode) => episode.processes)) {
      const node = nodes.get(process);
      if (node === undefined) continue;
      byNode.set(node, i);
      byId.set(catalogue.uuid(process), i);
    }
  });
  const told: Alert[][] = incidents.map(() => []);
  for (const { alert, member } of rows) {
    const actors = alert.neighbourhood.interactions.flatMap(({ subject }) => byId.get(subject.id) ?? []);
    const incident = byNode.get(member.node) ?? (actors.length > 0 ? smallest(actors) : undefined);
    if (incident !== undefined) told[incident].push(alert);
  }
  return told;
}
