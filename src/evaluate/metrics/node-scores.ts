import { activityTimes, dayOf } from '../../detect/alerts/activity.js';
import type { DetectionConfig } from '../../detect/detection-config.js';
import type { GraphView } from '../../detect/graph-view.js';
import type { EventTable } from '../../store/event-table.js';
import type { GraphScores } from '../protocol/variant-group.js';

/** The nodes of one test graph, and when each was active in it. */
export interface TestGraph {
  readonly nodes: Int32Array;
  readonly first: BigInt64Array;
  readonly last: BigInt64Array;
  /** The first event of the graph. */
  readonly from: bigint;
  /** The day of that event, in days since 1970. */
  readonly day: number;
}

export function testGraphOf(view: GraphView, table: EventTable): TestGraph {
  const { nodes, firstTs: from } = view.planned;
  return { nodes, ...activityTimes(view, table), from, day: dayOf(view) };
}

/** The scores that one run gives to the nodes of the test. */
export interface NodeScores {
  /** The highest score over graphs, as in alerts; 0 for nodes that the gate drops, and for nodes in no graph. */
  readonly scores: Float64Array;
  /**
   * The order of nodes for ranking metrics: the score, corrected for the number of graphs where the variant corrects
   * (method §9), or a negative rank by kNN distance where that is 0 (method §8).
   */
  readonly ranking: Float64Array;
  /** 1 for nodes that the gate kept in some graph, or that inherited a score; undefined without a gate. */
  readonly candidates: Uint8Array | undefined;
  /** Scores by graph and local node, as `recal detect` compares them with a threshold. */
  readonly byGraph: readonly Float64Array[];
  /** The order of incidents by graph and local node. */
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
  readonly #seen: { scores: Float64Array; prominence: Float64Array }[] = [];

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
    this.#seen.push({ scores, prominence });
  }

  finish(): NodeScores {
    const scores = this.#highest;
    const ranking = scores.map((score, node) => {
      // −ln(G · smallest p), without the ties of p-values.
      const fix = this.#over === 'highest' || score === 0 ? 0 : Math.log(this.#graphs[node]);
      return score > fix ? score - fix : belowZero(this.#distance[node]);
    });
    return {
      scores,
      ranking,
      candidates: this.#candidates,
      byGraph: this.#seen.map((each) => each.scores),
      prominence: this.#seen.map((each) => each.prominence),
    };
  }
}

/** −1 without a distance, rising towards 0 as the distance grows. */
function belowZero(distance: number): number {
  return distance >= 0 ? -1 / (2 + distance) : -1;
}
