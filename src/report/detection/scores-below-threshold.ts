import { activityTimes } from '../../detect/alerts/activity.js';
import type { ScoredGraph } from '../../detect/fusion/scored-graph.js';
import { type NodeNames, nameOf } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { EventTable } from '../../store/event-table.js';
import type { ScorePoint } from '../charts/score-points.js';
import { entityName } from './entity-name.js';

/** Most instances score 0, and more dots on one line would look the same. */
const MOST_ZEROS = 1_000_000;

/** The scores of instances without an alert. Uses typed arrays, because a large split has millions of them. */
export class ScoresBelowThreshold {
  readonly #names: NodeNames;
  readonly #table: EventTable;
  readonly #mostZeros: number;
  #scores = new Float64Array(1024);
  #times = new BigInt64Array(1024);
  #nodes = new Int32Array(1024);
  #length = 0;
  #zeros = 0;
  /** Instances with score 0 that were not kept. */
  leftOut = 0;

  constructor(names: NodeNames, table: EventTable, mostZeros = MOST_ZEROS) {
    this.#names = names;
    this.#table = table;
    this.#mostZeros = mostZeros;
  }

  /** Adds the instances of a graph that raise no alert, each at the time of its last event. */
  add({ view, scores }: Pick<ScoredGraph, 'view' | 'scores'>, alarms: (local: number) => boolean): void {
    const { last } = activityTimes(view, this.#table);
    for (let v = 0; v < scores.length; v++) {
      const score = scores[v];
      if (score > 0 && alarms(v)) continue;
      if (score === 0 && this.#zeros >= this.#mostZeros) {
        this.leftOut++;
        continue;
      }
      if (score === 0) this.#zeros++;
      if (this.#length === this.#scores.length) this.#grow();
      this.#scores[this.#length] = score;
      this.#times[this.#length] = last[v];
      this.#nodes[this.#length++] = view.planned.nodes[v];
    }
  }

  *points(): Generator<ScorePoint> {
    for (let i = 0; i < this.#length; i++) {
      const node = this.#nodes[i];
      yield {
        name: entityName({ name: nameOf(this.#names, node), type: ENTITY_TYPES[this.#names.types[node]] }),
        score: this.#scores[i],
        alert: false,
        time: this.#times[i],
      };
    }
  }

  #grow(): void {
    const [scores, times, nodes] = [this.#scores, this.#times, this.#nodes];
    this.#scores = new Float64Array(2 * scores.length);
    this.#scores.set(scores);
    this.#times = new BigInt64Array(2 * times.length);
    this.#times.set(times);
    this.#nodes = new Int32Array(2 * nodes.length);
    this.#nodes.set(nodes);
  }
}
