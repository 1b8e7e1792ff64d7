import {
  type AttackNodes,
  attackRow,
  type IncidentMembers,
  incidentsUntilAllAttacks,
} from './attack-metrics.js';
import type { TopIncidents } from './top-incidents.js';

/** Where an attack is found that no incident of the highest nodes finds. */
export interface DeeperIncident {
  /** Rank of the first incident that finds the attack; null if none does even when every node above 0 may form one. */
  readonly incident: number | null;
  /** The number of incidents at that depth. */
  readonly incidents: number;
  /** The number of highest nodes that form them. */
  readonly nodes: number;
}

/**
 * Looks for attacks among the incidents of more and more nodes, at least twice as many each time, until each is found or
 * no scored node is left. So all steps together cost at most twice the last one. Null for attacks in `found`, and for
 * attacks whose nodes all score 0.
 */
export function searchDeeper(
  top: TopIncidents,
  attacks: AttackNodes,
  found: readonly (number | null)[],
  ignored?: Uint8Array | undefined,
): (DeeperIncident | null)[] {
  const place = new Map(Array.from(top.order, (node, i) => [node, i + 1]));
  // No incident can find an attack before its highest node belongs to one.
  const first = attacks.names.map((_, attack) =>
    attackRow(attacks, attack).reduce((least, v) => Math.min(least, place.get(v) ?? Infinity), Infinity),
  );
  const result: (DeeperIncident | null)[] = attacks.names.map(() => null);
  let missing = [...first.keys()].filter((attack) => found[attack] === null && first[attack] < Infinity);
  for (let nodes = top.count; missing.length > 0; ) {
    const next = Math.max(2 * nodes, Math.min(...missing.map((attack) => first[attack])));
    const isLast = next >= top.order.length;
    nodes = Math.min(next, top.order.length);
    const formed = top.form(nodes);
    const ranks = incidentsUntilAllAttacks(formed, attacks, ignored)?.firstRank ?? [];
    const incidents = countSeen(formed, ignored);
    for (const attack of missing) {
      const incident = ranks[attack] ?? null;
      if (incident !== null || isLast) result[attack] = { incident, incidents, nodes };
    }
    missing = missing.filter((attack) => result[attack] === null);
  }
  return result;
}

/** Incidents with only ignored members do not count. */
function countSeen(incidents: readonly IncidentMembers[], ignored: Uint8Array | undefined): number {
  if (ignored === undefined) return incidents.length;
  return incidents.filter(({ nodes }) => Array.from(nodes).some((v) => ignored[v] === 0)).length;
}
