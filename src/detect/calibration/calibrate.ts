import { RecalError } from '../../base/errors.js';
import { yieldToSignals } from '../../base/yield-to-signals.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { TrainedModel } from '../../model/file/trained-model.js';
import { spanOf } from '../../model/training/graph-plan.js';
import { SuspiciousNodeCollector } from '../alerts/activity.js';
import { LinkCollector } from '../alerts/incident-links.js';
import type { DetectionConfig } from '../detection-config.js';
import { calibrateEpisodes, type EpisodeCalibration } from '../episodes/episode-detector.js';
import { EVIDENCE_KINDS, type EvidenceKind } from '../evidence/evidence.js';
import { applyGate, type GatheredGraph, type Gatherer } from '../evidence/gather.js';
import { tableCount, tableSlot } from '../evidence/interaction-evidence.js';
import { stableHashes } from '../evidence/stable-hash.js';
import { behavioursOf, type FittedDetector, surpriseOf } from '../fitted-detector.js';
import { CovarianceBuilder, type PairCovariance } from '../fusion/covariance.js';
import { type BenignTables, Judge } from '../fusion/judge.js';
import type { GraphView } from '../graph-view.js';
import type { SplitGraphs } from '../split-graphs.js';
import { type BenignScores, describeBenign } from '../threshold/benign-scores.js';
import { CalibrationBuilder, type CalibrationTables } from './calibration-tables.js';
import { halvesOf } from './halves.js';
import { isSampleKeptOut, type KeptOut } from './quarantine.js';
import { ScoreScale } from './score-scale.js';
import { thinEntities } from './thin-entities.js';

/** Distinct nodes that a table needs to be used as it is (method §6). */
const MIN_NODES = 30;

/** What calibration adds to a fitted model, so that it can score graphs. */
export interface Calibration extends BenignTables {
  readonly config: DetectionConfig;
  /** θ_c: a distance above it makes a candidate (method §7). NaN without a gate. */
  readonly gate: number;
  readonly benign: BenignScores;
  /** Undefined where single nodes are judged. */
  readonly episodes: EpisodeCalibration | undefined;
  /** Size, time span and hosts of the calibration graphs. */
  readonly graphs: number;
  readonly instances: number;
  readonly firstTs: bigint;
  readonly lastTs: bigint;
  readonly hosts: readonly string[];
}

export interface CalibrateDetectorOptions {
  /** Instances to leave out of tables, gate and covariance. Their scores count, but at most as τ. */
  readonly keepOut?: { readonly tau: number; readonly isKeptOut: KeptOut } | undefined;
  /** The share of entities to calibrate on, for sensitivity analysis. The graphs stay whole. Default: 1. */
  readonly share?: number | undefined;
  /** Called for each graph with the scores of the nodes that the tables were not built from; NaN for the others. */
  readonly scored?: ((view: GraphView, scores: Float64Array) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number) => void) | undefined;
}

/** The half of an instance, or that it is left out. */
type Half = 0 | 1 | typeof LEFT_OUT;
const LEFT_OUT = 2;

/** A calibration graph, and the half of each of its nodes. */
interface HalvedGraph {
  readonly gathered: GatheredGraph;
  readonly halfOf: (node: number) => Half;
  readonly isKeptOut: KeptOut;
}

/** Selects the nodes of one half, or of both. */
type Taking = (half: Half) => boolean;

const A: Taking = (half) => half === 0;
const B: Taking = (half) => half === 1;
const ALL: Taking = (half) => half !== LEFT_OUT;

/** For each fold, the half that tables are built from and the half that they score; and the tables to keep (method §9). */
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

