import { compileDirection, DIRECTIONS, type DirectionTable } from '../../graph/direction.js';
import type { Interactions } from '../../graph/interactions.js';
import type { NodeNames } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { FLOW_OUT } from '../../ingest/flow.js';
import type { EventTable } from '../../store/event-table.js';
import { ProcessTree } from './process-tree.js';

/** What is read without a trace. A socket or a pipe is not: who reads from it takes what was sent. */
const READABLE = new Set(['file', 'module', 'registry'].map((type) => ENTITY_TYPES.indexOf(type as never)));

const FLOW = ENTITY_TYPES.indexOf('flow');

/** Relations that change nothing in their object: reading, and what goes with reading and writing alike. */
const LEAVES_AS_IT_IS: DirectionTable = {
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

/** Which nodes have to do with each other, by node number: what incidents are formed along. */
export interface IncidentLinks {
  readonly tree: ProcessTree;
  /** Distinct neighbours of node v, ascending: `offsets[v]` to `offsets[v + 1]`. */
  readonly offsets: Uint32Array;
  readonly neighbours: Int32Array;
  /** 1 where the one made the other. */
  readonly kin: Uint8Array;
  /** 1 where the one only read what the other is: two readers of a file have nothing to do with each other. */
  readonly readOnly: Uint8Array;
  /** Of a process its neighbours that are processes, of anything else all of them: many make a hub. */
  readonly spread: Uint32Array;
  /**
   * Where a connection leads to, as a number for each host, or -1; the connections of a host to end e are `endOffsets[e]`
   * to `endOffsets[e + 1]`.
   */
  readonly end: Int32Array;
  readonly endOffsets: Uint32Array;
  readonly endNodes: Int32Array;
}

/** Collects them graph by graph, so that no two graphs need be in memory at once. */
export class LinkCollector {
  readonly #table: EventTable;
  readonly #tree: ProcessTree;
  readonly #names: Pick<NodeNames, 'types' | 'name'>;
  readonly #hostAt: (node: number) => number;
  readonly #isAdded: Uint8Array;
  /** One flag a relation of the table. */
  readonly #reads: Uint8Array;
  /** 2 · (smaller node · nodeCount + larger node), and 1 more where it was not only read: exact below 2^53. */
  #pairs = new Float64Array(1024);
  #length = 0;

  constructor(
    names: Pick<NodeNames, 'types' | 'parent' | 'name'>,
    table: EventTable,
    hostAt: (node: number) => number,
  ) {
    if (2 * table.nodeCount ** 2 >= 2 ** 53)
      throw new RangeError(`links between ${table.nodeCount} nodes are too many to number`);
    this.#table = table;
    this.#tree = new ProcessTree(names);
    this.#names = names;
    this.#hostAt = hostAt;
    this.#isAdded = new Uint8Array(table.nodeCount);
    this.#reads = compileDirection(LEAVES_AS_IT_IS, table.relations);
  }

  /** Interactions by `nodes[local]`, rows as in the table: a GraphView's. */
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
    // Pairs ascend by their smaller node, so every node meets its smaller neighbours first, in order; then its larger.
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

  /** Connections by host and name, which is where they lead to. */
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

  /** By the interaction's first event: a log that says of one open that it is for writing says so of a write too. */
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

  /** Sorts and leaves one of each: the last, which knows of a change where there was one. */
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
