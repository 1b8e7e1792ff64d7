import { formIncidents } from '../../detect/alerts/incidents.js';
import { type SuspiciousNode, toColumns } from '../../detect/alerts/suspicious-nodes.js';
import { stableHashes } from '../../detect/evidence/stable-hash.js';
import type { LoadedEvents } from '../../store/load.js';
import type { LabelMatch } from '../labels/label-match.js';
import type { ScoredRun } from '../protocol/scored-run.js';
import type { IncidentMembers } from './attack-metrics.js';
import type { Flagged } from './flagging.js';

/** The scores of one run, with the events of the test. */
export interface ScoredTest extends Pick<ScoredRun, 'nodeScores' | 'graphs' | 'links'> {
  readonly events: LoadedEvents;
}

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

/** The highest nodes in order. A hash of the key breaks ties, so that neither early nor late nodes are preferred. */
function highestNodes(ranking: Float64Array, count: number, { keys }: LoadedEvents): Int32Array {
  const nodes = Int32Array.from({ length: ranking.length }, (_, node) => node);
  const hashes = stableHashes(keys, nodes, 0);
  return nodes
    .sort((a, b) => ranking[b] - ranking[a] || hashes[a] - hashes[b] || a - b)
    .subarray(0, Math.min(count, nodes.length));
}

/** The incidents that the highest nodes form, in every graph in which they score at least as high as the lowest of them. */
export function topIncidents(scored: ScoredTest): IncidentMembers[] {
  const { nodeScores, events } = scored;
  const count = Math.max(TOP_NODES, Math.ceil(TOP_NODES * hostDaysOf(events)));
  const top = highestNodes(nodeScores.ranking, count, events);
  const isTop = new Uint8Array(nodeScores.ranking.length);
  for (const node of top) isTop[node] = 1;
  const cutoff = top.length === 0 ? 0 : nodeScores.ranking[top[top.length - 1]];
  return incidentsAmong(isTop, cutoff, scored);
}

/** Counts the incidents of flagged nodes that have no labelled member. Incidents of ignored nodes only do not count. */
export function countFalseIncidents(
  { nodes, threshold }: Pick<Flagged, 'nodes' | 'threshold'>,
  { positives, ignored }: Pick<LabelMatch, 'positives' | 'ignored'>,
  scored: ScoredTest,
): number {
  if (threshold.value === null) return 0;
  return incidentsAmong(nodes, threshold.value, scored).filter((incident) => {
    const members = Array.from(incident.nodes);
    return members.every((v) => positives[v] === 0) && members.some((v) => ignored[v] === 0);
  }).length;
}

/** Forms incidents from the chosen nodes, in every graph in which they score at least `cutoff`. */
function incidentsAmong(
  chosen: Uint8Array,
  cutoff: number,
  { nodeScores, graphs, links, events }: ScoredTest,
): IncidentMembers[] {
  const members: SuspiciousNode[] = [];
  graphs.forEach(({ nodes, first, last }, graph) => {
    nodes.forEach((node, v) => {
      if (chosen[node] === 0) return;
      const own = nodeScores.byGraph[graph][v];
      // A node that scores 0 has one rank for all its graphs. Flagging compares float32 scores, hence `fround`.
      const score = own > 0 ? own : nodeScores.ranking[node];
      if (own > 0 ? Math.max(own, Math.fround(own)) < cutoff : nodeScores.scores[node] > 0) return;
      const prominence = own > 0 ? nodeScores.prominence[graph][v] : score;
      const host = events.keys.hostAt(node);
      members.push({ node, score, prominence, host, first: first[v], last: last[v] });
    });
  });
  const columns = toColumns(members);
  return formIncidents(columns, links).map((group) => ({
    nodes: [...new Set(Array.from(group.members, (member) => columns.node[member]))],
  }));
}
