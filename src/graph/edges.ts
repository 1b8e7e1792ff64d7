import { FLOW_IN, FLOW_OUT, FLOW_UNKNOWN } from '../ingest/flow.js';
import type { EventTable } from '../store/event-table.js';
import { compileDirection, type DirectionTable } from './direction.js';

/** Counts of events and edges: `edges` = `events` − `noObject` − `noSubject` + `secondObject`. */
export interface EdgeCounts {
  events: number;
  edges: number;
  /** Events with a subject but no object. They make no edge but enter the subject's profile. */
  noObject: number;
  /** Second edges, from the second object of an event. */
  secondObject: number;
  /** Events with neither a subject nor two objects. They are skipped. */
  noSubject: number;
}

/**
 * Directed edges in the order of the events. The position of an edge is its o: unlike (time, sequence), which a log may
 * repeat, positions are unique.
 */
export interface RawEdges {
  readonly length: number;
  readonly src: Int32Array;
  readonly dst: Int32Array;
  readonly relation: Uint16Array;
  /** Row in the event table. The two edges of one event are adjacent. */
  readonly event: Int32Array;
  readonly counts: Readonly<EdgeCounts>;
}

/** Converts events to edges that follow the flow of information (method §1). */
export function deriveEdges(table: EventTable, direction: DirectionTable): RawEdges {
  const counts = countEdges(table);
  const src = new Int32Array(counts.edges);
  const dst = new Int32Array(counts.edges);
  const relation = new Uint16Array(counts.edges);
  const event = new Int32Array(counts.edges);
  const reversed = compileDirection(direction, table.relations);
  let length = 0;

  const push = (row: number, subject: number, object: number): void => {
    const said = direction.honoursFlow ? table.flow[row] : FLOW_UNKNOWN;
    const inward = said === FLOW_IN || (said !== FLOW_OUT && reversed[table.relation[row]] === 1);
    src[length] = inward ? object : subject;
    dst[length] = inward ? subject : object;
    relation[length] = table.relation[row];
    event[length++] = row;
  };

  for (let row = 0; row < table.length; row++) {
    const subject = table.subject[row];
    const object = table.object[row];
    const object2 = table.object2[row];
    if (subject >= 0) {
      if (object >= 0) push(row, subject, object);
      if (object2 >= 0) push(row, subject, object2);
    } else if (object >= 0 && object2 >= 0) {
      push(row, object, object2); // as in FLOWS_TO, the first object acts as the subject
    }
  }
  return { length, src, dst, relation, event, counts };
}

/**
 * Counts the relation frequencies f_r: the raw events of each relation that make an edge. An event with two objects
 * counts once, an event without an object does not count (method §1).
 */
export function countRelations(edges: RawEdges, relationCount: number): Uint32Array {
  const f = new Uint32Array(relationCount);
  for (let i = 0; i < edges.length; i++) {
    if (i === 0 || edges.event[i] !== edges.event[i - 1]) f[edges.relation[i]]++;
  }
  return f;
}

function countEdges(table: EventTable): EdgeCounts {
  const counts = { events: table.length, edges: 0, noObject: 0, secondObject: 0, noSubject: 0 };
  for (let row = 0; row < table.length; row++) {
    const objects = (table.object[row] >= 0 ? 1 : 0) + (table.object2[row] >= 0 ? 1 : 0);
    if (table.subject[row] < 0) {
      if (objects === 2) counts.edges++;
      else counts.noSubject++;
    } else if (objects === 0) {
      counts.noObject++;
    } else {
      // An event with only a second object makes one edge, which is not a second edge.
      counts.edges += objects;
      counts.secondObject += objects - 1;
    }
  }
  return counts;
}
