import { RecalError } from '../base/errors.js';
import { ENTITY_TYPES } from '../ingest/event.js';
import type { TrainedModel } from '../model/trained-model.js';
import { MemberCollector } from './activity.js';
import { type BenignScores, describeBenign } from './benign-scores.js';
import { CalibrationBuilder, type CalibrationTables } from './calibration-tables.js';
import { CovarianceBuilder, type PairCovariance } from './covariance.js';
import type { DetectionConfig } from './detection-config.js';
import { EVIDENCE_KINDS, type EvidenceKind } from './evidence.js';
import type { FittedDetector } from './fitted-detector.js';
import type { GatheredGraph, Gatherer } from './gather.js';
import { LinkCollector } from './incident-links.js';
import { type BenignTables, Judge } from './judge.js';
import type { ScoredGraph } from './scored-graph.js';
import type { SplitGraphs } from './split-graphs.js';
import { stableHashes } from './stable-hash.js';

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
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number) => void) | undefined;
}

/** A graph of the calibration part, and which of its nodes are in half A (1) or B (0). */
interface HalvedGraph {
  readonly gathered: GatheredGraph;
  /** Undefined where the whole graph is in one half. */
  readonly isA: (node: number) => boolean;
  readonly isB: (node: number) => boolean;
}

/** Measures benign graphs and keeps what they say (method §6, §9). */
export async function calibrateDetector(
  model: TrainedModel,
  fitted: FittedDetector,
  split: SplitGraphs,
  gatherer: Gatherer,
  config: DetectionConfig,
  { signal, progress }: CalibrateOptions = {},
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
  const halved = halve(graphs, split, config, model.config.seed);
  const gate = config.gate === 'knn' ? gateOf(halved, config.gateQuantile) : Number.NaN;
  const relationCount = model.relations.length;
  const tables = buildTables(halved, fitted, gatherer, config, split, relationCount);
  const screened = halved.map((half) => ({ ...half, gathered: screen(half.gathered, gate) }));
  const covariance =
    config.fusion === 'brown'
      ? learnCovariance(screened, config, tables, slotCounts(fitted, relationCount))
      : undefined;
  const judge = new Judge(config, { tables, covariance }, relationCount);
  return {
    ...{ config, gate, tables, covariance },
    benign: scoreBenign(screened, judge, split, config),
    graphs: graphs.length,
    instances: graphs.reduce((sum, { candidates }) => sum + candidates.length, 0),
    firstTs: split.events.table.ts[0],
    lastTs: split.events.table.ts[split.events.table.length - 1],
    hosts: split.events.hosts,
  };
}

/** Graphs go to A and B in turn; a lone graph is divided by its nodes. Without halves all are both. */
function halve(
  graphs: readonly GatheredGraph[],
  split: SplitGraphs,
  { halves }: DetectionConfig,
  seed: number,
): HalvedGraph[] {
  const [always, never] = [() => true, () => false];
  if (!halves) return graphs.map((gathered) => ({ gathered, isA: always, isB: always }));
  if (graphs.length === 1) {
    const [gathered] = graphs;
    const hashes = stableHashes(split.events.keys, gathered.view.planned.nodes, ~seed);
    const isA = (node: number) => (hashes[node] & 1) === 0;
    return [{ gathered, isA, isB: (node) => !isA(node) }];
  }
  return graphs.map((gathered, g) => ({
    ...{ gathered, isA: g % 2 === 0 ? always : never, isB: g % 2 === 0 ? never : always },
  }));
}

/** θ_c: the order statistic of half A's distances. */
function gateOf(halved: readonly HalvedGraph[], quantile: number): number {
  const all: number[] = [];
  for (const { gathered, isA } of halved) {
    gathered.distances.forEach((distance, node) => {
      if (isA(node)) all.push(distance);
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

/** F̂ of each kind, from half A. */
function buildTables(
  halved: readonly HalvedGraph[],
  fitted: FittedDetector,
  gatherer: Gatherer,
  config: DetectionConfig,
  { names }: SplitGraphs,
  relationCount: number,
): Map<EvidenceKind, CalibrationTables> {
  const counts = slotCounts(fitted, relationCount);
  const tables = new Map<EvidenceKind, CalibrationTables>();
  for (const kind of config.evidence) {
    const slotCount = counts[EVIDENCE_KINDS.indexOf(kind)];
    const groupOf = kind === 'name' || kind === 'relation' ? fitted[kind].groupOf : new Uint8Array(slotCount);
    const builder = new CalibrationBuilder({ typeCount: ENTITY_TYPES.length, slotCount, groupOf });
    for (const { gathered, isA } of halved) {
      const { nodes, slots, values } = gatherer.samples(kind, gathered);
      const own = gathered.view.planned.nodes;
      for (let row = 0; row < nodes.length; row++) {
        if (isA(nodes[row])) {
          builder.add(names.types[own[nodes[row]]], slots[row], values[row], own[nodes[row]]);
        }
      }
    }
    const { calibration, tail } = config;
    const byType = config.tables === 'type';
    tables.set(kind, builder.build({ kind: calibration, tail, byType, minNodes: MIN_NODES }));
  }
  return tables;
}

/** How evidence varies together, over the candidates of half A. */
function learnCovariance(
  halved: readonly HalvedGraph[],
  config: DetectionConfig,
  tables: Map<EvidenceKind, CalibrationTables>,
  counts: number[],
): PairCovariance {
  // Fisher asks for no covariance, and compares the same evidence.
  const judge = new Judge({ ...config, fusion: 'fisher' }, { tables, covariance: undefined }, counts[0]);
  const builder = new CovarianceBuilder(counts);
  for (const { gathered, isA } of halved) {
    const { evidence, candidates, view } = judge.score(gathered);
    for (let v = 0; v < candidates.length; v++) {
      if (isA(v)) builder.add(view.planned.nodes[v], evidence, evidence.offsets[v], evidence.offsets[v + 1]);
    }
  }
  return builder.build();
}

/** The scores of half B, and the incidents that they would have made. */
function scoreBenign(
  halved: readonly HalvedGraph[],
  judge: Judge,
  { events, names }: SplitGraphs,
  { halves }: DetectionConfig,
): BenignScores {
  const links = new LinkCollector(names, events.table);
  const members = new MemberCollector();
  const place = { table: events.table, hostAt: (node: number) => events.keys.hostAt(node) };
  const spans: number[] = [];
  const instances: number[] = [];
  for (const { gathered, isB } of halved) {
    const { planned, interactions } = gathered.view;
    links.add(planned.nodes, interactions);
    const inB = planned.nodes.reduce((sum, _, node) => sum + (isB(node) ? 1 : 0), 0);
    if (inB === 0) continue;
    const scored: ScoredGraph = judge.score(gathered);
    members.add(
      scored.view,
      spans.length,
      scored.scores,
      (node) => isB(node) && scored.scores[node] > 0,
      place,
    );
    // Part of a graph's nodes make part of its incidents.
    spans.push((Number(planned.lastTs - planned.firstTs) * inB) / planned.nodes.length);
    instances.push(inB);
  }
  return describeBenign({ members, links: links.finish(), instances, spans, inSample: !halves });
}
