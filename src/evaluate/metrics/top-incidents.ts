import { type SuspiciousNode, toColumns } from '../../detect/alerts/suspicious-nodes.js';
import { stableHashes } from '../../detect/evidence/stable-hash.js';
import type { LoadedEvents } from '../../store/load.js';
import type { LabelMatch } from '../labels/label-match.js';
import type { IncidentMembers } from './attack-metrics.js';
import { groupMembers, memberOf, type ScoredTest } from './raised-alerts.js';

/** Number of highest nodes per host and day that form the incidents of the metrics; also the minimum (method §10). */
export const TOP_NODES = 100;

const DAY = 86_400_000_000_000;

/** The sum over hosts of the days from the first event to the last. */
export function hostDaysOf({ table, keys, hosts }: LoadedEvents): number {
  const first: (bigint | undefined)[] = hosts.map(() => undefined);
  const last = [...first];
  for (let row = 0; row < table.length; row++) {
    const node = Math.max(table.subject[row], table.object[row], table.object2[row]);
    const host = node < 0 ? 0 : keys.hostAt(node);
    first[host] ??= table.ts[row];
    last[host] = table.ts[row];
  }
  return first.reduce<number>(
    (sum, start, host) => sum + (start === undefined ? 0 : Number((last[host] as bigint) - start) / DAY),
    0,
  );
}

/** The nodes that score above 0, the highest first. A hash of the key breaks ties, so that neither early nor late nodes are preferred. */
function rankNodes(scores: Float64Array, { keys }: LoadedEvents): Int32Array {
  const nodes = Int32Array.from({ length: scores.length }, (_, node) => node).filter(
    (node) => scores[node] > 0,
  );
  const hashes = stableHashes(keys, nodes, 0);
  const rank = new Int32Array(nodes.length).map((_, i) => i);
  rank.sort((a, b) => scores[nodes[b]] - scores[nodes[a]] || hashes[a] - hashes[b] || nodes[a] - nodes[b]);
  return rank.map((i) => nodes[i]);
}

/**
 * The incidents that the highest nodes form, in every graph in which they score at least as high as the lowest of them:
 * those of `recal detect` at a threshold that as many nodes reach.
 */
export function topIncidents(scored: ScoredTest): IncidentMembers[] {
  const { nodeScores, events } = scored;
  const count = Math.max(TOP_NODES, Math.ceil(TOP_NODES * hostDaysOf(events)));
  const order = rankNodes(nodeScores.scores, events);
  return incidentsOf(order.subarray(0, count), scored);
}

function incidentsOf(top: Int32Array, scored: ScoredTest): IncidentMembers[] {
  const { nodeScores, graphs, links } = scored;
  if (top.length === 0) return [];
  const isTop = new Uint8Array(nodeScores.scores.length);
  for (const node of top) isTop[node] = 1;
  const cutoff = nodeScores.scores[top[top.length - 1]];
  const members: SuspiciousNode[] = [];
  graphs.forEach(({ nodes }, graph) => {
    const scores = nodeScores.byGraph[graph];
    for (let v = 0; v < nodes.length; v++) {
      if (isTop[nodes[v]] === 1 && scores[v] >= cutoff) members.push(memberOf(scored, graph, v));
    }
  });
  return groupMembers(toColumns(members), links);
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
