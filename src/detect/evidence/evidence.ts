import type { GraphView } from '../graph-view.js';

/**
 * Kinds of evidence about a node: how badly it is reconstructed (method §4–6), how surprising the names it deals with
 * are, how surprising what it does to them is (§11), how far it lies from benign embeddings (§7).
 */
export const EVIDENCE_KINDS = ['reconstruction', 'name', 'relation', 'distance'] as const;

export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** What calibration tables are made of: one benign value a row. */
export interface EvidenceSamples {
  /** Local nodes of the graph. */
  readonly nodes: Int32Array;
  /** The relation, or the role and the relation: what a table is kept for. */
  readonly slots: Uint16Array;
  /** The higher, the stranger. */
  readonly values: Float64Array;
}

/** Evidence of one kind about the nodes of one graph: one row a (node, slot), nodes ascending within a slot or not. */
export interface EvidenceRows extends EvidenceSamples {
  /** d: a value that is the largest of d ones counts as p = 1 − (1 − p)^d (method §11). All 1 where each is its own. */
  readonly draws: Uint32Array;
  /** The interaction of the view that the value comes from, or -1. */
  readonly sources: Int32Array;
}

/** A source of evidence that is made of counts: learned from training graphs, asked about others. */
export interface CountedEvidence {
  readonly kind: EvidenceKind;
  /** Slots are below this. */
  readonly slotCount: number;
  /** Which group a slot backs off to: its role. */
  readonly groupOf: Uint8Array;
  samples(view: GraphView): EvidenceSamples;
  rows(view: GraphView): EvidenceRows;
  /** For people: why the value of this interaction is what it is. */
  explain(view: GraphView, interaction: number): string;
}
