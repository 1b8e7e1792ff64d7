import { Stopwatch } from '../../base/stopwatch.js';
import {
  type CalibratedValue,
  type CalibrationTables,
  emptyCalibratedValue,
} from '../calibration/calibration-tables.js';
import { chiSquareLogSurvival, logSmallestOf } from '../calibration/log-survival.js';
import type { ScoreScale } from '../calibration/score-scale.js';
import type { DetectionConfig } from '../detection-config.js';
import { EVIDENCE_KINDS, type EvidenceKind, type EvidenceRows } from '../evidence/evidence.js';
import type { GatheredGraph } from '../evidence/gather.js';
import { tableSlot } from '../evidence/interaction-evidence.js';
import type { PairCovariance } from './covariance.js';
import { createFusion, type Fuse, fuseMax } from './fusion.js';
import { joinLineage, traceLineage } from './lineage.js';
import { measureProminence } from './prominence.js';
import type { NodeEvidence, ScoredGraph } from './scored-graph.js';

/** What calibration learned about each kind of evidence. */
export interface BenignTables {
  readonly tables: ReadonlyMap<EvidenceKind, CalibrationTables>;
  /** Only for the fusion `brown`. */
  readonly covariance: PairCovariance | undefined;
  /** The scale of own scores; only with lineage. */
  readonly scale: ScoreScale | undefined;
}

/** Compares gathered evidence with benign values and fuses it into one score per node (method §6, §8). */
export class Judge {
  readonly #config: Pick<DetectionConfig, 'combine' | 'evidence' | 'lineagePrice'>;
  readonly #scale: ScoreScale | undefined;
  readonly #tables: BenignTables['tables'];
  readonly #fuse: Fuse;
  readonly #relationCount: number;
  readonly #watch: Stopwatch;

  /** `relationCount` is |R|, which is also the number of the relation `<new>`. */
  constructor(
    config: Pick<DetectionConfig, 'fusion' | 'combine' | 'evidence' | 'lineagePrice'>,
    { tables, covariance, scale }: BenignTables,
    relationCount: number,
    watch = new Stopwatch(),
  ) {
    this.#watch = watch;
    this.#config = config;
    this.#tables = tables;
    this.#scale = scale;
    this.#fuse = createFusion(config.fusion, covariance);
    this.#relationCount = relationCount;
  }

  score(gathered: GatheredGraph): ScoredGraph {
    const { view, distances, candidates } = gathered;
    const evidence = this.#watch.measure('compare', () => this.#compare(gathered));
    const scores = this.#watch.measure('fuse', () => this.#fuseAll(evidence, candidates.length));
    const lineage = this.#watch.measure('lineage', () => this.#trace(view, scores));
    for (let v = 0; v < scores.length; v++) {
      const score = lineage === undefined ? scores[v] : joinLineage(lineage.own[v], lineage.inherited[v]);
      // A model file stores benign scores as float32, and equal scores must stay equal.
      scores[v] = Math.fround(score);
    }
    const prominence = this.#config.evidence.includes('name')
      ? measureProminence(evidence, lineage?.own ?? scores)
      : scores.slice();
    const { newRelation } = view;
    return { view, scores, prominence, distances, candidates, evidence, lineage, newRelation };
  }

