import { activityTimes } from '../../detect/alerts/activity.js';
import type { ScoredGraph } from '../../detect/fusion/scored-graph.js';
import { type NodeNames, nameOf } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { EventTable } from '../../store/event-table.js';
import type { ScorePoint } from '../charts/score-points.js';

/** Nobody can tell more dots on one line apart, and they are most of all instances. */
const MOST_ZEROS = 1_000_000;

/** Scores, nodes and times of instances that raise no alert, in typed arrays: a large part has millions of them. */
export class ScoresBelowThreshold {
  readonly #names: NodeNames;
  readonly #table: EventTable;
  readonly #mostZeros: number;
  #scores = new Float64Array(1024);
  #times = new BigInt64Array(1024);
  #nodes = new Int32Array(1024);
  #length = 0;
  #zeros = 0;
  /** Instances that score 0 and are not kept. */
  leftOut = 0;

  constructor(names: NodeNames, table: EventTable, mostZeros = MOST_ZEROS) {
    this.#names = names;
    this.#table = table;
    this.#mostZeros = mostZeros;
  }

  /** The instances of a graph that do not alarm, at the time when each was last seen in it. */
  add({ view, scores }: Pick<ScoredGraph, 'view' | 'scores'>, alarms: (local: number) => boolean): void {
    const { last } = activityTimes(view, this.#table);
    for (let v = 0; v < scores.length; v++) {
      const score = scores[v];
      if (score > 0 && alarms(v)) continue; // an alert, told in full elsewhere
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
        name: nameOf(this.#names, node) ?? `nameless ${ENTITY_TYPES[this.#names.types[node]]}`,
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
