import { compileDirection, DIRECTIONS, type DirectionTable } from '../../graph/direction.js';
import type { Interactions } from '../../graph/interactions.js';
import type { NodeNames } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { FLOW_OUT } from '../../ingest/flow.js';
import type { EventTable } from '../../store/event-table.js';
import { ProcessTree } from './process-tree.js';

/** Types that reading does not change. Reading a socket or a pipe consumes its data. */
const READABLE = new Set(['file', 'module', 'registry'].map((type) => ENTITY_TYPES.indexOf(type as never)));

const FLOW = ENTITY_TYPES.indexOf('flow');

/** Relations that do not change their object: reading, and operations that accompany both reading and writing. */
const UNCHANGING: DirectionTable = {
  ...DIRECTIONS.flow,
  reversed: [
    ...DIRECTIONS.flow.reversed,
    'CLOSE',
    'FCNTL',
    'DUP',
    'DUP2',
    'DUP3',
    'FLOCK',
    'IOCTL',
    'MPROTECT',
  ],
};

/** The links between nodes that incidents are formed along, by node number. */
export interface IncidentLinks {
  readonly tree: ProcessTree;
  /** Distinct neighbours of node v, ascending: `offsets[v]` to `offsets[v + 1]`. */
  readonly offsets: Uint32Array;
  readonly neighbours: Int32Array;
  /** 1 for a parent and its child process. */
  readonly kin: Uint8Array;
  /** 1 if the one only read the other: two readers of a file are unrelated. */
  readonly readOnly: Uint8Array;
  /** The number of neighbours, for a process only those that are processes. A hub has many. */
  readonly spread: Uint32Array;
  /**
   * The remote end of a network flow, numbered per host, or -1. The flows of a host to end e are `endOffsets[e]` to
   * `endOffsets[e + 1]`.
   */
  readonly end: Int32Array;
  readonly endOffsets: Uint32Array;
  readonly endNodes: Int32Array;
}

/** Collects links graph by graph, so that only one graph needs to be in memory. */
export class LinkCollector {
  readonly #table: EventTable;
  readonly #tree: ProcessTree;
  readonly #names: Pick<NodeNames, 'types' | 'name'>;
  readonly #hostAt: (node: number) => number;
  readonly #isAdded: Uint8Array;
  /** 1 for relations of the table that do not change their object. */
  readonly #reads: Uint8Array;
  /** 2 · (smaller node · nodeCount + larger node), plus 1 unless it was only read. Exact below 2^53. */
  #pairs = new Float64Array(1024);
  #length = 0;

  constructor(
    names: Pick<NodeNames, 'types' | 'parent' | 'name'>,
    table: EventTable,
    hostAt: (node: number) => number,
  ) {
    if (2 * table.nodeCount ** 2 >= 2 ** 53)
      throw new RangeError(`${table.nodeCount} nodes are too many to number their links`);
    this.#table = table;
    this.#tree = new ProcessTree(names);
    this.#names = names;
    this.#hostAt = hostAt;
    this.#isAdded = new Uint8Array(table.nodeCount);
    this.#reads = compileDirection(UNCHANGING, table.relations);
  }

  /** Adds the interactions of a graph: local node i is `nodes[i]`, rows are those of the table. */
  add(nodes: Int32Array, interactions: Interactions): void {
    this.#tree.add(nodes, interactions, this.#table);
    for (const node of nodes) this.#isAdded[node] = 1;
    for (let i = 0; i < interactions.length; i++) {
      const [subject, object] = [nodes[interactions.subject[i]], nodes[interactions.object[i]]];
      this.#push(subject, object, !this.#isReading(interactions.first[i], object));
    }
  }

