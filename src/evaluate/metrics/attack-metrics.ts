import { type Ranking, stepOf } from './ranking-metrics.js';

/**
 * The nodes of each attack, as compressed rows: attack a has the nodes from `offsets[a]` to `offsets[a + 1]`. Attacks
 * without a node in the test are left out.
 */
export interface AttackNodes {
  readonly names: readonly string[];
  readonly offsets: Uint32Array;
  readonly nodes: Int32Array;
}

export interface DetectedAttacks {
  readonly detected: number;
  /** Number of flagged nodes of each attack. */
  readonly hits: number[];
}

/** The members of an incident, from the highest score down. */
export interface IncidentMembers {
  readonly nodes: ArrayLike<number>;
}

/** The size of an incident or episode, and how much of it is labelled. */
export interface Members {
  readonly nodes: number;
  readonly labelled: number;
}

export interface IncidentsUntil {
  /** Number of incidents opened in order until every attack is found; null if some attack is never found. */
  readonly incidents: number | null;
  /** Number of members of those incidents. */
  readonly nodes: number | null;
  /** For each attack, the rank (from 1) of the first incident that finds it. */
  readonly firstRank: (number | null)[];
  /** For each attack, the members of that incident without ignored ones. */
  readonly members: (Members | null)[];
}

/** An analyst looks at the highest members only, so that one giant incident does not find every attack (method §10). */
const MEMBERS_INSPECTED = 3;

/** Number of highest benign scores that `discrimination` compares with. */
const BENIGN_COMPARED = 10;

export function attackRow(attacks: AttackNodes, attack: number): Int32Array {
  return attacks.nodes.subarray(attacks.offsets[attack], attacks.offsets[attack + 1]);
}

/** The highest score of each attack. */
export function bestScores(attacks: AttackNodes, scores: ArrayLike<number>): Float64Array {
  return Float64Array.from(attacks.names, (_, attack) =>
    attackRow(attacks, attack).reduce((best, v) => Math.max(best, scores[v]), -Infinity),
  );
}

/** Counts the attacks with a flagged node. Null without attacks. */
export function detectedAttacks(attacks: AttackNodes | null, flagged: Uint8Array): DetectedAttacks | null {
  if (attacks === null || attacks.names.length === 0) return null;
  const hits = attacks.names.map((_, attack) =>
    attackRow(attacks, attack).reduce((sum, v) => sum + (flagged[v] === 0 ? 0 : 1), 0),
  );
  return { detected: hits.filter((count) => count > 0).length, hits };
}

/**
 * The number of benign nodes, from the highest score down, until every attack has a hit. Benign nodes come first among
 * equal scores: the worst case. Null without attacks.
 */
export function fpUntilAllAttacks(
  ranking: Ranking,
  attacks: AttackNodes | null,
  scores: ArrayLike<number>,
): number | null {
  if (attacks === null || attacks.names.length === 0) return null;
  const last = bestScores(attacks, scores).reduce((least, best) => Math.min(least, best), Infinity);
  const step = stepOf(ranking, last);
  if (step === ranking.thresholds.length) return null;
  return ranking.flagged[step] - ranking.hits[step];
}

/**
 * The mean over attacks of (best score − mean of the ten highest benign scores), divided by the highest score. Null
 * without attacks or benign nodes, and if the highest score is infinite or not above 0.
 */
export function discrimination(
  ranking: Ranking,
  attacks: AttackNodes | null,
  scores: ArrayLike<number>,
): number | null {
  const { thresholds, flagged, hits, nodes, positives } = ranking;
  const compared = Math.min(BENIGN_COMPARED, nodes - positives);
  if (attacks === null || attacks.names.length === 0 || compared === 0) return null;
  const highest = thresholds[0];
  if (!(highest > 0 && highest < Infinity)) return null;
  let [benign, taken] = [0, 0];
  for (let n = 0; taken < compared; n++) {
    const upTo = Math.min(compared, flagged[n] - hits[n]);
    benign += (upTo - taken) * thresholds[n];
    taken = upTo;
  }
  const best = bestScores(attacks, scores);
  const mean = best.reduce((sum, score) => sum + score, 0) / best.length;
  const result = (mean - benign / compared) / highest;
  return Number.isFinite(result) ? result : null;
}

/**
 * Opens incidents in the given order until every attack is found. An incident finds an attack only if a node of the
 * attack is among its three highest members. Ignored members do not count, nor do incidents with only ignored members.
 * Null without attacks.
 */
export function incidentsUntilAllAttacks(
  incidents: Iterable<IncidentMembers>,
  attacks: AttackNodes | null,
  ignored?: Uint8Array | undefined,
): IncidentsUntil | null {
  if (attacks === null || attacks.names.length === 0) return null;
  const attacksOf = attacksByNode(attacks);
  const firstRank: (number | null)[] = attacks.names.map(() => null);
  const membersOf: (Members | null)[] = attacks.names.map(() => null);
  let [rank, opened, missing] = [0, 0, firstRank.length];
  for (const { nodes } of incidents) {
    const found: number[] = [];
    let [members, labelled] = [0, 0];
    for (let i = 0; i < nodes.length; i++) {
      if (ignored !== undefined && ignored[nodes[i]] !== 0) continue;
      members++;
      if (attacksOf.has(nodes[i])) labelled++;
      if (members === 1) rank++;
      if (members > MEMBERS_INSPECTED) continue;
      for (const attack of attacksOf.get(nodes[i]) ?? []) {
        if (firstRank[attack] !== null) continue;
        firstRank[attack] = rank;
        found.push(attack);
      }
    }
    opened += members;
    missing -= found.length;
    for (const attack of found) membersOf[attack] = { nodes: members, labelled };
    if (missing === 0) return { incidents: rank, nodes: opened, firstRank, members: membersOf };
  }
  return { incidents: null, nodes: null, firstRank, members: membersOf };
}

/** The attacks of each labelled node. */
function attacksByNode(attacks: AttackNodes): Map<number, number[]> {
  const result = new Map<number, number[]>();
  for (let attack = 0; attack < attacks.names.length; attack++) {
    for (const v of attackRow(attacks, attack)) {
      const known = result.get(v);
      if (known === undefined) result.set(v, [attack]);
      else known.push(attack);
    }
  }
  return result;
}
