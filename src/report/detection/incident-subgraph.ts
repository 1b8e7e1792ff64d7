import type { Alert, AlertInteraction, EntityRef } from '../../detect/alerts/alert.js';
import { compileDirection, DIRECTIONS } from '../../graph/direction.js';
import type { EntityType } from '../../ingest/event.js';
import type { NodeKind } from '../graph/graph-drawing.js';
import type { GraphEdge, GraphNode } from '../graph/incident-graph.js';

const KINDS: Partial<Record<EntityType, NodeKind>> = { process: 'process', file: 'file', flow: 'flow' };
/** Others that alerts touch and that are handed over; the drawing counts what it leaves out of these. */
const MOST_OTHERS = 12;
/** Alerts whose interactions become edges: a drawing has room for far fewer. */
const MOST_WITH_EDGES = 200;

export interface IncidentSubgraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Entities that alerts touch and that are not among the nodes. */
  readonly othersLeftOut: number;
  /** Alerts of which only the node is there. */
  readonly withoutEdges: number;
}

/**
 * Who did what to whom in an incident: its alerts, highest first, and what they touched. What several of them touched
 * comes before what one did, because it holds the incident together.
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

/** What members touched: by how many touched it, then as their own neighbourhoods rank it. */
function chooseOthers(
  alerts: readonly Alert[],
  isMember: ReadonlySet<string>,
): { chosen: EntityRef[]; leftOut: number } {
  const found = new Map<string, { entity: EntityRef; by: Set<string>; best: number }>();
  const see = (entity: EntityRef, by: string, place: number) => {
    if (isMember.has(entity.id)) return;
    const known = found.get(entity.id) ?? { entity, by: new Set<string>(), best: place };
    known.by.add(by);
    known.best = Math.min(known.best, place);
    found.set(entity.id, known);
  };
  for (const { entity, neighbourhood } of alerts) {
    neighbourhood.interactions.forEach(({ subject, object }, place) => {
      see(subject, entity.id, place);
      see(object, entity.id, place);
    });
    if (entity.parent !== null && entity.type === 'process') see(entity.parent, entity.id, 0);
  }
  // The order of discovery settles ties: the highest alert comes first.
  const ranked = [...found.values()].sort((a, b) => b.by.size - a.by.size || a.best - b.best);
  return {
    chosen: ranked.slice(0, MOST_OTHERS).map(({ entity }) => entity),
    leftOut: Math.max(0, ranked.length - MOST_OTHERS),
  };
}

/** Interactions between the nodes, the same one of two neighbourhoods once, along the flow of information. */
function edgesOf(alerts: readonly Alert[], known: ReadonlySet<string>): GraphEdge[] {
  const seen = new Set<string>();
  const edges = new Map<string, { interaction: AlertInteraction; count: number }>();
  for (const { neighbourhood } of alerts) {
    for (const interaction of neighbourhood.interactions) {
      const { subject, object, relation, first, count } = interaction;
      // What an entity does to itself, such as to exit, says little in a drawing of who touched whom.
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

function nodeOf({ id, type, name }: EntityRef): GraphNode {
  return { id, kind: KINDS[type] ?? 'other', label: name ?? `nameless ${type}` };
}
