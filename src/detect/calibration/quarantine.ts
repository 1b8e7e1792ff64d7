import type { EvidenceKind } from '../evidence/evidence.js';
import type { Lineage } from '../fusion/lineage.js';
import type { ScoredGraph } from '../fusion/scored-graph.js';
import type { GraphView } from '../graph-view.js';

/**
 * Instances that calibration must not learn from: those that score at least τ, and those that inherited their suspicion.
 * Otherwise an attack during calibration would become normal behaviour.
 */
export interface Quarantine {
  /** Instances that score at least this are kept out. */
  readonly tau: number;
  readonly counts: {
    /** All (node, graph) instances. */
    readonly instances: number;
    /** Instances kept out for their own score. */
    readonly high: number;
    /** Instances kept out because they inherited from another one. */
    readonly inherited: number;
    /** Distinct nodes of kept-out instances. */
    readonly nodes: number;
    /** Graphs with kept-out instances. */
    readonly graphs: number;
  };
  /** Takes any view of the same selection of events. */
  isKeptOut(view: GraphView, node: number): boolean;
}

/** Whether the instance of a local node is kept out. */
export type KeptOut = Quarantine['isKeptOut'];

const HIGH = 1;
const INHERITED = 2;

/** Marks the kept-out instances of one graph after another. */
export class QuarantineBuilder {
  readonly tau: number;
  /** By the first row of a graph's events, which is unique. */
  readonly #marks = new Map<number, Uint8Array>();
  readonly #nodes = new Set<number>();
  readonly #counts = { instances: 0, high: 0, inherited: 0 };

  constructor(tau: number) {
    if (!(tau >= 0)) throw new RangeError(`the score ${tau} is not a threshold`);
    this.tau = tau;
  }

  /** Returns the marks by local node: 0 for an instance that calibration may use. */
  add({ scores, lineage, view }: Pick<ScoredGraph, 'scores' | 'lineage' | 'view'>): Uint8Array {
    const marks = Uint8Array.from(scores, (score) => (score >= this.tau && score > 0 ? HIGH : 0));
    if (lineage !== undefined) markHeirs(marks, lineage);
    this.#counts.instances += marks.length;
    for (let v = 0; v < marks.length; v++) {
      if (marks[v] === 0) continue;
      this.#counts[marks[v] === HIGH ? 'high' : 'inherited']++;
      this.#nodes.add(view.planned.nodes[v]);
      this.#marks.set(view.planned.rows[0], marks);
    }
    return marks;
  }

  finish(): Quarantine {
    const marks = this.#marks;
    return {
      tau: this.tau,
      counts: { ...this.#counts, nodes: this.#nodes.size, graphs: marks.size },
      isKeptOut: ({ planned }, node) => (marks.get(planned.rows[0])?.[node] ?? 0) !== 0,
    };
  }
}

/** Finds the instances of these graphs that calibration must leave out. */
export function quarantine(graphs: Iterable<ScoredGraph>, tau: number): Quarantine {
  const builder = new QuarantineBuilder(tau);
  for (const graph of graphs) builder.add(graph);
  return builder.finish();
}

/** Marks what inherited from a marked node, directly or through others. */
function markHeirs(marks: Uint8Array, { inherited, from }: Lineage): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (let v = 0; v < marks.length; v++) {
      if (marks[v] !== 0 || from[v] < 0 || !(inherited[v] > 0) || marks[from[v]] === 0) continue;
      marks[v] = INHERITED;
      changed = true;
    }
  }
}

/**
 * Whether a sample is kept out. A sample of surprise is about an interaction and belongs to both of its nodes, so it is
 * kept out if either node is. `row` is a row of the kind's samples.
 */
export function isSampleKeptOut(
  kind: EvidenceKind,
  view: GraphView,
  node: number,
  row: number,
  isKeptOut: KeptOut,
): boolean {
  if (kind !== 'name' && kind !== 'relation') return isKeptOut(view, node);
  const { length, subject, object } = view.interactions;
  return isKeptOut(view, subject[row % length]) || isKeptOut(view, object[row % length]);
}
