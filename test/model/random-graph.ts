import { Random } from '../../src/base/random.js';
import type { SparseMatrix } from '../../src/features/sparse.js';
import { buildAdjacency } from '../../src/graph/adjacency.js';
import { collectNeighbours } from '../../src/graph/relation-neighbours.js';
import type { ModelGraph } from '../../src/model/model-input.js';

export interface GraphShape {
  nodes: number;
  edges: number;
  relations: number;
  /** D: four types, text columns that every node fills, and the rest sparse. */
  features: number;
  textColumns?: number;
  /** Share of edges that leave node 0. */
  hub?: number;
  seed?: number;
}

/** A graph with skewed relations; the last relation has no edge where there are at least two. */
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

/** A road with turns, three relations and twelve features: far ends do not reach each other in a few hops, unless all lead to a hub. */
export function roadGraph(nodes: number, withHub = false): ModelGraph {
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

/** A node joined to so many others, each of which has eight nodes of its own: all of the former fold their attention. */
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

/** The same graph, with the features of its first nodes over and over. */
export function repeatFeatures(graph: ModelGraph, kinds: number): ModelGraph {
  const { rows, cols, offsets, indices, values } = graph.features;
  const nodes = Array.from({ length: rows }, (_, v) => v % kinds);
  const ends = nodes.map((v) => offsets[v + 1] - offsets[v]);
  const x = {
    rows,
    cols,
    offsets: Uint32Array.from([0, ...ends]).map(
      (
        (sum) => (length) =>
          (sum += length)
      )(0),
    ),
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
