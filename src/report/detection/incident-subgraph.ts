import type { Alert, AlertInteraction, EntityRef } from '../../detect/alerts/alert.js';
import { compileDirection, DIRECTIONS } from '../../graph/direction.js';
import type { EntityType } from '../../ingest/event.js';
import type { NodeKind } from '../graph/graph-drawing.js';
import type { GraphEdge, GraphNode } from '../graph/incident-graph.js';
import { entityName } from './entity-name.js';

const KINDS: Partial<Record<EntityType, NodeKind>> = { process: 'process', file: 'file', flow: 'flow' };
/** The most entities without an alert. */
const MOST_OTHERS = 12;
/** The most alerts with edges: a drawing has room for far fewer. */
const MOST_WITH_EDGES = 200;

export interface IncidentSubgraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Entities without an alert that are left out. */
  readonly othersLeftOut: number;
  /** Alerts whose interactions are left out. */
  readonly withoutEdges: number;
}

/**
 * The alerts of an incident, given by score, and the entities they interact with. Entities that several alerts share come
 * first, because they connect the incident.
 */
export function buildSubgraph(alerts: readonly Alert[]): IncidentSubgraph {
  const highest = new Map<string, Alert>();
  for (const alert of alerts) if (!highest.has(alert.entity.id)) highest.set(alert.entity.id, alert);
  const members = [...highest.values()];
  const isMember = new Set(members.map(({ entity }) => entity.id));
  const linked = alerts.slice(0, MOST_WITH_EDGES);
  const others = chooseOthers(linked, isMember);
  const known = new Set([...isMember, ...others.chosen.map(({ id }) => id)]);
  return {
    nodes: [
      ...members.map(({ entity, score }) => ({
        ...nodeOf(entity),
        score,
        alert: true,
        ...(entity.parent === null || entity.type !== 'process' ? {} : { parent: entity.parent.id }),
      })),
      ...others.chosen.map(nodeOf),
    ],
    edges: edgesOf(linked, known),
    othersLeftOut: others.leftOut,
    withoutEdges: alerts.length - linked.length,
  };
}

/** Entities that members interact with, by the number of members, then by their place in a neighbourhood. */
function chooseOthers(
  alerts: readonly Alert[],
  isMember: ReadonlySet<string>,
): { chosen: EntityRef[]; leftOut: number } {
  const found = new Map<string, { entity: EntityRef; by: Set<string>; best: number }>();
  const add = (entity: EntityRef, by: string, place: number) => {
    if (isMember.has(entity.id)) return;
    const known = found.get(entity.id) ?? { entity, by: new Set<string>(), best: place };
    known.by.add(by);
    known.best = Math.min(known.best, place);
    found.set(entity.id, known);
  };
  for (const { entity, neighbourhood } of alerts) {
    neighbourhood.interactions.forEach(({ subject, object }, place) => {
      add(subject, entity.id, place);
      add(object, entity.id, place);
    });
    if (entity.parent !== null && entity.type === 'process') add(entity.parent, entity.id, 0);
  }
  // Ties keep the order of the alerts.
  const ranked = [...found.values()].sort((a, b) => b.by.size - a.by.size || a.best - b.best);
  return {
    chosen: ranked.slice(0, MOST_OTHERS).map(({ entity }) => entity),
    leftOut: Math.max(0, ranked.length - MOST_OTHERS),
  };
}

/** Interactions between the nodes in the direction of the information flow. Two neighbourhoods may share one. */
function edgesOf(alerts: readonly Alert[], known: ReadonlySet<string>): GraphEdge[] {
  const seen = new Set<string>();
  const edges = new Map<string, { interaction: AlertInteraction; count: number }>();
  for (const { neighbourhood } of alerts) {
    for (const interaction of neighbourhood.interactions) {
      const { subject, object, relation, first, count } = interaction;
      // An action of an entity on itself, such as exit, is not worth drawing.
      if (subject.id === object.id || !known.has(subject.id) || !known.has(object.id)) continue;
      const edge = JSON.stringify([subject.id, object.id, relation]);
      const once = `${edge} ${first.ns}`;
      if (seen.has(once)) continue;
      seen.add(once);
      const earlier = edges.get(edge);
      edges.set(edge, { interaction, count: count + (earlier?.count ?? 0) });
    }
  }
  return [...edges.values()].map(({ interaction: { subject, object, relation }, count }) => {
    const [reversed] = compileDirection(DIRECTIONS.flow, [relation]);
    const [from, to] = reversed === 1 ? [object, subject] : [subject, object];
    return { from: from.id, to: to.id, relation: relation.replace(/^EVENT_/, ''), count };
  });
}

function nodeOf(entity: EntityRef): GraphNode {
  return { id: entity.id, kind: KINDS[entity.type] ?? 'other', label: entityName(entity) };
}