/** Builds tables and benign scores from benign graphs (method §6, §9). */
export async function calibrateDetector(
  model: TrainedModel,
  fitted: FittedDetector,
  split: SplitGraphs,
  gatherer: Gatherer,
  config: DetectionConfig,
  { signal, progress, keepOut, scored: watchScores, share = 1 }: CalibrateDetectorOptions = {},
): Promise<Calibration> {
  const graphs: GatheredGraph[] = [];
  let done = 0;
  for (const view of split.views()) {
    signal?.throwIfAborted();
    if (view.interactions.length > 0) graphs.push(gatherer.gather(view, split.events.keys, undefined));
    progress?.(++done / split.count);
    await yieldToSignals();
  }
  if (graphs.length === 0) {
    throw new RecalError('nothing-to-calibrate', 'none of the calibration events connects two entities', {
      hint: 'select other benign events with --split, --from and --to',
    });
  }
  const isKeptOut = keepOut?.isKeptOut ?? (() => false);
  const { seed } = model.config;
  const halved = halve(graphs, split, seed, isKeptOut, thinEntities(split.events.keys, share, seed));
  const learn = (taking: Taking): BenignTables & { gate: number } => {
    if (countTaken(halved, taking) === 0) throw tooShort();
    const gate = config.gate === 'knn' ? gateOf(halved, taking, config.gateQuantile) : Number.NaN;
    const tables = buildTables(halved, taking, fitted, gatherer, config, split, model.relations.length);
    const learned = { gate, tables, covariance: undefined, scale: undefined };
    if (config.fusion !== 'brown') return learned;
    return { ...learned, covariance: learnCovariance(halved, taking, learned, config, fitted, model) };
  };
  const { folds, kept } = FOLDS[config.halves];
  const benign = new BenignCollector(split, keepOut?.tau ?? Number.POSITIVE_INFINITY, (...found) =>
    observe(...found),
  );
  const turns = folds.map(({ tables, scored }) => ({ scored, learned: learn(tables) }));
  const judgeOf = (learned: BenignTables) => new Judge(config, learned, model.relations.length);
  const scale =
    config.lineage === 'none'
      ? undefined
      : measureScale(
          halved,
          turns.map(({ scored, learned }) => ({ scored, gate: learned.gate, judge: judgeOf(learned) })),
        );
  const highest = config.unit === 'episode' ? new Float64Array(split.events.keys.size) : undefined;
  const observe = (view: GraphView, found: Float64Array) => {
    if (highest !== undefined) keepHighest(highest, view, found, isKeptOut);
    watchScores?.(view, found);
  };
  for (const { scored, learned } of turns) {
    benign.score(halved, scored, learned.gate, judgeOf({ ...learned, scale }));
  }
  const scores = benign.finish(config.halves === 'none');
  if (!(scores.instances > 0) || !(scores.hostDays > 0)) {
    throw tooShort();
  }
  return {
    config,
    ...learn(kept),
    scale,
    benign: scores,
    episodes:
      highest === undefined
        ? undefined
        : calibrateEpisodes(behavioursOf(fitted), await split.named(), highest),
    graphs: graphs.length,
    instances: countTaken(halved, ALL),
    firstTs: split.events.table.ts[0],
    lastTs: split.events.table.ts[split.events.table.length - 1],
    hosts: split.events.hosts,
  };
}

/** Keeps the highest score of each node over graphs. NaN for nodes that look like an attack. */
function keepHighest(highest: Float64Array, view: GraphView, scores: Float64Array, isKeptOut: KeptOut): void {
  view.planned.nodes.forEach((node, v) => {
    if (isKeptOut(view, v)) highest[node] = Number.NaN;
    else if (scores[v] > highest[node]) highest[node] = scores[v];
  });
}

function tooShort(): RecalError {
  return new RecalError('nothing-to-calibrate', 'too few calibration events to set a threshold', {
    hint: 'select a longer benign period with --split, --from and --to',
  });
}

function countTaken(halved: readonly HalvedGraph[], taking: Taking): number {
  return halved.reduce((sum, graph) => sum + takenIn(graph, taking), 0);
}

/** Instances of one graph. */
function takenIn({ gathered, halfOf }: HalvedGraph, taking: Taking): number {
  return gathered.view.planned.nodes.reduce((sum, _, node) => sum + (taking(halfOf(node)) ? 1 : 0), 0);
}

/** Collects the scores that benign nodes get from their own evidence. */
function measureScale(
  halved: readonly HalvedGraph[],
  turns: readonly { scored: Taking; gate: number; judge: Judge }[],
): ScoreScale {
  const found: number[] = [];
  let instances = 0;
  for (const { scored, gate, judge } of turns) {
    for (const { gathered, halfOf } of halved) {
      const { scores } = judge.score(applyGate(gathered, gate));
      for (let v = 0; v < scores.length; v++) {
        if (!scored(halfOf(v))) continue;
        instances++;
        if (scores[v] > 0) found.push(scores[v]);
      }
    }
  }
  return ScoreScale.of(found, instances);
}

