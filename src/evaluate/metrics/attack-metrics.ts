import { share } from './metrics.js';
import { type Ranking, stepOf } from './ranking-metrics.js';

/**
 * Which nodes belong to which attack, as compressed rows: those of attack a are `offsets[a]` to `offsets[a + 1]` of
 * `nodes`. Attacks without a node in the test are not among them.
 */
export interface AttackNodes {
  readonly names: readonly string[];
  readonly offsets: Uint32Array;
  readonly nodes: Int32Array;
}

/** What had to be looked at, from the highest score down, until every attack had a hit. */
export interface UntilAllAttacks {
  readonly threshold: number;
  readonly tp: number;
  readonly fp: number;
  readonly precision: number | null;
  readonly recall: number | null;
}

export interface DetectedAttacks {
  readonly attacks: number;
  readonly detected: number;
  /** Flagged nodes of each attack. */
  readonly hits: number[];
}

/** An incident's members from the highest score down. */
export interface IncidentMembers {
  readonly nodes: ArrayLike<number>;
}

export interface IncidentsUntil {
  /** Incidents opened, in their order, until every attack was found; null when that never happens. */
  readonly incidents: number | null;
  /** Members of those incidents. */
  readonly nodes: number | null;
  /** Per attack, the rank (from 1) of the first incident that finds it. */
  readonly firstRank: (number | null)[];
}

/** An analyst opens an incident at its top. One giant incident must not look good (method §10). */
export const MEMBERS_LOOKED_AT = 3;

const BENIGN_COMPARED = 10;

export function attackRow(attacks: AttackNodes, attack: number): Int32Array {
  return attacks.nodes.subarray(attacks.offsets[attack], attacks.offsets[attack + 1]);
}

/** The highest score of each attack's nodes. */
export function bestScores(attacks: AttackNodes, scores: ArrayLike<number>): Float64Array {
  return Float64Array.from(attacks.names, (_, attack) =>
    attackRow(attacks, attack).reduce((best, v) => Math.max(best, scores[v]), -Infinity),
  );
}

/** Attacks with a flagged node. Null without attacks. */
export function detectedAttacks(attacks: AttackNodes | null, flagged: Uint8Array): DetectedAttacks | null {
  if (attacks === null || attacks.names.length === 0) return null;
  const hits = attacks.names.map((_, attack) =>
    attackRow(attacks, attack).reduce((sum, v) => sum + (flagged[v] === 0 ? 0 : 1), 0),
  );
  return { attacks: hits.length, detected: hits.filter((count) => count > 0).length, hits };
}

/** Of nodes with equal scores the benign ones come first: the worst case. Null without attacks. */
export function untilAllAttacks(
  ranking: Ranking,
  attacks: AttackNodes | null,
  scores: ArrayLike<number>,
): UntilAllAttacks | null {
  if (attacks === null || attacks.names.length === 0) return null;
  const last = bestScores(attacks, scores).reduce((least, best) => Math.min(least, best), Infinity);
  const step = stepOf(ranking, last);
  if (step === ranking.thresholds.length) return null;
  const tp = ranking.hits[step];
  const fp = ranking.flagged[step] - tp;
  return {
    threshold: ranking.thresholds[step],
    tp,
    fp,
    precision: share(tp, tp + fp),
    recall: share(tp, ranking.positives),
  };
}

/**
 * Mean over attacks of (best score − mean of the ten highest benign scores), all divided by the highest score. Null
 * without attacks or benign nodes, or where the highest score is infinite or not above 0.
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
 * Opens incidents in the order given until every attack is found. An incident finds an attack only if one of the
 * attack's nodes is among its three highest members. Ignored members are as if they were not there, and so is an incident
 * of nothing else. Null without attacks.
 */
export function incidentsUntilAllAttacks(
  incidents: Iterable<IncidentMembers>,
  attacks: AttackNodes | null,
  ignored?: Uint8Array | undefined,
): IncidentsUntil | null {
  if (attacks === null || attacks.names.length === 0) return null;
  const attacksOf = byNode(attacks);
  const firstRank: (number | null)[] = attacks.names.map(() => null);
  let [rank, opened, missing] = [0, 0, firstRank.length];
  for (const { nodes } of incidents) {
    let members = 0;
    for (let i = 0; i < nodes.length; i++) {
      if (ignored !== undefined && ignored[nodes[i]] !== 0) continue;
      members++;
      if (members === 1) rank++;
      if (members > MEMBERS_LOOKED_AT) continue;
      for (const attack of attacksOf.get(nodes[i]) ?? []) {
        if (firstRank[attack] !== null) continue;
        firstRank[attack] = rank;
        missing--;
      }
    }
    opened += members;
    if (missing === 0) return { incidents: rank, nodes: opened, firstRank };
  }
  return { incidents: null, nodes: null, firstRank };
}

/** A map is enough: it holds labelled nodes only. */
function byNode(attacks: AttackNodes): Map<number, number[]> {
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
