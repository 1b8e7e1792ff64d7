import type { GraphView } from '../graph-view.js';

/**
 * Kinds of evidence about a node: its reconstruction error (method §4–6), the surprise of its actions on names, the
 * surprise of the relations between names (§11), and its distance from benign embeddings (§7).
 */
export const EVIDENCE_KINDS = ['reconstruction', 'name', 'relation', 'distance'] as const;

export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** The values that calibration tables are built from, one per row. */
export interface EvidenceSamples {
  /** Local nodes of the graph. */
  readonly nodes: Int32Array;
  /** The relation, or the role and the relation. */
  readonly slots: Uint16Array;
  /** The higher, the more suspicious. */
  readonly values: Float64Array;
}

/** Evidence of one kind about the nodes of one graph, one row per (node, slot) in any order. */
export interface EvidenceRows extends EvidenceSamples {
  /** d: a value that is the largest of d has p = 1 − (1 − p)^d (method §11). */
  readonly draws: Uint32Array;
  /** The interaction of the view that gave the value, or -1. */
  readonly sources: Int32Array;
}

/** Evidence from training counts. */
export interface CountedEvidence {
  readonly slotCount: number;
  /** The group that a slot backs off to: its role. */
  readonly groupOf: Uint8Array;
  samples(view: GraphView): EvidenceSamples;
  rows(view: GraphView): EvidenceRows;
  /** Explains the value of an interaction in one sentence without a full stop. */
  explain(view: GraphView, interaction: number): string;
}
