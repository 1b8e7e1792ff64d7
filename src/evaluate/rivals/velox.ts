import type { GraphView } from '../../detect/graph-view.js';
import type { RelationNetwork } from './relation-network.js';

/**
 * The strongest simple rival: a node is as strange as the least likely relation on any of its edges, by a network that
 * sees the text and type of both ends. Nothing is calibrated; the threshold is the largest loss of benign graphs.
 */
export class Velox {
  readonly network: RelationNetwork;
  /** Scores above it are alarms. */
  readonly threshold: number;

  constructor(network: RelationNetwork, threshold: number) {
    this.network = network;
    this.threshold = threshold;
  }

  static calibrate(network: RelationNetwork, views: Iterable<GraphView>): Velox {
    let largest = 0;
    for (const view of views) for (const loss of network.losses(view)) largest = Math.max(largest, loss);
    return new Velox(network, largest);
  }

  /** By local node: the largest loss over its interactions, in either role; 0 without any. */
  scores(view: GraphView): Float64Array {
    const scores = new Float64Array(view.planned.nodes.length);
    const { subject, object } = view.interactions;
    this.network.losses(view).forEach((loss, i) => {
      scores[subject[i]] = Math.max(scores[subject[i]], loss);
      scores[object[i]] = Math.max(scores[object[i]], loss);
    });
    return scores;
  }
}
