import type { EdgeRows } from '../learning/edge-rows.js';
import type { Reals } from '../learning/products.js';

/** Edges in the order of time, with the nodes of a split. */
export interface OrderedEdges {
  readonly length: number;
  readonly source: Int32Array;
  readonly target: Int32Array;
  readonly relation: Uint16Array;
}

/** Some edges with what the network sees of their ends. The ends come first among the rows. */
export interface OrthrusBatch {
  /** Ends and their neighbours. */
  readonly rows: number;
  /** From neighbours to ends. */
  readonly graph: EdgeRows;
  /** The features of a row if it has been a source, else zeros; and likewise as a target. */
  readonly asSource: Reals;
  readonly asTarget: Reals;
  readonly sources: Int32Array;
  readonly targets: Int32Array;
  readonly relations: Uint16Array;
}

/** The latest edges of each node of a split, in either direction. */
export class NeighbourMemory {
  readonly #size: number;
  readonly #neighbours: Int32Array;
  readonly #relations: Uint16Array;
  /** Edges of each node so far. */
  readonly #seen: Uint32Array;
  /** 1 if a node has been a source, 2 if it has been a target. */
  readonly #roles: Uint8Array;
  readonly #place: Int32Array;

  constructor(nodes: number, size: number) {
    this.#size = size;
    this.#neighbours = new Int32Array(nodes * size);
    this.#relations = new Uint16Array(nodes * size);
    this.#seen = new Uint32Array(nodes);
    this.#roles = new Uint8Array(nodes);
    this.#place = new Int32Array(nodes).fill(-1);
  }

  /** The batch of some edges, before `remember` adds them. `features` has a row for each node of the split. */
  batch({ source, target, relation }: OrderedEdges, from: number, to: number, features: Reals): OrthrusBatch {
    const width = features.length / this.#seen.length;
    const place = this.#place;
    const nodes: number[] = [];
    const numberOf = (node: number) => {
      if (place[node] < 0) place[node] = nodes.push(node) - 1;
      return place[node];
    };
    for (let i = from; i < to; i++) {
      this.#roles[source[i]] |= 1;
      this.#roles[target[i]] |= 2;
    }
    const sources = Int32Array.from({ length: to - from }, (_, i) => numberOf(source[from + i]));
    const targets = Int32Array.from({ length: to - from }, (_, i) => numberOf(target[from + i]));
    const ends = nodes.length;
    const offsets = new Uint32Array(ends + 1);
    for (let v = 0; v < ends; v++) offsets[v + 1] = offsets[v] + Math.min(this.#size, this.#seen[nodes[v]]);
    const neighbours = new Int32Array(offsets[ends]);
    const relations = new Uint16Array(offsets[ends]);
    for (let v = 0; v < ends; v++) {
      const at = nodes[v] * this.#size;
      for (let e = offsets[v]; e < offsets[v + 1]; e++) {
        neighbours[e] = numberOf(this.#neighbours[at + e - offsets[v]]);
        relations[e] = this.#relations[at + e - offsets[v]];
      }
    }
    const type = features.constructor as new (length: number) => Reals;
    const [asSource, asTarget] = [new type(nodes.length * width), new type(nodes.length * width)];
    nodes.forEach((node, row) => {
      const own = features.subarray(node * width, (node + 1) * width);
      if ((this.#roles[node] & 1) !== 0) asSource.set(own, row * width);
      if ((this.#roles[node] & 2) !== 0) asTarget.set(own, row * width);
      place[node] = -1;
    });
    return {
      rows: nodes.length,
      graph: { nodes: ends, offsets, sources: neighbours, relations },
      asSource,
      asTarget,
      sources,
      targets,
      relations: relation.slice(from, to),
    };
  }

  remember({ source, target, relation }: OrderedEdges, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      this.#add(source[i], target[i], relation[i]);
      this.#add(target[i], source[i], relation[i]);
    }
  }

  #add(node: number, neighbour: number, relation: number): void {
    const at = node * this.#size + (this.#seen[node]++ % this.#size);
    this.#neighbours[at] = neighbour;
    this.#relations[at] = relation;
  }
}
