import type { EventTable } from '../graph/event-table.js';
import type { Interactions } from '../graph/interactions.js';
import type { NodeNames } from '../graph/node-names.js';
import { ProcessTree } from './process-tree.js';

/** Which nodes have to do with each other, by node number: what incidents are formed along. */
export interface IncidentLinks {
  readonly tree: ProcessTree;
  /** Distinct neighbours of node v, ascending: `offsets[v]` to `offsets[v + 1]`. */
  readonly offsets: Uint32Array;
  readonly neighbours: Int32Array;
  /** 1 where the one made the other. */
  readonly kin: Uint8Array;
  /** Of a process its neighbours that are processes, of anything else all of them: many make a hub. */
  readonly spread: Uint32Array;
}

/** Collects them graph by graph, so that no two graphs need be in memory at once. */
export class LinkCollector {
  readonly #table: EventTable;
  readonly #tree: ProcessTree;
  /** Smaller node · nodeCount + larger node: exact below 2^53. */
  #pairs = new Float64Array(1024);
  #length = 0;

  constructor(names: Pick<NodeNames, 'types' | 'parent'>, table: EventTable) {
    if (table.nodeCount ** 2 >= 2 ** 53)
      throw new RangeError(`links between ${table.nodeCount} nodes are too many to number`);
    this.#table = table;
    this.#tree = new ProcessTree(names);
  }

  /** Interactions by `nodes[local]`, rows as in the table: a GraphView's. */
  add(nodes: Int32Array, interactions: Interactions): void {
    this.#tree.add(nodes, interactions, this.#table);
    for (let i = 0; i < interactions.length; i++) {
      this.#push(nodes[interactions.subject[i]], nodes[interactions.object[i]]);
    }
  }

  finish(): IncidentLinks {
    const tree = this.#tree;
    const { nodeCount } = this.#table;
    for (let node = 0; node < nodeCount; node++) {
      if (tree.parent[node] >= 0) this.#push(node, tree.parent[node]);
    }
    this.#compact();
    const pairs = this.#pairs.subarray(0, this.#length);
    const offsets = new Uint32Array(nodeCount + 1);
    for (const pair of pairs) {
      offsets[Math.floor(pair / nodeCount) + 1]++;
      offsets[(pair % nodeCount) + 1]++;
    }
    for (let node = 0; node < nodeCount; node++) offsets[node + 1] += offsets[node];
    const next = offsets.slice();
    const neighbours = new Int32Array(pairs.length * 2);
    // Pairs ascend by their smaller node, so every node meets its smaller neighbours first, in order; then its larger.
    for (const pair of pairs) neighbours[next[pair % nodeCount]++] = Math.floor(pair / nodeCount);
    for (const pair of pairs) neighbours[next[Math.floor(pair / nodeCount)]++] = pair % nodeCount;
    return { tree, offsets, neighbours, ...measure(tree, offsets, neighbours) };
  }

  #push(a: number, b: number): void {
    if (a === b) return;
    if (this.#length === this.#pairs.length) {
      this.#compact();
      if (this.#length * 2 > this.#pairs.length) {
        const larger = new Float64Array(this.#pairs.length * 2);
        larger.set(this.#pairs);
        this.#pairs = larger;
      }
    }
    this.#pairs[this.#length++] = Math.min(a, b) * this.#table.nodeCount + Math.max(a, b);
  }

  /** Sorts and leaves one of each. */
  #compact(): void {
    const pairs = this.#pairs.subarray(0, this.#length).sort();
    let kept = 0;
    for (let i = 0; i < pairs.length; i++) {
      if (i === 0 || pairs[i] !== pairs[kept - 1]) pairs[kept++] = pairs[i];
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
