import { alertId } from '../../detect/alerts/alert.js';
import { formIncidents } from '../../detect/alerts/incidents.js';
import { KeptAlerts } from '../../detect/alerts/kept-alerts.js';
import {
  type SuspiciousNode,
  type SuspiciousNodes,
  toColumns,
} from '../../detect/alerts/suspicious-nodes.js';
import { type AppliedThreshold, alarmingNodes } from '../../detect/threshold/apply-threshold.js';
import type { LoadedEvents } from '../../store/load.js';
import type { ScoredRun } from '../protocol/scored-run.js';
import type { IncidentMembers } from './attack-metrics.js';

/** The scores of one run, with the events of the test. */
export interface ScoredTest extends Pick<ScoredRun, 'nodeScores' | 'graphs' | 'links'> {
  readonly events: LoadedEvents;
}

export interface RaisedAlerts {
  /** One byte per node, 1 for nodes with an alert in some graph. */
  readonly nodes: Uint8Array;
  readonly incidents: IncidentMembers[];
  /** Alerts beyond the number that `recal detect` keeps. */
  readonly leftOut: number;
}

export interface RaiseOptions {
  /** Decides which scores raise an alert. */
  readonly threshold: Pick<AppliedThreshold, 'alarms'>;
  /** Id of the model, which breaks ties between alerts of equal score. */
  readonly model: string;
  /** Keep all alerts; by default as many as `recal detect`. */
  readonly keepAll?: boolean;
}

/** The alerts that `recal detect` raises graph by graph with these scores, and the incidents that they form. */
export function raiseAlerts(
  scored: ScoredTest,
  { threshold, model, keepAll = false }: RaiseOptions,
): RaisedAlerts {
  const { nodeScores, graphs, links, events } = scored;
  const kept = new KeptAlerts<RaisedAlert>();
  const all: SuspiciousNode[] = [];
  graphs.forEach(({ nodes, day, from }, g) => {
    const alarming = alarmingNodes({ nodes, day, scores: nodeScores.byGraph[g] }, threshold);
    const members = Array.from(alarming, (v) => memberOf(scored, g, v));
    if (keepAll) for (const member of members) all.push(member);
    else kept.add(members.map((member) => new RaisedAlert(member, from, model, events)));
  });
  const { members, leftOut } = keepAll ? { members: toColumns(all), leftOut: 0 } : kept.finish();
  const flagged = new Uint8Array(nodeScores.scores.length);
  for (const node of members.node) flagged[node] = 1;
  return { nodes: flagged, incidents: groupMembers(members, links), leftOut };
}

/** A node of the test in one graph, as a member of an incident. */
export function memberOf(
  { nodeScores, graphs, events }: ScoredTest,
  graph: number,
  v: number,
): SuspiciousNode {
  const { nodes, first, last } = graphs[graph];
  return {
    node: nodes[v],
    score: nodeScores.byGraph[graph][v],
    prominence: nodeScores.prominence[graph][v],
    host: events.keys.hostAt(nodes[v]),
    first: first[v],
    last: last[v],
  };
}

/** Forms incidents, in the order of `recal detect`. A node of several graphs is one member. */
export function groupMembers(members: SuspiciousNodes, links: ScoredTest['links']): IncidentMembers[] {
  return formIncidents(members, links).map((group) => ({
    nodes: [...new Set(Array.from(group.members, (member) => members.node[member]))],
  }));
}

/** Computes its id only if needed: most scores differ. */
class RaisedAlert {
  readonly member: SuspiciousNode;
  readonly #from: bigint;
  readonly #model: string;
  readonly #events: LoadedEvents;
  #id: string | undefined;

  constructor(member: SuspiciousNode, from: bigint, model: string, events: LoadedEvents) {
    this.member = member;
    this.#from = from;
    this.#model = model;
    this.#events = events;
  }

  get score(): number {
    return Math.min(Number.MAX_VALUE, this.member.score);
  }

  get id(): string {
    const { node, host } = this.member;
    this.#id ??= alertId(this.#model, this.#events.hosts[host], this.#events.uuid(node), this.#from);
    return this.#id;
  }
}
