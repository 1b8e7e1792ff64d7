import type { Random } from '../../../base/random.js';
import { PairTable } from '../../../detect/evidence/pair-table.js';
import type { GraphView } from '../../../detect/graph-view.js';
import { type EdgeRows, gatherEdges } from '../learning/edge-rows.js';
import type { NodePairs } from './pair-classifier.js';

/** A graph as MAGIC sees it: one edge from a node to another, with the relation of the first event. */
export interface MagicGraph {
  readonly rows: EdgeRows;
  readonly edges: PairTable;
  readonly types: Uint8Array;
}

/** `reversed`: 1 for the relations of the model that run from the object to the subject. A relation that training lacks points to the object. */
export function magicGraph(
  { planned, interactions }: Pick<GraphView, 'planned' | 'interactions'>,
  types: Uint8Array,
  reversed: Uint8Array,
): MagicGraph {
  const edges = new PairTable();
  const relation: number[] = [];
  // Interactions are in the order of their first event, so that the first relation of a pair stays.
  for (let i = 0; i < interactions.length; i++) {
    const [subject, object] = [interactions.subject[i], interactions.object[i]];
    const isBack = reversed[interactions.relation[i]] === 1;
    const edge = isBack ? edges.intern(object, subject) : edges.intern(subject, object);
    if (edge === relation.length) relation.push(interactions.relation[i]);
  }
  const list = { length: edges.size, source: edges.firsts, target: edges.seconds, relation };
  return { rows: gatherEdges(planned.nodes.length, list), edges, types };
}

/** Draws edges, and as many pairs of different nodes without an edge; at most `most` of either, and one per node. */
export function drawPairs({ edges, rows: { nodes } }: MagicGraph, most: number, random: Random): NodePairs {
  const wanted = Math.min(most, nodes);
  const connected = Math.min(wanted, edges.size);
  const chosen = sample(edges.size, connected, random);
  const source = Array.from(chosen, (edge) => edges.firsts[edge]);
  const target = Array.from(chosen, (edge) => edges.seconds[edge]);
  // A small graph may have few pairs without an edge.
  for (let tries = 0, found = 0; found < wanted && tries < 4 * wanted; tries++) {
    const [u, v] = [random.below(nodes), random.below(nodes)];
    if (u === v || edges.find(u, v) >= 0) continue;
    source.push(u);
    target.push(v);
    found++;
  }
  return { length: source.length, connected, source, target };
}

/** `count` different numbers below `limit`, in random order. */
export function sample(limit: number, count: number, random: Random): Int32Array {
  const numbers = Int32Array.from({ length: limit }, (_, i) => i);
  for (let i = 0; i < count; i++) {
    const j = i + random.below(limit - i);
    const held = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = held;
  }
  return numbers.subarray(0, count);
}
