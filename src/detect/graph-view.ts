import { collectInteractions, type Interactions } from '../graph/interactions.js';
import type { NodeNames } from '../graph/node-names.js';
import { type PlannedGraph, selectRows } from '../model/training/graphs.js';
import type { EventTable } from '../store/event-table.js';

/** One graph as detection looks at it: features and neighbours for the model, interactions and names for people. */
export interface GraphView {
  readonly planned: PlannedGraph;
  /** Local node numbers (0 to nodeCount − 1); relations as the model numbers them, |R| for `<new>`; rows of the table. */
  readonly interactions: Interactions;
  /** By the events' own node numbers: those of `planned.nodes`. */
  readonly names: NodeNames;
  /** One byte per local node, 1 where an event of `<new>` touches it, also one without an object (method §1). */
  readonly newRelation: Uint8Array;
}

/** `relationNumbers` turns a relation of the table into one of the model. */
export function viewGraph(
  planned: PlannedGraph,
  table: EventTable,
  names: NodeNames,
  relationNumbers: Uint16Array,
): GraphView {
  const { nodes, rows } = planned;
  const found = collectInteractions(selectRows(table, rows));
  // Nodes ascend, so a node's place among them is its local number.
  const localOf = (node: number): number => {
    let [low, high] = [0, nodes.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (nodes[middle] < node) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const newRelation = new Uint8Array(nodes.length);
  for (const row of rows) {
    if (relationNumbers[table.relation[row]] < planned.graph.relationCount) continue;
    for (const node of [table.subject[row], table.object[row], table.object2[row]]) {
      if (node >= 0) newRelation[localOf(node)] = 1;
    }
  }
  return {
    planned,
    names,
    newRelation,
    interactions: {
      ...found,
      subject: found.subject.map(localOf),
      object: found.object.map(localOf),
      relation: found.relation.map((relation) => relationNumbers[relation]),
      first: found.first.map((row) => rows[row]),
      last: found.last.map((row) => rows[row]),
    },
  };
}
