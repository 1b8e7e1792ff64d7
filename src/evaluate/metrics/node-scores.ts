import { activityTimes } from '../../detect/alerts/activity.js';
import type { DetectionConfig } from '../../detect/detection-config.js';
import type { GraphView } from '../../detect/graph-view.js';
import type { EventTable } from '../../store/event-table.js';
import type { GraphScores } from '../protocol/variant-group.js';

/** The nodes of one test graph, and when each was active in it. */
export interface TestGraph {
  readonly nodes: Int32Array;
  readonly first: BigInt64Array;
  readonly last: BigInt64Array;
}

export function testGraphOf(view: GraphView, table: EventTable): TestGraph {
  return { nodes: view.planned.nodes, ...activityTimes(view, table) };
}

/** The scores that one run gives to the nodes of the test. */
export interface NodeScores {
  /** 0 for nodes that the gate drops, and for nodes in no graph. */
  readonly scores: Float64Array;
  /** The score, or for nodes that score 0 a negative rank by kNN distance (method §8). */
  readonly ranking: Float64Array;
  /** 1 for nodes that the gate kept in some graph, or that inherited a score; undefined without a gate. */
  readonly candidates: Uint8Array | undefined;
  /** Scores by graph and local node, corrected like `scores`. */
  readonly byGraph: readonly Float64Array[];
  /** The order of incidents by graph and local node, not corrected: as in `recal detect`. */
  readonly prominence: readonly Float64Array[];
}

/** Collects the scores of one run, graph by graph. */
export class NodeScoreCollector {
  readonly #over: DetectionConfig['over'];
  readonly #highest: Float64Array;
  readonly #distance: Float64Array;
  /** G, the number of graphs of each node. */
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
      if (Number.isNaN(scores[v])) throw new RangeError(`the score of node ${node} is NaN`);
      this.#graphs[node]++;
      if (scores[v] > this.#highest[node]) this.#highest[node] = scores[v];
      const distance = distances?.[v] ?? Number.NaN;
      if (distance > this.#distance[node]) this.#distance[node] = distance;
      if (this.#candidates !== undefined && (candidates?.[v] === 1 || scores[v] > 0)) {
        this.#candidates[node] = 1;
      }
    }
    this.#seen.push({ nodes, scores, prominence });
  }

  finish(): NodeScores {
    const graphs = this.#graphs;
    // −ln(G · smallest p), without the ties of p-values.
    const correct = (score: number, node: number) =>
      this.#over === 'highest' ? score : Math.max(0, score - Math.log(graphs[node]));
    const scores = this.#highest.map((score, node) => (score === 0 ? 0 : correct(score, node)));
    return {
      scores,
      candidates: this.#candidates,
      ranking: scores.map((score, node) => (score > 0 ? score : belowZero(this.#distance[node]))),
      byGraph: this.#seen.map(({ nodes, scores: found }) =>
        found.map((score, v) => correct(score, nodes[v])),
      ),
      prominence: this.#seen.map(({ prominence }) => prominence),
    };
  }
}

/** −1 without a distance, rising towards 0 as the distance grows. */
function belowZero(distance: number): number {
  return distance >= 0 ? -1 / (2 + distance) : -1;
}
