import { RecalError } from '../../base/errors.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { TrainedModel } from '../../model/file/trained-model.js';
import { spanOf } from '../../model/training/graph-plan.js';
import { MemberCollector } from '../alerts/activity.js';
import { LinkCollector } from '../alerts/incident-links.js';
import type { DetectionConfig } from '../detection-config.js';
import { EVIDENCE_KINDS, type EvidenceKind } from '../evidence/evidence.js';
import type { GatheredGraph, Gatherer } from '../evidence/gather.js';
import { tableCount, tableSlot } from '../evidence/interaction-evidence.js';
import { stableHashes } from '../evidence/stable-hash.js';
import type { FittedDetector } from '../fitted-detector.js';
import { CovarianceBuilder, type PairCovariance } from '../fusion/covariance.js';
import { type BenignTables, Judge } from '../fusion/judge.js';
import type { SplitGraphs } from '../split-graphs.js';
import { type BenignScores, describeBenign } from '../threshold/benign-scores.js';
import { CalibrationBuilder, type CalibrationTables } from './calibration-tables.js';
import { halvesOf } from './halves.js';
import { isSampleKeptOut, type KeptOut } from './quarantine.js';
import { ScoreScale } from './score-scale.js';

/** Distinct nodes that a table needs before it is asked (method §6). */
const MIN_NODES = 30;

/** What calibration adds to a model: all that is needed to judge, and nothing that training would have to redo. */
export interface Calibration extends BenignTables {
  readonly config: DetectionConfig;
  /** θ_c: a distance above it makes a candidate (method §7). NaN without a gate. */
  readonly gate: number;
  readonly benign: BenignScores;
  /** What was calibrated on. */
  readonly graphs: number;
  readonly instances: number;
  readonly firstTs: bigint;
  readonly lastTs: bigint;
  readonly hosts: readonly string[];
}

export interface CalibrateOptions {
  /** Instances that no table, gate or covariance is to be made of. Their scores count, but as no more than τ. */
  readonly keepOut?: { readonly tau: number; readonly isKeptOut: KeptOut } | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number) => void) | undefined;
}

/** A graph of the calibration part, and in which half each of its nodes is. */
interface HalvedGraph {
  readonly gathered: GatheredGraph;
  readonly halfOf: (node: number) => 0 | 1;
  readonly isKeptOut: KeptOut;
}

/** Whether a node of a half takes part. */
type Taking = (half: 0 | 1) => boolean;

const A: Taking = (half) => half === 0;
const B: Taking = (half) => half === 1;
const ALL: Taking = () => true;

/** Whose values make the tables, and who is scored with them, in turn; and the tables that stay (method §9). */
const FOLDS: Record<
  DetectionConfig['halves'],
  { readonly folds: readonly { readonly tables: Taking; readonly scored: Taking }[]; readonly kept: Taking }
> = {
  none: { folds: [{ tables: ALL, scored: ALL }], kept: ALL },
  split: { folds: [{ tables: A, scored: B }], kept: A },
  cross: {
    folds: [
      { tables: A, scored: B },
      { tables: B, scored: A },
    ],
    kept: ALL,
  },
};

