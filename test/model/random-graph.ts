import { Random } from '../../src/base/random.js';
import type { SparseMatrix } from '../../src/features/sparse.js';
import { buildAdjacency } from '../../src/graph/adjacency.js';
import { collectNeighbours } from '../../src/graph/relation-neighbours.js';
import type { ModelGraph } from '../../src/model/model-input.js';

export interface GraphShape {
  nodes: number;
  edges: number;
  relations: number;
  /** D: text columns, which every node fills, and sparse columns. */
  features: number;
  textColumns?: number;
  /** The share of edges that start at node 0. */
  hub?: number;
  seed?: number;
}

/** A random graph with skewed relation frequencies. The last of several relations has no edge. */
export function randomGraph(shape: GraphShape): ModelGraph {
  const { nodes, edges, relations, features } = shape;
  const random = new Random(shape.seed ?? 1).stream('graph');
  const src = new Int32Array(edges);
  const dst = new Int32Array(edges);
  const relation = new Uint16Array(edges);
  for (let e = 0; e < edges; e++) {
    src[e] = random.chance(shape.hub ?? 0) ? 0 : random.below(nodes);
    dst[e] = random.below(nodes);
    relation[e] = Math.floor(random.float() ** 3 * Math.max(1, relations - 1));
  }
  const adjacency = buildAdjacency({ length: edges, src, dst, relation }, nodes, relations);
  const frequencies = new Uint32Array(relations);
  for (const r of relation) frequencies[r]++;
  const x = randomFeatures(
    nodes,
    features,
    shape.textColumns ?? Math.min(5, features >> 1),
    random.stream('x'),
  );
  return {
    nodeCount: nodes,
    relationCount: relations,
    features: x,
    target: x,
    frequencies,
    adjacency: adjacency.byDestination,
    neighbours: collectNeighbours(adjacency),
  };
}

/** A path with short back edges: its ends are many hops apart, unless a hub connects all nodes. */
export function pathGraph(nodes: number, withHub = false): ModelGraph {
  const relations = 3;
  const base = randomGraph({ nodes, edges: 0, relations, features: 12 });
  const src: number[] = [];
  const dst: number[] = [];
  for (let v = 1; v < nodes; v++) {
    src.push(v - 1, v);
    dst.push(v, Math.max(0, v - 1 - (v % 3)));
    if (withHub) {
      src.push(0);
      dst.push(v);
    }
  }
  const edges = {
    length: src.length,
    src: Int32Array.from(src),
    dst: Int32Array.from(dst),
    relation: Uint16Array.from(src, (_, e) => (e * e) % relations),
  };
  const adjacency = buildAdjacency(edges, nodes, relations);
  return { ...base, adjacency: adjacency.byDestination, neighbours: collectNeighbours(adjacency) };
}

/** A tree: a root with `branches` children, each with eight leaves. The root and its children fold their attention. */
export function treeGraph(branches: number): ModelGraph {
  const [relations, leaves] = [3, 8];
  const nodes = 1 + branches * (1 + leaves);
  const edges = {
    length: nodes - 1,
    src: Int32Array.from({ length: nodes - 1 }, (_, e) =>
      e < branches ? 0 : 1 + ((e - branches) % branches),
    ),
    dst: Int32Array.from({ length: nodes - 1 }, (_, e) => 1 + e),
    relation: Uint16Array.from({ length: nodes - 1 }, (_, e) => (e * e) % relations),
  };
  const adjacency = buildAdjacency(edges, nodes, relations);
  const base = randomGraph({ nodes, edges: 0, relations, features: 12 });
  return { ...base, adjacency: adjacency.byDestination, neighbours: collectNeighbours(adjacency) };
}

/** The same graph, with the features of its first `kinds` nodes repeated. */
export function repeatFeatures(graph: ModelGraph, kinds: number): ModelGraph {
  const { rows, cols, offsets, indices, values } = graph.features;
  const nodes = Array.from({ length: rows }, (_, v) => v % kinds);
  const repeated = new Uint32Array(rows + 1);
  nodes.forEach((v, i) => {
    repeated[i + 1] = repeated[i] + offsets[v + 1] - offsets[v];
  });
  const x = {
    rows,
    cols,
    offsets: repeated,
    indices: Uint32Array.from(nodes.flatMap((v) => [...indices.subarray(offsets[v], offsets[v + 1])])),
    values: Float32Array.from(nodes.flatMap((v) => [...values.subarray(offsets[v], offsets[v + 1])])),
  };
  return { ...graph, features: x, target: x };
}

export function randomFeatures(rows: number, cols: number, text: number, random: Random): SparseMatrix {
  const offsets = new Uint32Array(rows + 1);
  const indices: number[] = [];
  const values: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < cols; column++) {
      const isText = column < text;
      if (!isText && !random.chance(Math.min(0.4, 8 / cols))) continue;
      indices.push(column);
      values.push(random.float() - (isText ? 0.5 : 0));
    }
    offsets[row + 1] = indices.length;
  }
  return { rows, cols, offsets, indices: Uint32Array.from(indices), values: Float32Array.from(values) };
}

export function randomMask(nodes: number, share: number, seed = 1): Uint8Array {
  const random = new Random(seed).stream('mask');
  return Uint8Array.from({ length: nodes }, () => (random.chance(share) ? 1 : 0));
}
