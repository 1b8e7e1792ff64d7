import { hostDaysOf } from '../../detect/episodes/trees/host-days.js';
import type { ThresholdSpec } from '../../detect/threshold/threshold.js';
import type { LoadedEvents } from '../../store/load.js';
import type { LabelMatch } from '../labels/label-match.js';
import type { ScoredRun } from '../protocol/scored-run.js';
import type { FoldedEpisode } from '../reference/find-episodes.js';
import type { SeedResult } from '../result-schema.js';
import { type AdpCurve, adp, adpCurve } from './adp.js';
import {
  type AttackNodes,
  attackRow,
  detectedAttacks,
  discrimination,
  fpUntilAllAttacks,
  incidentsUntilAllAttacks,
  type Members,
} from './attack-metrics.js';
import { type Behaviours, behaviourMetrics } from './behaviours.js';
import { ratesOf, share } from './confusion.js';
import { type DeeperIncident, searchDeeper } from './deeper-incidents.js';
import { type FirstEpisodes, firstEpisodes, isCounted, scoreEpisodes } from './episode-metrics.js';
import { flagEpisodes } from './flag-episodes.js';
import { flag } from './flagging.js';
import { type HopRows, type MatchingProtocol, matchFlagged } from './matching.js';
import type { NodeScores } from './node-scores.js';
import { measureOwnRule } from './own-rule.js';
import {
  auroc,
  averagePrecision,
  bestF1,
  type PrecisionRecallCurve,
  precisionRecallCurve,
  type RocCurve,
  rankScores,
  rocCurve,
} from './ranking-metrics.js';
import { countFalseIncidents, TopIncidents } from './top-incidents.js';

/** The labels of the test, and how runs are compared with them. */
export interface MeasureContext {
  readonly labels: LabelMatch;
  readonly behaviours: Behaviours;
  readonly events: LoadedEvents;
  readonly threshold: ThresholdSpec;
  readonly matching: MatchingProtocol;
  /** Apply the threshold to every variant, also to one that has its own. */
  readonly commonRule?: boolean | undefined;
  /** Called only by matching protocols other than `node`. */
  readonly hops: () => HopRows;
  /** The episodes of the test, by which all variants are judged. */
  readonly episodes: readonly FoldedEpisode[];
}

export interface SeedCurves {
  readonly seed: number;
  readonly precisionRecall: PrecisionRecallCurve | null;
  readonly roc: RocCurve | null;
  readonly adp: AdpCurve | null;
}

export interface MeasuredSeed {
  readonly result: SeedResult;
  readonly curves: SeedCurves;
  readonly note: string | null;
}

/** Computes every figure of one variant with one seed (docs/reference/metrics.md). */
export function measureRun(run: ScoredRun, context: MeasureContext): MeasuredSeed {
  const { seed, nodeScores, graphs, links, judged } = run;
  const { ownRule } = run.outcome;
  const outcome = context.commonRule === true ? { ...run.outcome, ownThreshold: undefined } : run.outcome;
  const { labels, events, matching } = context;
  const { positives, ignored, attacks } = labels;
  const ranking = rankScores(nodeScores.ranking, positives, ignored);
  const scored = { nodeScores, graphs, links, events };
  const oracle = bestF1(rankScores(nodeScores.scores, positives, ignored));
  const flagged =
    judged !== undefined && context.threshold.kind !== 'oracle'
      ? flagEpisodes(context.threshold, judged, events)
      : flag(context.threshold, scored, outcome, oracle);
  const hops = matching === 'node' ? NO_HOPS : context.hops();
  const { forgiven, rescued, ...confusion } = matchFlagged(matching, flagged.nodes, positives, hops, ignored);
  const rates = ratesOf(confusion);
  const detected = detectedAttacks(attacks, flagged.nodes);
  const top = new TopIncidents(scored);
  const formed = judged === undefined ? top.form() : undefined;
  const incidents = formed && incidentsUntilAllAttacks(formed, attacks, ignored);
  // A variant that ranks episodes itself is judged by its own, others by those of the reference.
  const folded = judged?.incidents ?? context.episodes;
  const episodeScores =
    judged === undefined
      ? (run.episodeScores ?? scoreEpisodes(folded, nodeScores.scores))
      : Float64Array.from(folded, ({ score }) => score);
  const episodes = attacks === null ? null : firstEpisodes(folded, episodeScores, attacks, labels);
  const opened = judged === undefined ? null : openedUntilAll(folded, episodes, labels);
  const falseIncidents = countFalseIncidents(flagged.incidents, labels);
  const hostDays = hostDaysOf(events);
  const behaviour = behaviourMetrics(context.behaviours, flagged.nodes, positives);
  const result: SeedResult = {
    seed,
    ...confusion,
    ...rates,
    ap: averagePrecision(ranking),
    auroc: auroc(ranking),
    adp: adp(ranking, attacks, nodeScores.ranking),
    discrimination: discrimination(ranking, attacks, nodeScores.ranking),
    attacks: detected?.hits.length ?? null,
    attacksDetected: detected?.detected ?? null,
    fpUntilAllAttacks: fpUntilAllAttacks(ranking, attacks, nodeScores.ranking),
    incidentsUntilAllAttacks: opened?.incidents ?? incidents?.incidents ?? null,
    nodesUntilAllAttacks: opened?.nodes ?? incidents?.nodes ?? null,
    episodesUntilAllAttacks: lastOf(episodes?.all),
    falseIncidents,
    falseIncidentsPerDay: hostDays > 0 ? falseIncidents / hostDays : null,
    behaviours: context.behaviours.count,
    behaviourPrecision: behaviour.precision,
    behaviourRecall: behaviour.recall,
    candidateRecall: candidateRecall(nodeScores, labels),
    oracleF1: oracle?.f1 ?? null,
    gap: oracle === null || rates.f1 === null ? null : oracle.f1 - rates.f1,
    threshold: flagged.threshold,
    oracle,
    ...(matching === 'node' ? {} : { matched: { forgiven, rescued } }),
    ...(ownRule === undefined ? {} : { own: measureOwnRule(ownRule, scored, labels) }),
    ...(attacks === null
      ? {}
      : {
          perAttack: describeAttacks(attacks, {
            hits: detected?.hits ?? [],
            scores: nodeScores.scores,
            episodes,
            firstRank: judged === undefined ? (incidents?.firstRank ?? []) : (episodes?.withoutIgnored ?? []),
            members: (judged === undefined ? incidents : episodes)?.members ?? [],
            deeper:
              incidents === null || incidents === undefined
                ? (episodes?.withoutIgnored ?? []).map((rank) => missedBy(rank, episodes))
                : searchDeeper(top, attacks, incidents.firstRank, ignored),
          }),
        }),
  };
  return {
    result,
    note: flagged.note,
    curves: {
      seed,
      precisionRecall: precisionRecallCurve(ranking),
      roc: rocCurve(ranking),
      adp: adpCurve(ranking, attacks, nodeScores.ranking),
    },
  };
}

