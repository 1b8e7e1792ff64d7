import { yieldToSignals } from '../base/yield-to-signals.js';
import { ENTITY_TYPES } from '../ingest/event.js';
import { dayOf, SuspiciousNodeCollector } from './alerts/activity.js';
import type { Alert, Incident, LookAlike } from './alerts/alert.js';
import { kindOfAlert } from './alerts/alert-kind.js';
import { type AlertContext, describeAlerts } from './alerts/alert-record.js';
import { foldFloodIncidents } from './alerts/flood-incidents.js';
import { LinkCollector } from './alerts/incident-links.js';
import { describeIncidents } from './alerts/incident-record.js';
import { formIncidents } from './alerts/incidents.js';
import { type KeptAlert, KeptAlerts } from './alerts/kept-alerts.js';
import { rowsOf } from './alerts/suspicious-nodes.js';
import type { Detector } from './detector.js';
import { EVIDENCE_KINDS } from './evidence/evidence.js';
import { surpriseOf } from './fitted-detector.js';
import type { ScoredGraph } from './fusion/scored-graph.js';
import type { FoldedPoints } from './knn/snapped-points.js';
import type { SplitGraphs } from './split-graphs.js';
import { type AppliedThreshold, alarmingNodes } from './threshold/apply-threshold.js';
import { empiricalP } from './threshold/threshold.js';

const LOOK_ALIKES = 3;
const DEVIATIONS = 6;

export interface FindIncidentsOptions {
  /** Decides which scores raise an alert. */
  readonly threshold: Pick<AppliedThreshold, 'tau' | 'alarms'>;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number) => void) | undefined;
  /** Called with the scores of each graph, including those below τ. */
  readonly seen?: ((graph: ScoredGraph) => void) | undefined;
}

/** An alert, its member of an incident, and what it looks like. */
export interface ToldAlert extends KeptAlert {
  readonly alert: Alert;
}

export interface Detection {
  readonly alerts: readonly Alert[];
  readonly incidents: readonly Incident[];
  readonly counts: {
    readonly graphs: number;
    readonly events: number;
    /** Scored (node, graph) instances. */
    readonly instances: number;
    readonly entities: number;
    readonly candidates: number;
    readonly alerts: number;
    /** Alerts that were not kept: those with the lowest scores of a kind with too many. */
    readonly alertsLeftOut: number;
    readonly newRelation: number;
    /** Process trees; only if the model judges episodes. */
    readonly episodes?: number;
    readonly incidents: number;
    /** Acceptances that were used; only if the model judges episodes. */
    readonly acceptances?: number;
  };
}

/** Scores graphs, raises alerts where the threshold says so, and groups the alerts into incidents. */
export async function findIncidents(
  detector: Detector,
  graphs: SplitGraphs,
  options: FindIncidentsOptions,
): Promise<Detection> {
  const { threshold, signal, progress, seen } = options;
  const { events, names } = graphs;
  const context = alertContext(detector, graphs, threshold.tau);
  const kept = new KeptAlerts<ToldAlert>();
  const place = { table: events.table, hostAt: (node: number) => events.keys.hostAt(node) };
  const links = new LinkCollector(names, events.table, place.hostAt);
  const counts = { graphs: 0, instances: 0, candidates: 0, newRelation: 0 };
  for (const scored of detector.score(graphs)) {
    signal?.throwIfAborted();
    const { scores, candidates, newRelation, view } = scored;
    detector.watch.measure('incidents', () => links.add(view.planned.nodes, view.interactions));
    const flagged = alarmingNodes({ nodes: view.planned.nodes, scores, day: dayOf(view) }, threshold);
    detector.watch.measure('alerts', () => {
      if (flagged.length === 0) return;
      fillDistances(scored, flagged, detector);
      const members = new SuspiciousNodeCollector();
      const wanted = new Set(flagged);
      members.add(view, counts.graphs, scored, (v) => wanted.has(v), place);
      const alerts = describeAlerts(scored, flagged, context);
      kept.add(
        rowsOf(members.finish()).map((member, i) => {
          const alert = alerts[i];
          return { id: alert.id, score: alert.score, kind: kindOfAlert(alert), alert, member };
        }),
      );
    });
    counts.graphs++;
    counts.instances += scores.length;
    for (let v = 0; v < scores.length; v++) {
      counts.candidates += candidates[v];
      counts.newRelation += newRelation[v];
    }
    seen?.(scored);
    progress?.(counts.graphs / graphs.count);
    await yieldToSignals();
  }
  const { rows, members, leftOut, leftOutLike } = kept.finish();
  const told = rows.map(({ alert }) => alert);
  const rowOf = new Map(rows.map((row) => [row.alert, row]));
  const incidents = detector.watch.measure('incidents', () =>
    foldFloodIncidents(describeIncidents(formIncidents(members, links.finish()), told), told, (alert) =>
      leftOutLike(rowOf.get(alert) as ToldAlert),
    ),
  );
  const alerts = alertsIn(incidents, told);
  const unlisted = told.length - alerts.length;
  return {
    alerts,
    incidents,
    counts: {
      ...counts,
      events: events.table.length,
      entities: events.keys.size,
      alerts: told.length + leftOut,
      alertsLeftOut: leftOut + unlisted,
      incidents: incidents.length,
    },
  };
}

