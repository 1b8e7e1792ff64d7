import type { EventTable } from '../store/event-table.js';
import { DIRECTIONS } from './direction.js';
import { deriveEdges } from './edges.js';
import { LatestEdges } from './latest-edges.js';

/**
 * The distinct (subject, relation, object) of events, in the order of their first event. Unlike the edges of a graph,
 * which follow the flow of information, they keep which entity acted.
 */
export interface Interactions {
  readonly length: number;
  readonly subject: Int32Array;
  /** Index into the table's relations. */
  readonly relation: Uint16Array;
  readonly object: Int32Array;
  /** Number of raw events. */
  readonly count: Uint32Array;
  /** Table rows of the first and the last event. */
  readonly first: Int32Array;
  readonly last: Int32Array;
}

export function collectInteractions(table: EventTable): Interactions {
  // `none` makes every edge subject → object.
  const { src, dst, relation, event, length } = deriveEdges(table, DIRECTIONS.none);
  const latest = new LatestEdges({ src, dst, relation });
  const interactionOf = new Int32Array(length);
  const firstEdge = new Int32Array(length);
  const last = new Int32Array(length);
  const count = new Uint32Array(length);
  let found = 0;
  for (let edge = 0; edge < length; edge++) {
    const previous = latest.replace(edge);
    const i = previous < 0 ? found++ : interactionOf[previous];
    interactionOf[edge] = i;
    if (previous < 0) firstEdge[i] = edge;
    last[i] = event[edge];
    count[i]++;
  }
  const edges = firstEdge.subarray(0, found);
  return {
    length: found,
    subject: edges.map((edge) => src[edge]),
    relation: Uint16Array.from(edges, (edge) => relation[edge]),
    object: edges.map((edge) => dst[edge]),
    count: count.slice(0, found),
    first: edges.map((edge) => event[edge]),
    last: last.slice(0, found),
  };
}
