import { yieldToSignals } from '../../base/yield-to-signals.js';
import { NEW_RELATION } from '../../features/feature-space.js';
import { spanOf } from '../../model/training/graph-plan.js';
import type { EventTable } from '../../store/event-table.js';
import { momentOf } from '../alerts/moment.js';
import type { CalibrationTables } from '../calibration/calibration-tables.js';
import { isSampleKeptOut, QuarantineBuilder } from '../calibration/quarantine.js';
import type { Detector } from '../detector.js';
import { EVIDENCE_KINDS, type EvidenceKind, type EvidenceSamples } from '../evidence/evidence.js';
import { ROLES, tableSlot } from '../evidence/interaction-evidence.js';
import { surpriseOf } from '../fitted-detector.js';
import type { ScoredGraph } from '../fusion/scored-graph.js';
import type { SplitGraphs } from '../split-graphs.js';
import {
  chooseThreshold,
  formatThreshold,
  parseThreshold,
  type ThresholdSpec,
} from '../threshold/threshold.js';
import type { DriftFindings, DriftRow } from './drift-report.js';
import { ScoreMartingale } from './martingale.js';
import { type Novelty, NoveltyCollector } from './novelty.js';
import { judgeMoves, MoveCollector, type MoveVerdict } from './relation-drift.js';
import { type Advice, adviseOn } from './verdict.js';

const DAY = 86_400_000_000_000;

export interface DriftOptions {
  /** The level of the false discovery rate over relations and of the martingale. */
  readonly level?: number | undefined;
  /** Instances that score at least this rule's τ are kept out. */
  readonly keepOut?: Extract<ThresholdSpec, { kind: 'budget' | 'fpr' }> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number) => void) | undefined;
}

/** What changed, and what to do about it. */
export type DriftReport = Advice & DriftFindings;

const VERDICTS: readonly MoveVerdict[] = ['more-unusual', 'less-unusual', 'shifted', 'steady', 'too-few'];

type CalibratedDetector = Pick<Detector, 'calibration' | 'fitted' | 'model' | 'score'>;

/** Compares recent, presumably benign graphs with the tables of a model (method §6, §9). */
export async function measureDrift(
  detector: CalibratedDetector,
  graphs: SplitGraphs,
  options: DriftOptions = {},
): Promise<DriftReport> {
  const { level = 0.01, keepOut = parseThreshold('budget:5/day') as never, signal, progress } = options;
  if (!(level > 0 && level < 1)) throw new RangeError(`the level ${level} is not between 0 and 1`);
  const { benign, tables } = detector.calibration;
  const { tau, alarmsPerDay } = chooseThreshold(keepOut, benign);
  const collector = new DriftCollector(detector, tables, graphs.events.table, graphs);
  const quarantine = new QuarantineBuilder(tau);
  const martingale = new ScoreMartingale(benign, level);
  let [done, span] = [0, 0];
  for (const scored of detector.score(graphs)) {
    signal?.throwIfAborted();
    const { planned } = scored.view;
    const marks = quarantine.add(scored);
    collector.add(scored, marks);
    martingale.add(
      scored.scores.filter((_, v) => marks[v] === 0),
      planned.firstTs,
    );
    span += spanOf(graphs.plan, planned.rows);
    done++;
    progress?.(done / graphs.count);
    await yieldToSignals();
  }
  const { counts } = quarantine.finish();
  const { instances, ...kept } = counts;
  const hostDays = span / DAY;
  const { reachedTs, sinceTs, ...change } = martingale.finish();
  const rows = collector.rows(level);
  const compared = rows.filter(({ verdict }) => verdict !== 'too-few').length;
  const found: DriftFindings = {
    level,
    leftOut: collector.leftOut,
    rows,
    novelty: collector.novelty(),
    counts: {
      graphs: done,
      instances,
      hostDays,
      compared,
      tooFew: rows.length - compared,
      withoutTable: collector.withoutTable,
    },
    quarantine: { rule: formatThreshold(keepOut), tau, ...kept, expected: alarmsPerDay * hostDays },
    change: {
      ...change,
      reached: reachedTs === null ? null : momentOf(reachedTs),
      since: sinceTs === null ? null : momentOf(sinceTs),
    },
  };
  return { ...adviseOn(found), ...found };
}