/** The alerts that an incident lists, in their order. */
function alertsIn(incidents: readonly Incident[], alerts: readonly Alert[]): readonly Alert[] {
  const listed = new Set(incidents.flatMap((incident) => incident.alerts.map(({ id }) => id)));
  return alerts.filter(({ id }) => listed.has(id));
}

/** Computes the exact distances of flagged nodes, because the gate only decided on which side of θ_c they lie. */
export function fillDistances(scored: ScoredGraph, flagged: Int32Array, detector: Detector): void {
  const missing = flagged.filter((v) => Number.isNaN(scored.distances[v]));
  if (missing.length === 0) return;
  const { search, calibration } = detector;
  const points = pointsOf(scored, missing, detector);
  const distances = search.scores(points, calibration.config.neighbours);
  missing.forEach((v, row) => {
    scored.distances[v] = distances[points.pointOf[row]];
  });
}

/** The points of some local nodes. */
function pointsOf(scored: ScoredGraph, locals: ArrayLike<number>, detector: Detector): FoldedPoints {
  const { reference } = detector.search;
  const { width } = reference.standardisation;
  const embeddings = detector.embeddings(scored);
  const rows = new Float32Array(locals.length * width);
  for (let row = 0; row < locals.length; row++) {
    const at = locals[row] * width;
    rows.set(embeddings.subarray(at, at + width), row * width);
  }
  return reference.standardise(rows);
}

/** Looks up what alerts say about a node besides its score. */
export function alertContext(detector: Detector, graphs: SplitGraphs, tau: number): AlertContext {
  const { fitted, calibration, model, search } = detector;
  const { events, text } = graphs;
  return {
    modelId: model.id,
    relations: model.relations.map(({ name }) => name),
    table: events.table,
    hostOf: (node) => events.hosts[events.keys.hostAt(node)],
    idOf: (node) => events.uuid(node),
    threshold: tau,
    empiricalP: (score) => empiricalP(calibration.benign, score),
    distanceThreshold: Number.isNaN(calibration.gate) ? null : calibration.gate,
    because(graph, row) {
      const kind = EVIDENCE_KINDS[graph.evidence.kinds[row]];
      const source = graph.evidence.sources[row];
      return source < 0 ? '' : surpriseOf(fitted, kind).explain(graph.view, source);
    },
    lookAlikes(graph, local): LookAlike[] {
      return search.nearest(pointsOf(graph, [local], detector), 0, LOOK_ALIKES).map(({ point, distance }) => {
        const { texts, types, numbers } = fitted.examples;
        return { name: texts[numbers[point]] || null, type: ENTITY_TYPES[types[point]], distance };
      });
    },
    deviations(graph, local) {
      const tokens = text.tokensOf(graph.view.planned.nodes[local]);
      return fitted.usage.deviations(graph.view, local, tokens, DEVIATIONS);
    },
  };
}
