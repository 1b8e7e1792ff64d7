import type { IncidentLinks } from '../../detect/alerts/incident-links.js';
import type { ThresholdSpec } from '../../detect/threshold/threshold.js';
import type { LoadedEvents } from '../../store/load.js';
import type { LabelMatch } from '../labels/label-match.js';
import type { BenignOutcome } from '../protocol/contestant.js';
import type { SeedResult } from '../result-schema.js';
import { type AdpCurve, adp, adpCurve } from './adp.js';
import {
  attackRow,
  detectedAttacks,
  discrimination,
  incidentsUntilAllAttacks,
  untilAllAttacks,
} from './attack-metrics.js';
import { type Behaviours, behaviourMetrics } from './behaviours.js';
import { type Flagged, flag } from './flagging.js';
import { type HopRows, type MatchingProtocol, matchAlarms } from './matching.js';
import { ratesOf, share } from './metrics.js';
import type { NodeScores, TestGraph } from './node-scores.js';
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
import { countFalseIncidents, hostDaysOf, topIncidents } from './top-incidents.js';

/** What all contestants are held against. */
export interface Truth {
  readonly labels: LabelMatch;
  readonly behaviours: Behaviours;
  readonly links: IncidentLinks;
  readonly events: LoadedEvents;
  readonly matching: MatchingProtocol;
  /** Only asked for by other protocols than `node`. */
  readonly hops: () => HopRows;
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

/** Every figure of one variant with one seed (docs/reference/metrics.md). */
export function measureSeed(
  seed: number,
  spec: ThresholdSpec,
  outcome: BenignOutcome,
  found: NodeScores,
  graphs: readonly TestGraph[],
  truth: Truth,
): MeasuredSeed {
  const { labels, events } = truth;
  const { positives, ignored, attacks } = labels;
  const ranking = rankScores(found.ranking, positives, ignored);
  const oracle = bestF1(ranking);
  const flagged = flag(spec, found, outcome, { graphs, keys: events.keys, oracle });
  const none = { byDestination: EMPTY, bySource: EMPTY };
  const hops = truth.matching === 'node' ? none : truth.hops();
  const { forgiven, rescued, ...confusion } = matchAlarms(
    truth.matching,
    flagged.nodes,
    positives,
    hops,
    ignored,
  );
  const rates = ratesOf(confusion);
  const detected = detectedAttacks(attacks, flagged.nodes);
  const incidents = incidentsUntilAllAttacks(
    topIncidents(found, graphs, truth.links, events),
    attacks,
    ignored,
  );
  const falseIncidents = countFalseIncidents(flagged, labels, found, graphs, truth.links, events);
  const hostDays = hostDaysOf(events);
  const behaviour = behaviourMetrics(truth.behaviours, flagged.nodes, positives);
  const result: SeedResult = {
    seed,
    ...confusion,
    ...rates,
    ap: averagePrecision(ranking),
    auroc: auroc(ranking),
    adp: adp(ranking, attacks, found.ranking),
    discrimination: discrimination(ranking, attacks, found.ranking),
    attacks: detected?.attacks ?? null,
    attacksDetected: detected?.detected ?? null,
    fpUntilAllAttacks: untilAllAttacks(ranking, attacks, found.ranking)?.fp ?? null,
    incidentsUntilAllAttacks: incidents?.incidents ?? null,
    nodesUntilAllAttacks: incidents?.nodes ?? null,
    falseIncidents,
    falseIncidentsPerDay: hostDays > 0 ? falseIncidents / hostDays : null,
    behaviours: behaviour.behaviours,
    behaviourPrecision: behaviour.precision,
    behaviourRecall: behaviour.recall,
    candidateRecall: candidateRecall(found, labels),
    oracleF1: oracle?.f1 ?? null,
    gap: oracle === null || rates.f1 === null ? null : oracle.f1 - rates.f1,
    threshold: flagged.threshold,
    oracle: oracle === null ? null : { f1: oracle.f1, threshold: oracle.threshold },
    ...(truth.matching === 'node' ? {} : { matched: { forgiven, rescued } }),
    ...(attacks === null ? {} : { perAttack: describeAttacks(attacks, flagged, incidents?.firstRank ?? []) }),
  };
  return {
    result,
    note: flagged.note,
    curves: {
      seed,
      precisionRecall: precisionRecallCurve(ranking),
      roc: rocCurve(ranking),
      adp: adpCurve(ranking, attacks, found.ranking),
    },
  };
}

const EMPTY = { offsets: new Uint32Array(0), neighbours: new Int32Array(0) };

function describeAttacks(
  attacks: NonNullable<LabelMatch['attacks']>,
  { nodes }: Flagged,
  firstRank: readonly (number | null)[],
): NonNullable<SeedResult['perAttack']> {
  return attacks.names.map((name, attack) => {
    const row = attackRow(attacks, attack);
    const flagged = row.reduce((sum, v) => sum + nodes[v], 0);
    return { name, nodes: row.length, flagged, firstIncident: firstRank[attack] ?? null };
  });
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
