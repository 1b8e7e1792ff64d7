import type { GraphView } from '../../../detect/graph-view.js';
import { NeighbourMean } from '../learning/neighbour-mean.js';
import type { Reals } from '../learning/products.js';

/** A graph as THREATRACE sees it. */
export interface ThreatraceGraph {
  readonly mean: NeighbourMean;
  /** The means of the counts over each node and its neighbours: they need no weights, so they are computed once. */
  readonly inputs: Reals;
  readonly kinds: Uint8Array;
}

/**
 * The features of a node: how many events of each relation leave it, then how many arrive. Events of relations that
 * training lacks are left out.
 */
function countFeatures(
  { planned, interactions }: Pick<GraphView, 'planned' | 'interactions'>,
  relations: number,
): Float32Array {
  const width = 2 * relations;
  const x = new Float32Array(planned.nodes.length * width);
  const { subject, object, relation, count } = interactions;
  for (let i = 0; i < interactions.length; i++) {
    if (relation[i] >= relations) continue;
    x[subject[i] * width + relation[i]] += count[i];
    x[object[i] * width + relations + relation[i]] += count[i];
  }
  return x;
}

export function threatraceGraph(
  view: Pick<GraphView, 'planned' | 'interactions'>,
  kinds: Uint8Array,
  relations: number,
): ThreatraceGraph {
  const mean = meanOfEvents(view, relations, true);
  return { mean, inputs: mean.all(countFeatures(view, relations), 2 * relations), kinds };
}

/** Every event is an edge from its subject to its object. With `selfLoops`, every node is its own neighbour. */
export function meanOfEvents(
  { planned, interactions }: Pick<GraphView, 'planned' | 'interactions'>,
  relations: number,
  selfLoops: boolean,
): NeighbourMean {
  const known = Int32Array.from(interactions.relation.keys()).filter(
    (i) => interactions.relation[i] < relations,
  );
  const edges = {
    length: known.length,
    source: known.map((i) => interactions.subject[i]),
    target: known.map((i) => interactions.object[i]),
    weight: known.map((i) => interactions.count[i]),
  };
  return new NeighbourMean(planned.nodes.length, edges, selfLoops);
}