/** Measures benign graphs and keeps what they say (method §6, §9). */
export async function calibrateDetector(
  model: TrainedModel,
  fitted: FittedDetector,
  split: SplitGraphs,
  gatherer: Gatherer,
  config: DetectionConfig,
  { signal, progress, keepOut }: CalibrateOptions = {},
): Promise<Calibration> {
  const graphs: GatheredGraph[] = [];
  let done = 0;
  for (const view of split.views()) {
    signal?.throwIfAborted();
    if (view.interactions.length > 0) graphs.push(gatherer.gather(view, split.events.keys, undefined));
    progress?.(++done / split.count);
    await new Promise((resolve) => setImmediate(resolve)); // signals come in between two graphs
  }
  if (graphs.length === 0) {
    throw new RecalError(
      'nothing-to-calibrate',
      'the part to calibrate on has no events that join entities',
      {
        hint: 'give a benign part with --split, --from and --to',
      },
    );
  }
  const isKeptOut = keepOut?.isKeptOut ?? (() => false);
  const halved = halve(graphs, split, model.config.seed, isKeptOut);
  const learn = (taking: Taking): BenignTables & { gate: number } => {
    const gate = config.gate === 'knn' ? gateOf(halved, taking, config.gateQuantile) : Number.NaN;
    const tables = buildTables(halved, taking, fitted, gatherer, config, split, model.relations.length);
    const learned = { gate, tables, covariance: undefined, scale: undefined };
    if (config.fusion !== 'brown') return learned;
    return { ...learned, covariance: learnCovariance(halved, taking, learned, config, fitted, model) };
  };
  const { folds, kept } = FOLDS[config.halves];
  const benign = new BenignCollector(split, keepOut?.tau ?? Number.POSITIVE_INFINITY);
  const turns = folds.map(({ tables, scored }) => ({ scored, learned: learn(tables) }));
  const judgeOf = (learned: BenignTables) => new Judge(config, learned, model.relations.length);
  const scale =
    config.lineage === 'none'
      ? undefined
      : measureScale(
          halved,
          turns.map(({ scored, learned }) => ({ scored, gate: learned.gate, judge: judgeOf(learned) })),
        );
  for (const { scored, learned } of turns) {
    benign.score(halved, scored, learned.gate, judgeOf({ ...learned, scale }));
  }
  const scores = benign.finish(config.halves === 'none');
  if (!(scores.instances > 0) || !(scores.hostDays > 0)) {
    throw new RecalError(
      'nothing-to-calibrate',
      'the part to calibrate on is too short: no threshold could be set by it',
      { hint: 'give a longer benign part with --split, --from and --to' },
    );
  }
  return {
    config,
    ...learn(kept),
    scale,
    benign: scores,
    graphs: graphs.length,
    instances: graphs.reduce((sum, { candidates }) => sum + candidates.length, 0),
    firstTs: split.events.table.ts[0],
    lastTs: split.events.table.ts[split.events.table.length - 1],
    hosts: split.events.hosts,
  };
}

/** How high benign nodes score by their own evidence. */
function measureScale(
  halved: readonly HalvedGraph[],
  turns: readonly { scored: Taking; gate: number; judge: Judge }[],
): ScoreScale {
  const found: number[] = [];
  let instances = 0;
  for (const { scored, gate, judge } of turns) {
    for (const { gathered, halfOf } of halved) {
      const { scores } = judge.score(screen(gathered, gate));
      for (let v = 0; v < scores.length; v++) {
        if (!scored(halfOf(v))) continue;
        instances++;
        if (scores[v] > 0) found.push(scores[v]);
      }
    }
  }
  return ScoreScale.of(found, instances);
}

/** Graphs go to A and B; a lone graph is divided by its nodes. */
function halve(
  graphs: readonly GatheredGraph[],
  split: SplitGraphs,
  seed: number,
  isKeptOut: KeptOut,
): HalvedGraph[] {
  if (graphs.length === 1) {
    const [gathered] = graphs;
    const hashes = stableHashes(split.events.keys, gathered.view.planned.nodes, ~seed);
    return [{ gathered, halfOf: (node) => (hashes[node] & 1) as 0 | 1, isKeptOut }];
  }
  const halves = halvesOf(graphs.map(({ view }) => split.events.keys.hostAt(view.planned.nodes[0])));
  return graphs.map((gathered, g) => ({ gathered, halfOf: () => halves[g], isKeptOut }));
}

/** θ_c: the order statistic of distances. */
function gateOf(halved: readonly HalvedGraph[], taking: Taking, quantile: number): number {
  const all: number[] = [];
  for (const { gathered, halfOf, isKeptOut } of halved) {
    gathered.distances.forEach((distance, node) => {
      if (taking(halfOf(node)) && !isKeptOut(gathered.view, node)) all.push(distance);
    });
  }
  const sorted = Float64Array.from(all).sort();
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(quantile * sorted.length) - 1))];
}

function screen(gathered: GatheredGraph, gate: number): GatheredGraph {
  if (Number.isNaN(gate)) return gathered;
  return {
    ...gathered,
    candidates: Uint8Array.from(gathered.distances, (distance) => (distance > gate ? 1 : 0)),
  };
}

/** Slots of each kind, in the order of EVIDENCE_KINDS. */
function slotCounts({ name, relation }: FittedDetector, relationCount: number): number[] {
  return [Math.max(1, relationCount), name.slotCount, relation.slotCount, 1];
}

