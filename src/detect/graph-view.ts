import { collectInteractions, type Interactions } from '../graph/interactions.js';
import type { NodeNames } from '../graph/node-names.js';
import { type PlannedGraph, selectRows } from '../model/training/build-graphs.js';
import type { EventTable } from '../store/event-table.js';

/** A graph for detection: features and neighbours for the model, interactions and names for evidence and alerts. */
export interface GraphView {
  readonly planned: PlannedGraph;
  /** Nodes are local (0 to nodeCount − 1). Relations are the model's, |R| for `<new>`. Rows are those of the table. */
  readonly interactions: Interactions;
  /** By node of the loaded events, as in `planned.nodes`. */
  readonly names: NodeNames;
  /** By local node: 1 if it has an event of `<new>`, even one without an object (method §1). */
  readonly newRelation: Uint8Array;
}

/** `relationNumbers` maps a relation of the table to one of the model. */
export function viewGraph(
  planned: PlannedGraph,
  table: EventTable,
  names: NodeNames,
  relationNumbers: Uint16Array,
): GraphView {
  const { nodes, rows } = planned;
  const found = collectInteractions(selectRows(table, rows));
  // Nodes ascend, so that the index of a node is its local number.
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