  /** The evidence of the candidates by node, with its tail probabilities. */
  #compare({ view, rows, candidates }: GatheredGraph): NodeEvidence {
    const kinds = this.#config.evidence.map((kind) => [kind, rows.get(kind) as EvidenceRows] as const);
    const offsets = new Uint32Array(candidates.length + 1);
    for (const [, { nodes }] of kinds) {
      for (const node of nodes) if (candidates[node] === 1) offsets[node + 1]++;
    }
    for (let v = 0; v < candidates.length; v++) offsets[v + 1] += offsets[v];
    const evidence = emptyEvidence(offsets);
    const next = offsets.slice();
    const answer: CalibratedValue = emptyCalibratedValue();
    const { planned, names } = view;
    for (const [kind, { nodes, slots, values, draws, sources }] of kinds) {
      const tables = this.#tables.get(kind) as CalibrationTables;
      for (let row = 0; row < nodes.length; row++) {
        const node = nodes[row];
        if (candidates[node] === 0) continue;
        const slot = tableSlot(kind, slots[row], this.#relationCount + 1);
        tables.lookup(names.types[planned.nodes[node]], slot, values[row], answer);
        const at = next[node]++;
        evidence.kinds[at] = EVIDENCE_KINDS.indexOf(kind);
        evidence.slots[at] = slots[row];
        evidence.values[at] = values[row];
        evidence.logP[at] = draws[row] > 1 ? logSmallestOf(answer.logP, draws[row]) : answer.logP;
        evidence.samples[at] = answer.n;
        evidence.levels[at] = answer.level;
        evidence.quantiles[at] = answer.quantile;
        evidence.modelled[at] = answer.modelled ? 1 : 0;
        evidence.beyond[at] = answer.floor ? 1 : 0;
        evidence.draws[at] = draws[row];
        evidence.sources[at] = sources[row];
      }
    }
    return evidence;
  }

  #fuseAll(evidence: NodeEvidence, nodeCount: number): Float64Array {
    const scores = new Float64Array(nodeCount);
    for (let v = 0; v < nodeCount; v++) {
      const [from, to] = [evidence.offsets[v], evidence.offsets[v + 1]];
      if (to > from) scores[v] = this.#fuseNode(evidence, from, to);
    }
    return scores;
  }

  #trace(view: GatheredGraph['view'], scores: Float64Array): ScoredGraph['lineage'] {
    const scale = this.#scale;
    if (scale === undefined) return undefined;
    const own = scores.map((score) => scale.measure(score));
    return traceLineage(view, own, this.#config.lineagePrice);
  }

  #fuseNode(evidence: NodeEvidence, from: number, to: number): number {
    if (this.#config.combine === 'pooled') return this.#fuse(evidence, from, to, evidence.shares);
    // The rows of a node are ordered by kind. Each kind is fused by itself, and the results are fused as independent.
    const { kinds, shares } = evidence;
    const fused: [start: number, end: number, score: number][] = [];
    let total = 0;
    for (let start = from; start < to; ) {
      let end = start + 1;
      while (end < to && kinds[end] === kinds[start]) end++;
      const score = this.#fuseKind(evidence, start, end);
      fused.push([start, end, score]);
      total += score;
      start = end;
    }
    for (const [start, end, score] of fused) {
      for (let i = start; i < end; i++) shares[i] *= total > 0 ? score / total : 0;
    }
    return fused.length === 1 ? total : -chiSquareLogSurvival(2 * total, fused.length) + 0;
  }

  /**
   * The surprises of a node usually have one cause: an unknown program is surprising under every relation. So only the
   * most surprising row counts, corrected for the number of rows.
   */
  #fuseKind(evidence: NodeEvidence, start: number, end: number): number {
    const kind = EVIDENCE_KINDS[evidence.kinds[start]];
    if (kind !== 'name' && kind !== 'relation') return this.#fuse(evidence, start, end, evidence.shares);
    const smallest = -fuseMax(evidence, start, end, evidence.shares);
    return -logSmallestOf(smallest, end - start);
  }
}

function emptyEvidence(offsets: Uint32Array): NodeEvidence {
  const length = offsets[offsets.length - 1];
  return {
    offsets,
    kinds: new Uint8Array(length),
    slots: new Uint16Array(length),
    values: new Float64Array(length),
    logP: new Float64Array(length),
    samples: new Uint32Array(length),
    levels: new Uint8Array(length),
    quantiles: new Float64Array(length),
    modelled: new Uint8Array(length),
    beyond: new Uint8Array(length),
    draws: new Uint32Array(length),
    sources: new Int32Array(length),
    shares: new Float64Array(length),
  };
}
