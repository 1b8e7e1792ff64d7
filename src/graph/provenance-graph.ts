import type { EventTable } from '../store/event-table.js';
import { type Adjacency, buildAdjacency } from './adjacency.js';
import { DIRECTIONS, type DirectionTable } from './direction.js';
import { countRelations, deriveEdges, type EdgeCounts, type RawEdges } from './edges.js';
import { NodeSet } from './node-set.js';
import { keepAllEdges, type ReducedEdges, reduceEdges } from './reduce.js';
import { collectNeighbours, type RelationNeighbours } from './relation-neighbours.js';

export interface GraphOptions {
  /** Default: `flow`. Detection passes the table of the model. */
  direction?: DirectionTable;
  /** Merge edges where causality allows it. Default: true. The adjacency is the same either way. */
  reduce?: boolean;
}

/**
 * The typed graph of the events of one file or window (method §1). Its nodes are numbered 0..nodeCount-1, in the order
 * of their table numbers; edges and adjacency use these local numbers.
 */
export class ProvenanceGraph {
  readonly direction: DirectionTable;
  /** The log's own relation names. */
  readonly relations: readonly string[];
  /** f_r: the raw events of each relation that make an edge, counted before reduction. */
  readonly frequencies: Uint32Array;
  readonly counts: Readonly<EdgeCounts>;
  /** Reduced edges, or all raw edges if reduction is off. */
  readonly edges: ReducedEdges;
  readonly #nodeSet: NodeSet;
  #adjacency: Adjacency | undefined;
  #relationNeighbours: RelationNeighbours | undefined;

  /** @internal Use `buildGraph`. */
  constructor(
    parts: Pick<ProvenanceGraph, 'direction' | 'relations' | 'frequencies' | 'counts' | 'edges'>,
    nodeSet: NodeSet,
  ) {
    this.direction = parts.direction;
    this.relations = parts.relations;
    this.frequencies = parts.frequencies;
    this.counts = parts.counts;
    this.edges = parts.edges;
    this.#nodeSet = nodeSet;
  }

  get nodeCount(): number {
    return this.#nodeSet.members.length;
  }

  /** Local → table node number. */
  get nodes(): Int32Array {
    return this.#nodeSet.members;
  }

  /** Table → local node number, or -1 if the node is not in this graph. */
  localOf(tableNode: number): number {
    return this.#nodeSet.localOf(tableNode);
  }

  /** Distinct (src, dst, r), computed on first use. */
  get adjacency(): Adjacency {
    this.#adjacency ??= buildAdjacency(this.edges, this.nodeCount, this.relations.length);
    return this.#adjacency;
  }

  /** Distinct neighbours per relation, computed on first use. */
  get relationNeighbours(): RelationNeighbours {
    this.#relationNeighbours ??= collectNeighbours(this.adjacency);
    return this.#relationNeighbours;
  }
}

export function buildGraph(table: EventTable, options: GraphOptions = {}): ProvenanceGraph {
  const direction = options.direction ?? DIRECTIONS.flow;
  const raw = deriveEdges(table, direction);
  const nodeSet = collectNodes(table, raw);
  for (const column of [raw.src, raw.dst]) {
    for (let i = 0; i < column.length; i++) column[i] = nodeSet.localOf(column[i]);
  }
  const edges =
    options.reduce === false ? keepAllEdges(raw, table) : reduceEdges(raw, table, nodeSet.members.length);
  return new ProvenanceGraph(
    {
      direction,
      edges,
      relations: table.relations,
      counts: raw.counts,
      frequencies: countRelations(raw, table.relations.length),
    },
    nodeSet,
  );
}

/**
 * The nodes of a graph: all subjects, also of events without an object, and the endpoints of all edges. An event with
 * neither a subject nor two objects adds no node (method §1).
 */
function collectNodes(table: EventTable, raw: RawEdges): NodeSet {
  return new NodeSet(table.nodeCount, [table.subject.subarray(0, table.length), raw.src, raw.dst]);
}
