import type { GraphView } from '../graph-view.js';
import type { Lineage } from './lineage.js';

/** All evidence about the nodes of one graph, row by row: those of node v are `offsets[v]` to `offsets[v + 1]`. */
export interface NodeEvidence {
  readonly offsets: Uint32Array;
  /** Index into EVIDENCE_KINDS. */
  readonly kinds: Uint8Array;
  /** The relation; for evidence with roles, role · (|R| + 1) + relation (role 0 is the subject's). */
  readonly slots: Uint16Array;
  /** The error, surprise or distance itself. */
  readonly values: Float64Array;
  /** ln p against benign values, after the correction for `draws`. */
  readonly logP: Float64Array;
  /** n, the benign values that p was taken from: p cannot be below 1 / (n + 1) without a tail model. */
  readonly samples: Uint32Array;
  /** Which table answered: 0 the finest, higher ones were backed off to. */
  readonly levels: Uint8Array;
  /** The share of those benign values that are below it. */
  readonly quantiles: Float64Array;
  /** 1 where p is the tail model's. */
  readonly modelled: Uint8Array;
  /** 1 where the value lies beyond every benign one. */
  readonly beyond: Uint8Array;
  readonly draws: Uint32Array;
  /** The interaction of the view that the value comes from, or -1. */
  readonly sources: Int32Array;
  /** Share of the node's total, 0 to 1. */
  readonly shares: Float64Array;
}

/** One graph, judged. Arrays are by local node unless said otherwise. */
export interface ScoredGraph {
  readonly view: GraphView;
  /** −ln of the fused tail probability: the higher, the stranger; 0 for what the gate lets pass. */
  readonly scores: Float64Array;
  /** What incidents are ordered by (prominence.ts). */
  readonly prominence: Float64Array;
  /** Mean distance to benign neighbours; NaN where it was not computed exactly. */
  readonly distances: Float64Array;
  /** 1 where the gate did not let it pass as harmless. */
  readonly candidates: Uint8Array;
  /** 1 where it touches a relation that training never met (method §1). */
  readonly newRelation: Uint8Array;
  readonly evidence: NodeEvidence;
  /** What was passed on by those that acted on it, which `scores` holds already; undefined where nothing is passed on. */
  readonly lineage: Lineage | undefined;
}