  finish(): IncidentLinks {
    const tree = this.#tree;
    const { nodeCount } = this.#table;
    for (let node = 0; node < nodeCount; node++) {
      if (tree.parent[node] >= 0) this.#push(node, tree.parent[node], true);
    }
    this.#compact();
    const marked = this.#pairs.subarray(0, this.#length);
    const pairs = marked.map((pair) => Math.floor(pair / 2));
    const offsets = new Uint32Array(nodeCount + 1);
    for (const pair of pairs) {
      offsets[Math.floor(pair / nodeCount) + 1]++;
      offsets[(pair % nodeCount) + 1]++;
    }
    for (let node = 0; node < nodeCount; node++) offsets[node + 1] += offsets[node];
    const next = offsets.slice();
    const neighbours = new Int32Array(pairs.length * 2);
    // Pairs ascend by their smaller node, so that each node gets its smaller neighbours first, then its larger ones.
    const readOnly = new Uint8Array(neighbours.length);
    const put = (node: number, neighbour: number, i: number) => {
      readOnly[next[node]] = marked[i] % 2 === 0 ? 1 : 0;
      neighbours[next[node]++] = neighbour;
    };
    pairs.forEach((pair, i) => {
      put(pair % nodeCount, Math.floor(pair / nodeCount), i);
    });
    pairs.forEach((pair, i) => {
      put(Math.floor(pair / nodeCount), pair % nodeCount, i);
    });
    const measures = measure(tree, offsets, neighbours);
    return { tree, offsets, neighbours, readOnly, ...measures, ...this.#findEnds() };
  }

  /** Groups network flows by host and name, which is their remote end. */
  #findEnds(): Pick<IncidentLinks, 'end' | 'endOffsets' | 'endNodes'> {
    const { types, name } = this.#names;
    const { nodeCount } = this.#table;
    const end = new Int32Array(nodeCount).fill(-1);
    const numbers = new Map<string, number>();
    for (let node = 0; node < nodeCount; node++) {
      if (this.#isAdded[node] === 0 || types[node] !== FLOW || name[node] < 0) continue;
      const key = `${this.#hostAt(node)} ${name[node]}`;
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      end[node] = number;
    }
    const endOffsets = new Uint32Array(numbers.size + 1);
    for (const number of end) if (number >= 0) endOffsets[number + 1]++;
    for (let number = 0; number < numbers.size; number++) endOffsets[number + 1] += endOffsets[number];
    const next = endOffsets.slice();
    const endNodes = new Int32Array(endOffsets[numbers.size]);
    end.forEach((number, node) => {
      if (number >= 0) endNodes[next[number]++] = node;
    });
    return { end, endOffsets, endNodes };
  }

  /** Decides by the first event of an interaction. A log that marks an open for writing has a write event too. */
  #isReading(row: number, object: number): boolean {
    const { relation, flow } = this.#table;
    return (
      this.#reads[relation[row]] === 1 && flow[row] !== FLOW_OUT && READABLE.has(this.#names.types[object])
    );
  }

  #push(a: number, b: number, changes: boolean): void {
    if (a === b) return;
    if (this.#length === this.#pairs.length) {
      this.#compact();
      if (this.#length * 2 > this.#pairs.length) {
        const larger = new Float64Array(this.#pairs.length * 2);
        larger.set(this.#pairs);
        this.#pairs = larger;
      }
    }
    const pair = Math.min(a, b) * this.#table.nodeCount + Math.max(a, b);
    this.#pairs[this.#length++] = 2 * pair + (changes ? 1 : 0);
  }

  /** Sorts the pairs and keeps the last of equal ones, which has the mark of a change if any has. */
  #compact(): void {
    const pairs = this.#pairs.subarray(0, this.#length).sort();
    let kept = 0;
    for (let i = 0; i < pairs.length; i++) {
      const isSame = kept > 0 && Math.floor(pairs[i] / 2) === Math.floor(pairs[kept - 1] / 2);
      pairs[isSame ? kept - 1 : kept++] = pairs[i];
    }
    this.#length = kept;
  }
}

function measure(
  tree: ProcessTree,
  offsets: Uint32Array,
  neighbours: Int32Array,
): Pick<IncidentLinks, 'kin' | 'spread'> {
  const nodeCount = offsets.length - 1;
  const kin = new Uint8Array(neighbours.length);
  const spread = new Uint32Array(nodeCount);
  for (let node = 0; node < nodeCount; node++) {
    const isProcess = tree.isProcess(node);
    for (let at = offsets[node]; at < offsets[node + 1]; at++) {
      const other = neighbours[at];
      if (tree.parent[node] === other || tree.parent[other] === node) kin[at] = 1;
      if (!isProcess || tree.isProcess(other)) spread[node]++;
    }
  }
  return { kin, spread };
}
