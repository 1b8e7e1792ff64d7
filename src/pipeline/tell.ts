import type { EntityRef, Incident } from '../detect/alerts/alert.js';
import type { Detector } from '../detect/detector.js';
import {
  type EpisodeIncident,
  EpisodeJudge,
  type JudgedEpisodes,
} from '../detect/episodes/episode-detector.js';
import { describeEpisodes, refOf } from '../detect/episodes/episode-records.js';
import { raiseBesideFloods, withoutFloods } from '../detect/episodes/fold-floods.js';
import { IncidentBehaviourFinder } from '../detect/episodes/incident-behaviours.js';
import type { AcceptedBehaviours } from '../detect/episodes/novelty/accepted-behaviours.js';
import { raiseIncidents } from '../detect/episodes/raise-incidents.js';
import { hostDaysOf } from '../detect/episodes/trees/host-days.js';
import { behavioursOf } from '../detect/fitted-detector.js';
import type { SplitGraphs } from '../detect/split-graphs.js';
import type { ThresholdSpec } from '../detect/threshold/threshold.js';
import type { Selection, Store } from '../store/store.js';

/** What is known besides the model. */
export interface TellKnown {
  /** Learned scores by entity id. */
  readonly learned: ReadonlyMap<string, number>;
  /** What people accepted. */
  readonly accepted: AcceptedBehaviours;
}

/** An incident without alerts. */
export interface ToldEpisodes {
  readonly incident: Incident;
  /** Its processes and everything that they acted on or that acted on them: all that an alert of it can be about. */
  touched(): EntityRef[];
}

/**
 * Ranks the incidents of a selection by what is new in them, and by the learned scores that are known already. It
 * builds no graphs, so that it can run every few seconds. Undefined if the model judges nodes.
 */
export async function tellEpisodes(
  detector: Detector,
  store: Store,
  selection: Selection,
  rule: Exclude<ThresholdSpec, { kind: 'oracle' }>,
  { learned, accepted }: TellKnown,
): Promise<readonly ToldEpisodes[] | undefined> {
  const { calibration } = detector;
  const { episodes } = calibration;
  if (episodes === undefined) return undefined;
  const graphs = await detector.graphsOf(store, selection);
  const { events } = graphs;
  const judge = new EpisodeJudge(behavioursOf(detector.fitted), episodes, await graphs.named(), accepted);
  const scores = new Float64Array(events.keys.size);
  if (learned.size > 0)
    for (let node = 0; node < scores.length; node++) scores[node] = learned.get(events.uuid(node)) ?? 0;
  const judged = judge.judge(scores);
  const benign = {
    scores: episodes.incidents,
    hostDays: calibration.benign.hostDays,
    graphs: calibration.graphs,
  };
  const { ranked, loud } = withoutFloods(judged, events);
  const raised = raiseBesideFloods(ranked, loud, (quiet) =>
    raiseIncidents(rule, quiet, { benign, hostDays: hostDaysOf(events) }),
  );
  const behaviours = new IncidentBehaviourFinder(judged);
  const record = { graphs, judged, benign, scores, model: detector.model.id, behaviours };
  return raised.incidents.map((incident, i) => ({
    incident: describeEpisodes(incident, i + 1, [], record),
    touched: () => touchedBy(incident, judged, graphs),
  }));
}

function touchedBy({ episodes }: EpisodeIncident, judged: JudgedEpisodes, graphs: SplitGraphs): EntityRef[] {
  const { nodes } = judged.novelty.activity;
  const { table } = graphs.events;
  const own = new Set(
    episodes.flatMap(({ processes }) => processes.flatMap((process) => nodes.get(process) ?? [])),
  );
  const touched = new Set(own);
  const isOwn = Uint8Array.from({ length: table.nodeCount }, (_, node) => Number(own.has(node)));
  for (let row = 0; row < table.length; row++) {
    const ends = [table.subject[row], table.object[row], table.object2[row]];
    if (!ends.some((node) => node >= 0 && isOwn[node] === 1)) continue;
    for (const node of ends) if (node >= 0) touched.add(node);
  }
  return [...touched].map((node) => refOf(node, graphs));
}
