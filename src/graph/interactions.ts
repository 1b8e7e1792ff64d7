import type { EventTable } from '../store/event-table.js';
import { DIRECTIONS } from './direction.js';
import { deriveEdges } from './edges.js';
import { LatestEdges } from './latest-edges.js';

/**
 * Who did what to whom: the distinct (subject, relation, object) of some events, in the order of their first event.
 * Unlike the graph's edges, which follow the flow of information, these keep who acted.
 */
export interface Interactions {
  readonly length: number;
  readonly subject: Int32Array;
  /** Index into the table's relations. */
  readonly relation: Uint16Array;
  readonly object: Int32Array;
  /** Raw events of each. */
  readonly count: Uint32Array;
  /** Rows of the table: the first and the last event of each. */
  readonly first: Int32Array;
  readonly last: Int32Array;
}

/** Collects them from a table; rows are those of that table. */
export function collectInteractions(table: EventTable): Interactions {
  // `none` leaves every edge as subject → object.
  const { src, dst, relation, event, length } = deriveEdges(table, DIRECTIONS.none);
  const open = new LatestEdges({ src, dst, relation });
  const numberOf = new Int32Array(length);
  const edges = new Int32Array(length); // the first edge of each
  const [last, count] = [new Int32Array(length), new Uint32Array(length)];
  let found = 0;
  for (let edge = 0; edge < length; edge++) {
    const before = open.replace(edge);
    const i = before < 0 ? found++ : numberOf[before];
    numberOf[edge] = i;
    if (before < 0) edges[i] = edge;
    last[i] = event[edge];
    count[i]++;
  }
  const chosen = edges.subarray(0, found);
  return {
    length: found,
    subject: chosen.map((edge) => src[edge]),
    relation: Uint16Array.from(chosen, (edge) => relation[edge]),
    object: chosen.map((edge) => dst[edge]),
    count: count.slice(0, found),
    first: chosen.map((edge) => event[edge]),
    last: last.slice(0, found),
  };
}
