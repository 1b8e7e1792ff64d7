import { activityTimes } from '../../detect/alerts/activity.js';
import type { DetectionConfig } from '../../detect/detection-config.js';
import type { GraphView } from '../../detect/graph-view.js';
import type { EventTable } from '../../store/event-table.js';
import type { GraphScores } from '../protocol/contestant.js';

/** Which nodes a graph of the test has, and when each was active in it: the same for every seed and variant. */
export interface TestGraph {
  readonly nodes: Int32Array;
  readonly first: BigInt64Array;
  readonly last: BigInt64Array;
}

export function testGraphOf(view: GraphView, table: EventTable): TestGraph {
  return { nodes: view.planned.nodes, ...activityTimes(view, table) };
}

/** A contestant's word on every node of the test. */
export interface NodeScores {
  /** 0 for what the gate lets pass, and for nodes that are in no graph. */
  readonly scores: Float64Array;
  /** The scores, and below all of them, below 0, what scores nothing by its kNN distance (method §8). */
  readonly ranking: Float64Array;
  /** 1 where the node passed the gate in some graph; undefined without a gate. */
  readonly candidates: Uint8Array | undefined;
  /** G, the graphs that a node was scored in. */
  readonly graphs: Uint32Array;
  /** Scores by graph and local node, corrected as those of nodes are. */
  readonly byGraph: readonly Float64Array[];
  /** What incidents are ordered by, not corrected: as `recal detect` orders them. */
  readonly prominence: readonly Float64Array[];
}

/** Gathers the scores of graph after graph. */
export class ScoreTally {
  readonly #over: DetectionConfig['over'];
  readonly #highest: Float64Array;
  readonly #distance: Float64Array;
  readonly #graphs: Uint32Array;
  #candidates: Uint8Array | undefined;
  readonly #seen: { nodes: Int32Array; scores: Float64Array; prominence: Float64Array }[] = [];

  constructor(nodeCount: number, over: DetectionConfig['over']) {
    this.#over = over;
    this.#highest = new Float64Array(nodeCount);
    this.#distance = new Float64Array(nodeCount).fill(Number.NEGATIVE_INFINITY);
    this.#graphs = new Uint32Array(nodeCount);
  }

  add(nodes: Int32Array, { scores, prominence = scores, distances, candidates }: GraphScores): void {
    if (candidates !== undefined) this.#candidates ??= new Uint8Array(this.#highest.length);
    for (let v = 0; v < nodes.length; v++) {
      const node = nodes[v];
      if (Number.isNaN(scores[v])) throw new RangeError(`node ${node} has a score that is not a number`);
      this.#graphs[node]++;
      if (scores[v] > this.#highest[node]) this.#highest[node] = scores[v];
      const distance = distances?.[v] ?? Number.NaN;
      if (distance > this.#distance[node]) this.#distance[node] = distance;
      if (candidates !== undefined && this.#candidates !== undefined && candidates[v] === 1) {
        this.#candidates[node] = 1;
      }
    }
    this.#seen.push({ nodes, scores, prominence });
  }

  finish(): NodeScores {
    const graphs = this.#graphs;
    // −ln of (G · smallest p), without the ties that p-values have.
    const correct = (score: number, node: number) =>
      this.#over === 'highest' ? score : Math.max(0, score - Math.log(graphs[node]));
    const scores = this.#highest.map((score, node) => (score === 0 ? 0 : correct(score, node)));
    return {
      scores,
      graphs,
      candidates: this.#candidates,
      ranking: scores.map((score, node) => (score > 0 ? score : belowZero(this.#distance[node]))),
      byGraph: this.#seen.map(({ nodes, scores: found }) =>
        found.map((score, v) => correct(score, nodes[v])),
      ),
      prominence: this.#seen.map(({ prominence }) => prominence),
    };
  }
}

/** Rises with the distance from −1, for none, towards 0. */
function belowZero(distance: number): number {
  return distance >= 0 ? -1 / (2 + distance) : -1;
}