/** Collects the values of all kinds of evidence that can be compared. */
class DriftCollector {
  readonly leftOut: { kind: EvidenceKind; why: string }[] = [];
  readonly #detector: CalibratedDetector;
  readonly #relations: readonly string[];
  readonly #kinds = new Map<EvidenceKind, MoveCollector>();
  readonly #novelty: NoveltyCollector;

  constructor(
    detector: CalibratedDetector,
    tables: ReadonlyMap<EvidenceKind, CalibrationTables>,
    table: EventTable,
    { names }: SplitGraphs,
  ) {
    this.#detector = detector;
    this.#relations = detector.model.relations.map(({ name }) => name);
    this.#novelty = new NoveltyCollector(names, detector.fitted.levels, table, this.#relations.length);
    const isGated = !Number.isNaN(detector.calibration.gate);
    for (const [kind, of] of tables) {
      // The tables hold values of all instances, but a gate leaves evidence about some only.
      if (isGated && !isCounted(kind)) {
        this.leftOut.push({ kind, why: 'the gate screens out nodes near benign embeddings' });
      } else {
        this.#kinds.set(kind, new MoveCollector(of));
      }
    }
  }

  add(scored: ScoredGraph, marks: Uint8Array): void {
    const { view } = scored;
    const { planned, names } = view;
    const isKeptOut = (_: unknown, node: number) => marks[node] !== 0;
    for (const [kind, moves] of this.#kinds) {
      const { nodes, slots, values } = this.#samples(kind, scored);
      for (let row = 0; row < nodes.length; row++) {
        if (isSampleKeptOut(kind, view, nodes[row], row, isKeptOut)) continue;
        const node = planned.nodes[nodes[row]];
        const slot = tableSlot(kind, slots[row], this.#relations.length + 1);
        moves.add(names.types[node], slot, node, values[row]);
      }
    }
    this.#novelty.add(view, (node) => marks[node] === 0);
  }

  get withoutTable(): number {
    return [...this.#kinds.values()].reduce((sum, moves) => sum + moves.withoutTable, 0);
  }

  novelty(): Novelty {
    return this.#novelty.finish();
  }

  rows(level: number): DriftRow[] {
    const found = [...this.#kinds].flatMap(([kind, moves]) =>
      moves.finish().map((move) => ({ move: { ...move, kind }, enough: moves.isEnough(move) })),
    );
    return judgeMoves(found, level)
      .map(({ move: { slot, kind, ...move }, rate, verdict }) => ({
        kind,
        ...this.#describe(kind, slot),
        ...move,
        rate,
        verdict,
      }))
      .sort(
        (a, b) =>
          VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) ||
          b.distance - a.distance ||
          EVIDENCE_KINDS.indexOf(a.kind) - EVIDENCE_KINDS.indexOf(b.kind),
      );
  }

  /** The values of a kind, as calibration collects them. */
  #samples(kind: EvidenceKind, scored: ScoredGraph): EvidenceSamples {
    if (isCounted(kind)) return surpriseOf(this.#detector.fitted, kind).samples(scored.view);
    const { offsets, kinds, slots, values } = scored.evidence;
    const wanted = EVIDENCE_KINDS.indexOf(kind);
    const rows = Uint32Array.from(kinds, (_, row) => row).filter((row) => kinds[row] === wanted);
    const nodes = new Int32Array(rows.length);
    for (let i = 0, node = 0; i < rows.length; i++) {
      while (offsets[node + 1] <= rows[i]) node++;
      nodes[i] = node;
    }
    return {
      nodes,
      slots: Uint16Array.from(rows, (row) => slots[row]),
      values: Float64Array.from(rows, (row) => values[row]),
    };
  }

  #describe(kind: EvidenceKind, slot: number): Pick<DriftRow, 'role' | 'relation'> {
    if (kind === 'distance') return { role: null, relation: null };
    if (kind === 'name') return { role: ROLES[slot], relation: null };
    const side = this.#relations.length + 1;
    const relation = this.#relations[slot % side] ?? NEW_RELATION;
    return { role: kind === 'reconstruction' ? null : ROLES[Math.floor(slot / side)], relation };
  }
}

function isCounted(kind: EvidenceKind): boolean {
  return kind === 'name' || kind === 'relation';
}