/** Assigns each graph to half A or B; a single graph is divided by nodes. */
function halve(
  graphs: readonly GatheredGraph[],
  split: SplitGraphs,
  seed: number,
  isKeptOut: KeptOut,
  isUsed: (node: number) => boolean,
): HalvedGraph[] {
  const halfIn = (gathered: GatheredGraph, half: (node: number) => 0 | 1): HalvedGraph => {
    const { nodes } = gathered.view.planned;
    return { gathered, halfOf: (node) => (isUsed(nodes[node]) ? half(node) : LEFT_OUT), isKeptOut };
  };
  if (graphs.length === 1) {
    const [gathered] = graphs;
    const hashes = stableHashes(split.events.keys, gathered.view.planned.nodes, ~seed);
    return [halfIn(gathered, (node) => (hashes[node] & 1) as 0 | 1)];
  }
  const halves = halvesOf(graphs.map(({ view }) => split.events.keys.hostAt(view.planned.nodes[0])));
  return graphs.map((gathered, g) => halfIn(gathered, () => halves[g]));
}

/** θ_c: the given quantile of the distances. */
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

/** The number of slots of each kind, in the order of EVIDENCE_KINDS. */
function slotCounts({ name }: FittedDetector, relationCount: number): number[] {
  return [Math.max(1, relationCount), name.slotCount, name.slotCount, 1];
}

/** Builds F̂ of each kind. */
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
    // With a table per role and relation, the tables of a role back off to each other.
    const groupOf = kind === 'relation' ? surpriseOf(fitted, kind).groupOf : new Uint8Array(slotCount);
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
    // Surprises are −ln P whatever the relation. How well a relation is reconstructed depends on the relation.
    const comparable = kind !== 'reconstruction';
    tables.set(kind, builder.build({ kind: calibration, tail, byType, minNodes: MIN_NODES, comparable }));
  }
  return tables;
}

/** Estimates how the evidence of candidates varies together. */
function learnCovariance(
  halved: readonly HalvedGraph[],
  taking: Taking,
  learned: BenignTables & { gate: number },
  config: DetectionConfig,
  fitted: FittedDetector,
  { relations }: TrainedModel,
): PairCovariance {
  // Fisher needs no covariance and compares the same evidence.
  const judge = new Judge({ ...config, fusion: 'fisher' }, learned, relations.length);
  const builder = new CovarianceBuilder(slotCounts(fitted, relations.length));
  for (const { gathered, halfOf, isKeptOut } of halved) {
    const { evidence, candidates, view } = judge.score(applyGate(gathered, learned.gate));
    for (let v = 0; v < candidates.length; v++) {
      if (!taking(halfOf(v)) || isKeptOut(view, v)) continue;
      builder.add(view.planned.nodes[v], evidence, evidence.offsets[v], evidence.offsets[v + 1]);
    }
  }
  return builder.build();
}

/** Collects benign scores and the incidents that they would form. */
class BenignCollector {
  readonly #split: SplitGraphs;
  /** The most that a kept-out instance scores: it cannot raise a threshold above this. */
  readonly #cap: number;
  readonly #links: LinkCollector;
  readonly #members = new SuspiciousNodeCollector();
  readonly #spans: number[] = [];
  readonly #instances: number[] = [];
  readonly #watch: CalibrateDetectorOptions['scored'];

  constructor(split: SplitGraphs, cap: number, watch: CalibrateDetectorOptions['scored']) {
    this.#split = split;
    this.#watch = watch;
    this.#cap = Math.fround(cap); // as scores are
    const { table, keys } = split.events;
    this.#links = new LinkCollector(split.names, table, (node) => keys.hostAt(node));
  }

  score(halved: readonly HalvedGraph[], scored: Taking, gate: number, judge: Judge): void {
    const { table, keys } = this.#split.events;
    const place = { table, hostAt: (node: number) => keys.hostAt(node) };
    for (const graph of halved) {
      const { gathered, halfOf, isKeptOut } = graph;
      const { planned, interactions } = gathered.view;
      const taken = takenIn(graph, scored);
      if (taken === 0) continue;
      this.#links.add(planned.nodes, interactions);
      const { scores: found, view } = judge.score(applyGate(gathered, gate));
      const scores = found.map((score, v) => (isKeptOut(view, v) ? Math.min(score, this.#cap) : score));
      this.#watch?.(
        view,
        scores.map((score, node) => (scored(halfOf(node)) ? score : Number.NaN)),
      );
      const wanted = (node: number) => scored(halfOf(node)) && scores[node] > 0;
      this.#members.add(view, this.#spans.length, { scores }, wanted, place);
      // A share of a graph's nodes forms the same share of its incidents.
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
