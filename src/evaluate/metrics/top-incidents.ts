import { type SuspiciousNode, toColumns } from '../../detect/alerts/suspicious-nodes.js';
import { hostDaysOf } from '../../detect/episodes/trees/host-days.js';
import { stableHashes } from '../../detect/evidence/stable-hash.js';
import type { LoadedEvents } from '../../store/load.js';
import type { LabelMatch } from '../labels/label-match.js';
import type { IncidentMembers } from './attack-metrics.js';
import { groupMembers, memberOf, type ScoredTest } from './raised-alerts.js';

/** Number of highest nodes per host and day that form the incidents of the metrics; also the minimum (method §10). */
export const TOP_NODES = 100;

/**
 * The incidents of a run at any depth: those that its highest nodes form, in every graph in which they score at least as
 * high as the lowest of them. They are the incidents of `recal detect` at a threshold that as many nodes reach.
 */
export class TopIncidents {
  /** The nodes that score above 0, the highest first. */
  readonly order: Int32Array;
  /** The number of nodes that form incidents for the metrics. */
  readonly count: number;
  readonly #scored: ScoredTest;

  constructor(scored: ScoredTest) {
    this.#scored = scored;
    this.order = rankNodes(scored.nodeScores.scores, scored.events);
    const wanted = Math.max(TOP_NODES, Math.ceil(TOP_NODES * hostDaysOf(scored.events)));
    this.count = Math.min(wanted, this.order.length);
  }

  /** The incidents of the `count` highest nodes. */
  form(count = this.count): IncidentMembers[] {
    const { nodeScores, graphs, links } = this.#scored;
    const top = this.order.subarray(0, count);
    if (top.length === 0) return [];
    const isTop = new Uint8Array(nodeScores.scores.length);
    for (const node of top) isTop[node] = 1;
    const cutoff = nodeScores.scores[top[top.length - 1]];
    const members: SuspiciousNode[] = [];
    graphs.forEach(({ nodes }, graph) => {
      const scores = nodeScores.byGraph[graph];
      for (let v = 0; v < nodes.length; v++) {
        if (isTop[nodes[v]] === 1 && scores[v] >= cutoff) members.push(memberOf(this.#scored, graph, v));
      }
    });
    return groupMembers(toColumns(members), links);
  }
}

/** A hash of the key breaks ties, so that neither early nor late nodes are preferred. */
function rankNodes(scores: Float64Array, { keys }: LoadedEvents): Int32Array {
  const nodes = Int32Array.from(scores.keys()).filter((node) => scores[node] > 0);
  const hashes = stableHashes(keys, nodes, 0);
  const order = Int32Array.from(nodes.keys());
  order.sort((a, b) => scores[nodes[b]] - scores[nodes[a]] || hashes[a] - hashes[b] || a - b);
  return order.map((i) => nodes[i]);
}

/** Counts the incidents that have no labelled member. Incidents of ignored nodes only do not count. */
export function countFalseIncidents(
  incidents: readonly IncidentMembers[],
  { positives, ignored }: Pick<LabelMatch, 'positives' | 'ignored'>,
): number {
  return incidents.filter((incident) => {
    const members = Array.from(incident.nodes);
    return members.every((v) => positives[v] === 0) && members.some((v) => ignored[v] === 0);
  }).length;
}