/** F̂ of each kind. */
function buildTables(
  halved: readonly HalvedGraph[],
  taking: Taking,
  fitted: FittedDetector,
  gatherer: Gatherer,
  config: DetectionConfig,
  { names }: SplitGraphs,
  relationCount: number,
): Map<EvidenceKind, CalibrationTables> {
  const counts = slotCounts(fitted, relationCount);
  const tables = new Map<EvidenceKind, CalibrationTables>();
  for (const kind of config.evidence) {
    const slotCount = tableCount(kind, counts[EVIDENCE_KINDS.indexOf(kind)]);
    // Tables of one role back off to each other; the one of a role backs off to everything.
    const groupOf = kind === 'relation' ? fitted.relation.groupOf : new Uint8Array(slotCount);
    const builder = new CalibrationBuilder({ typeCount: ENTITY_TYPES.length, slotCount, groupOf });
    for (const { gathered, halfOf, isKeptOut } of halved) {
      const { nodes, slots, values } = gatherer.samples(kind, gathered);
      const own = gathered.view.planned.nodes;
      for (let row = 0; row < nodes.length; row++) {
        if (isSampleKeptOut(kind, gathered.view, nodes[row], row, isKeptOut)) continue;
        if (taking(halfOf(nodes[row]))) {
          const slot = tableSlot(kind, slots[row], relationCount + 1);
          builder.add(names.types[own[nodes[row]]], slot, values[row], own[nodes[row]]);
        }
      }
    }
    const { calibration, tail } = config;
    const byType = config.tables === 'type';
    tables.set(kind, builder.build({ kind: calibration, tail, byType, minNodes: MIN_NODES }));
  }
  return tables;
}

/** How evidence varies together, over candidates. */
function learnCovariance(
  halved: readonly HalvedGraph[],
  taking: Taking,
  learned: BenignTables & { gate: number },
  config: DetectionConfig,
  fitted: FittedDetector,
  { relations }: TrainedModel,
): PairCovariance {
  // Fisher asks for no covariance, and compares the same evidence.
  const judge = new Judge({ ...config, fusion: 'fisher' }, learned, relations.length);
  const builder = new CovarianceBuilder(slotCounts(fitted, relations.length));
  for (const { gathered, halfOf, isKeptOut } of halved) {
    const { evidence, candidates, view } = judge.score(screen(gathered, learned.gate));
    for (let v = 0; v < candidates.length; v++) {
      if (!taking(halfOf(v)) || isKeptOut(view, v)) continue;
      builder.add(view.planned.nodes[v], evidence, evidence.offsets[v], evidence.offsets[v + 1]);
    }
  }
  return builder.build();
}

/** Collects benign scores, and what is needed to form the incidents that they would have made. */
class BenignCollector {
  readonly #split: SplitGraphs;
  /** What is kept out can neither raise a threshold above this nor, by its absence, lower it. */
  readonly #cap: number;
  readonly #links: LinkCollector;
  readonly #members = new MemberCollector();
  readonly #spans: number[] = [];
  readonly #instances: number[] = [];

  constructor(split: SplitGraphs, cap: number) {
    this.#split = split;
    this.#cap = Math.fround(cap); // as scores are
    const { table, keys } = split.events;
    this.#links = new LinkCollector(split.names, table, (node) => keys.hostAt(node));
  }

  score(halved: readonly HalvedGraph[], scored: Taking, gate: number, judge: Judge): void {
    const { table, keys } = this.#split.events;
    const place = { table, hostAt: (node: number) => keys.hostAt(node) };
    for (const { gathered, halfOf, isKeptOut } of halved) {
      const { planned, interactions } = gathered.view;
      const taken = planned.nodes.reduce((sum, _, node) => sum + (scored(halfOf(node)) ? 1 : 0), 0);
      if (taken === 0) continue;
      this.#links.add(planned.nodes, interactions);
      const { scores: found, view } = judge.score(screen(gathered, gate));
      const scores = found.map((score, v) => (isKeptOut(view, v) ? Math.min(score, this.#cap) : score));
      const wanted = (node: number) => scored(halfOf(node)) && scores[node] > 0;
      this.#members.add(view, this.#spans.length, { scores }, wanted, place);
      // Part of a graph's nodes make part of its incidents.
      this.#spans.push((spanOf(this.#split.plan, planned.rows) * taken) / planned.nodes.length);
      this.#instances.push(taken);
    }
  }

  finish(inSample: boolean): BenignScores {
    return describeBenign({
      members: this.#members,
      links: this.#links.finish(),
      inSample,
      instances: this.#instances,
      spans: this.#spans,
    });
  }
}
