import type { EventTable } from '../../store/event-table.js';
import type { GraphView } from '../graph-view.js';
import type { SuspiciousNodes } from './suspicious-nodes.js';

const DAY = 86_400_000_000_000n;

/** The day of a graph's first event, in days since 1970. */
export function dayOf({ planned: { firstTs } }: GraphView): number {
  return Number((firstTs - (((firstTs % DAY) + DAY) % DAY)) / DAY);
}

/** The first and last event of each node in a graph. A node without an interaction has the graph's span. */
export function activityTimes(
  { planned, interactions }: GraphView,
  { ts }: Pick<EventTable, 'ts'>,
): { first: BigInt64Array; last: BigInt64Array } {
  const { length } = planned.nodes;
  const none = 2 ** 31 - 1;
  const [earliest, latest] = [new Int32Array(length).fill(none), new Int32Array(length).fill(-1)];
  const see = (node: number, first: number, last: number) => {
    if (first < earliest[node]) earliest[node] = first;
    if (last > latest[node]) latest[node] = last;
  };
  for (let i = 0; i < interactions.length; i++) {
    const { first, last, subject, object } = interactions;
    see(subject[i], first[i], last[i]);
    see(object[i], first[i], last[i]);
  }
  return {
    first: BigInt64Array.from(earliest, (row) => (row === none ? planned.firstTs : ts[row])),
    last: BigInt64Array.from(latest, (row) => (row < 0 ? planned.lastTs : ts[row])),
  };
}

/** Collects suspicious nodes graph by graph. */
export class SuspiciousNodeCollector {
  readonly #node: number[] = [];
  readonly #score: number[] = [];
  readonly #prominence: number[] = [];
  readonly #host: number[] = [];
  readonly #first: bigint[] = [];
  readonly #last: bigint[] = [];
  readonly #graph: number[] = [];

  /** Adds the wanted nodes of a view. Prominence is needed only to order incidents. */
  add(
    view: GraphView,
    graph: number,
    { scores, prominence = scores }: { scores: Float64Array; prominence?: Float64Array },
    wanted: (node: number) => boolean,
    { table, hostAt }: { table: EventTable; hostAt: (node: number) => number },
  ): void {
    let times: ReturnType<typeof activityTimes> | undefined;
    for (let v = 0; v < scores.length; v++) {
      if (!wanted(v)) continue;
      times ??= activityTimes(view, table);
      this.#node.push(view.planned.nodes[v]);
      this.#score.push(scores[v]);
      this.#prominence.push(prominence[v]);
      this.#host.push(hostAt(view.planned.nodes[v]));
      this.#first.push(times.first[v]);
      this.#last.push(times.last[v]);
      this.#graph.push(graph);
    }
  }

  /** The nodes of all graphs, or of those that `isKept` selects. */
  finish(isKept: (graph: number) => boolean = () => true): SuspiciousNodes {
    const kept = this.#node.map((_, i) => i).filter((i) => isKept(this.#graph[i]));
    return {
      length: kept.length,
      node: Int32Array.from(kept, (i) => this.#node[i]),
      score: Float64Array.from(kept, (i) => this.#score[i]),
      prominence: Float64Array.from(kept, (i) => this.#prominence[i]),
      host: Int32Array.from(kept, (i) => this.#host[i]),
      first: BigInt64Array.from(kept, (i) => this.#first[i]),
      last: BigInt64Array.from(kept, (i) => this.#last[i]),
    };
  }
}
