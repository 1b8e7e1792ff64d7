/**
 * Events as columns, sorted by o = (time, sequence) (method §1), with endpoints interned to dense node numbers.
 * This is what the store hands out and what every graph is built from.
 */
export interface EventTable {
  readonly length: number;
  /** Nanoseconds since the epoch. */
  readonly ts: BigInt64Array;
  readonly seq: BigInt64Array;
  /** Node number, or -1 where the log names none. */
  readonly subject: Int32Array;
  readonly object: Int32Array;
  readonly object2: Int32Array;
  /** Index into `relations`. */
  readonly relation: Uint16Array;
  /** What the log itself says of the direction: see FLOW_* in ingest/flow.ts. */
  readonly flow: Uint8Array;
  /** The log's own relation names. */
  readonly relations: readonly string[];
  readonly nodeCount: number;
}
