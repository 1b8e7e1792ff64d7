/**
 * Events as columns, sorted by o = (time, sequence) (method §1). Entities are numbered 0..nodeCount-1. Every graph is
 * built from an event table.
 */
export interface EventTable {
  readonly length: number;
  /** Nanoseconds since the epoch. */
  readonly ts: BigInt64Array;
  readonly seq: BigInt64Array;
  /** Node number, or -1 if the event has no subject; likewise for the objects. */
  readonly subject: Int32Array;
  readonly object: Int32Array;
  readonly object2: Int32Array;
  /** Index into `relations`. */
  readonly relation: Uint16Array;
  /** The direction that the log gives for this event: FLOW_* in ingest/flow.ts. */
  readonly flow: Uint8Array;
  /** Index into ACTIONS: what the event does, in the vocabulary of all formats. */
  readonly action: Uint8Array;
  /** 1 if the reader stated the action, 0 if it follows from the name of the relation. */
  readonly stated: Uint8Array;
  /** The log's own relation names, or those of the common vocabulary: see graph/relation-vocabulary.ts. */
  readonly relations: readonly string[];
  readonly nodeCount: number;
}