const EMPTY = { offsets: new Uint32Array(0), neighbours: new Int32Array(0) };
const NO_HOPS: HopRows = { byDestination: EMPTY, bySource: EMPTY };

/** Everything by attack, except the scores by node. */
interface FoundAttacks {
  readonly hits: readonly number[];
  readonly scores: Float64Array;
  readonly firstRank: readonly (number | null)[];
  readonly members: readonly (Members | null)[];
  readonly deeper: readonly (DeeperIncident | null)[];
  readonly episodes: FirstEpisodes | null;
}

function describeAttacks(
  attacks: AttackNodes,
  { hits, scores, firstRank, members, deeper, episodes }: FoundAttacks,
): NonNullable<SeedResult['perAttack']> {
  return attacks.names.map((name, attack) => {
    const nodes = attackRow(attacks, attack);
    const scored = nodes.filter((v) => scores[v] > 0).length;
    return {
      name,
      nodes: nodes.length,
      scored,
      flagged: hits[attack],
      firstIncident: firstRank[attack] ?? null,
      incidentMembers: members[attack] ?? null,
      deeper: scored === 0 ? null : (deeper[attack] ?? null),
      firstEpisode: episodes?.all[attack] ?? null,
      firstEpisodeNotIgnored: episodes?.withoutIgnored[attack] ?? null,
      episodeMembers: episodes?.members[attack] ?? null,
    };
  });
}

/** Of a variant that ranks episodes, every one is searched: an attack without a rank is in none of them. */
function missedBy(rank: number | null, episodes: FirstEpisodes | null): DeeperIncident | null {
  return rank !== null || episodes === null ? null : { incident: null, ...episodes.searched };
}

/**
 * The incidents up to the one that finds the last attack, and their nodes; null if an attack is not found. Incidents of
 * ignored processes do not count, as in `withoutIgnored`.
 */
function openedUntilAll(
  folded: readonly FoldedEpisode[],
  episodes: FirstEpisodes | null,
  labels: LabelMatch,
): { incidents: number; nodes: number } | null {
  const last = lastOf(episodes?.withoutIgnored);
  if (last === null) return null;
  const counted = folded
    .map((each) => each.episodes.flatMap(({ processes }) => Array.from(processes)))
    .filter((nodes) => isCounted(nodes, labels));
  return { incidents: last, nodes: counted.slice(0, last).reduce((sum, nodes) => sum + nodes.length, 0) };
}

/** The rank at which the last attack is found; null if one is not found. */
function lastOf(ranks: readonly (number | null)[] | undefined): number | null {
  if (ranks === undefined || ranks.length === 0) return null;
  return ranks.reduce((last, rank) => (last === null || rank === null ? null : Math.max(last, rank)));
}

function candidateRecall({ candidates }: NodeScores, { positives }: LabelMatch): number | null {
  if (candidates === undefined) return null;
  let [all, passed] = [0, 0];
  positives.forEach((positive, v) => {
    all += positive;
    passed += positive & candidates[v];
  });
  return share(passed, all);
}
