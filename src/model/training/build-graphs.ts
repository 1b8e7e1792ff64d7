import type { FeatureSpace } from '../../features/feature-space.js';
import type { NodeText } from '../../features/node-text.js';
import { elapsedTimes, type TransitionProfile } from '../../features/profile.js';
import type { DirectionTable } from '../../graph/direction.js';
import { buildGraph } from '../../graph/provenance-graph.js';
import type { EventTable } from '../../store/event-table.js';
import type { LoadedEvents } from '../../store/load.js';
import { type ModelGraph, makeModelGraph } from '../model-input.js';
import type { GraphPlan } from './graph-plan.js';

/** One graph of a plan, as input of the model. */
export interface PlannedGraph {
  readonly title: string;
  /** The number of raw events. */
  readonly events: number;
  readonly firstTs: bigint;
  readonly lastTs: bigint;
  /** The number of each node among the loaded entities. */
  readonly nodes: Int32Array;
  /** The rows of its events in the table of loaded events, in order. */
  readonly rows: Int32Array;
  readonly graph: ModelGraph;
}

export interface GraphContext {
  readonly events: LoadedEvents;
  readonly text: NodeText;
  readonly space: FeatureSpace;
  readonly direction: DirectionTable;
}

/**
 * Builds the graphs of a plan in one pass over the events. Profiles start empty and continue from graph to graph; each
 * graph reads them after its last event (method §2). Graphs come in the order of their last events.
 */
export function* buildGraphs(plan: GraphPlan, context: GraphContext): Generator<PlannedGraph> {
  const { events, space } = context;
  const { table } = events;
  if (table.length === 0) return;
  const numbers = space.relationNumbers(table.relations);
  const times = elapsedTimes(table, table.ts[0]);
  const rows = groupRows(plan);
  const left = plan.sizes.slice();
  const profile = space.newProfile();
  for (let row = 0; row < table.length; row++) {
    const { subject, object, object2 } = table;
    profile.push(numbers[table.relation[row]], times[row], subject[row], object[row], object2[row]);
    const graph = plan.graphOf[row];
    if (--left[graph] === 0) yield finishGraph(rows(graph), plan.titles[graph], profile, context);
  }
}

function finishGraph(
  rows: Int32Array,
  title: string,
  profile: TransitionProfile,
  { events, text, space, direction }: GraphContext,
): PlannedGraph {
  const { table } = events;
  const provenance = buildGraph(selectRows(table, rows), { direction });
  const { nodes } = provenance;
  const { input, target } = space.assemble(nodes, text, profile);
  return {
    title,
    nodes,
    rows,
    events: rows.length,
    firstTs: table.ts[rows[0]],
    lastTs: table.ts[rows[rows.length - 1]],
    graph: makeModelGraph(provenance, space.parts.relations, input, target),
  };
}

/** The rows of each graph, in order, by counting sort. */
function groupRows({ graphOf, sizes }: GraphPlan): (graph: number) => Int32Array {
  const offsets = new Uint32Array(sizes.length + 1);
  for (let g = 0; g < sizes.length; g++) offsets[g + 1] = offsets[g] + sizes[g];
  const next = offsets.slice();
  const rows = new Int32Array(graphOf.length);
  for (let row = 0; row < graphOf.length; row++) rows[next[graphOf[row]]++] = row;
  return (graph) => rows.subarray(offsets[graph], offsets[graph + 1]);
}

/** Selects some rows of a table. Node numbers do not change. */
export function selectRows(table: EventTable, rows: Int32Array): EventTable {
  const pick = <T extends Int32Array | Uint16Array | Uint8Array>(column: T, into: T): T => {
    for (let i = 0; i < rows.length; i++) into[i] = column[rows[i]];
    return into;
  };
  const { relations, nodeCount } = table;
  const ts = new BigInt64Array(rows.length);
  const seq = new BigInt64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    ts[i] = table.ts[rows[i]];
    seq[i] = table.seq[rows[i]];
  }
  return {
    length: rows.length,
    ts,
    seq,
    relations,
    nodeCount,
    subject: pick(table.subject, new Int32Array(rows.length)),
    object: pick(table.object, new Int32Array(rows.length)),
    object2: pick(table.object2, new Int32Array(rows.length)),
    relation: pick(table.relation, new Uint16Array(rows.length)),
    flow: pick(table.flow, new Uint8Array(rows.length)),
    action: pick(table.action, new Uint8Array(rows.length)),
    stated: pick(table.stated, new Uint8Array(rows.length)),
  };
}

/** The number of bytes that a graph holds in typed arrays. */
export function graphBytes({ features, target, adjacency, neighbours, frequencies }: ModelGraph): number {
  const size = (...columns: ArrayBufferView[]) =>
    columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return (
    size(features.offsets, features.indices, features.values, frequencies) +
    (target === features ? 0 : size(target.values)) +
    size(adjacency.offsets, adjacency.neighbours, adjacency.relations) +
    size(neighbours.nodeOffsets, neighbours.nodes, neighbours.offsets, neighbours.neighbours)
  );
}
