import type { EvidenceKind } from '../evidence/evidence.js';
import type { Lineage } from '../fusion/lineage.js';
import type { ScoredGraph } from '../fusion/scored-graph.js';
import type { GraphView } from '../graph-view.js';

/**
 * Instances that are not to be learned from: those that score at least τ, and what inherited their suspicion. An attack
 * in the time that a model adapts to would otherwise become its idea of normal.
 */
export interface Quarantine {
  /** What scores at least this is kept out. */
  readonly tau: number;
  readonly counts: {
    /** (node, graph) instances looked at. */
    readonly instances: number;
    /** Kept out by their own score. */
    readonly high: number;
    /** Kept out because they inherited from one that is. */
    readonly inherited: number;
    /** Distinct nodes among both. */
    readonly nodes: number;
    /** Graphs that have any. */
    readonly graphs: number;
  };
  /** Of the same selection of events; the view may be made anew. */
  isKeptOut(view: GraphView, node: number): boolean;
}

/** By local node: whether an instance is kept out. */
export type KeptOut = Quarantine['isKeptOut'];

const HIGH = 1;
const INHERITED = 2;

/** Marks graph after graph. */
export class QuarantineBuilder {
  readonly tau: number;
  /** By the first row of the graph's events, which no other graph has. */
  readonly #marks = new Map<number, Uint8Array>();
  readonly #nodes = new Set<number>();
  readonly #counts = { instances: 0, high: 0, inherited: 0 };

  constructor(tau: number) {
    if (!(tau >= 0)) throw new RangeError(`a quarantine from a score of ${tau} on`);
    this.tau = tau;
  }

  /** Marks of the graph by local node: 0 where an instance may be learned from. */
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

/** Which instances to leave out when a model adapts to these graphs. */
export function quarantine(graphs: Iterable<ScoredGraph>, tau: number): Quarantine {
  const builder = new QuarantineBuilder(tau);
  for (const graph of graphs) builder.add(graph);
  return builder.finish();
}

/** Suspicion may have come over several hands. */
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
 * Whether a sample may be learned from. One of surprise is about an interaction, and stands at both of its ends: what a
 * kept-out process did to a library must not enter by the library's door either. `row` is that of the kind's samples.
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
