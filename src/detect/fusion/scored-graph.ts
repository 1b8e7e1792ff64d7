import type { GraphView } from '../graph-view.js';
import type { Lineage } from './lineage.js';

/** All evidence about the nodes of one graph. Node v has the rows `offsets[v]` to `offsets[v + 1]`. */
export interface NodeEvidence {
  readonly offsets: Uint32Array;
  /** Index into EVIDENCE_KINDS. */
  readonly kinds: Uint8Array;
  /** The relation; for evidence with roles, role · (|R| + 1) + relation (role 0 is the subject). */
  readonly slots: Uint16Array;
  /** The error, surprise or distance itself. */
  readonly values: Float64Array;
  /** ln p against benign values, corrected for `draws`. */
  readonly logP: Float64Array;
  /** n, the number of benign values behind p: p cannot be below 1 / (n + 1) without a tail model. */
  readonly samples: Uint32Array;
  /** The level of the table: 0 is the finest. */
  readonly levels: Uint8Array;
  /** The share of those benign values below this value. */
  readonly quantiles: Float64Array;
  /** 1 if p comes from the tail model. */
  readonly modelled: Uint8Array;
  /** 1 if the value is above every benign one. */
  readonly beyond: Uint8Array;
  readonly draws: Uint32Array;
  /** The interaction of the view that gave the value, or -1. */
  readonly sources: Int32Array;
  /** The share in the node's score, 0 to 1. */
  readonly shares: Float64Array;
}

/** A scored graph. Arrays are by local node. */
export interface ScoredGraph {
  readonly view: GraphView;
  /** −ln of the fused tail probability: the higher, the more suspicious; 0 for nodes that the gate rejects. */
  readonly scores: Float64Array;
  /** The order of incidents (prominence.ts). */
  readonly prominence: Float64Array;
  /** The mean distance to benign neighbours; NaN if it was not computed exactly. */
  readonly distances: Float64Array;
  /** 1 for nodes that pass the gate. */
  readonly candidates: Uint8Array;
  /** 1 for nodes of a relation that training never saw (method §1). */
  readonly newRelation: Uint8Array;
  readonly evidence: NodeEvidence;
  /** What nodes inherited, which `scores` already includes; undefined without lineage. */
  readonly lineage: Lineage | undefined;
}
