import { type SuspiciousNode, type SuspiciousNodes, toColumns } from './suspicious-nodes.js';

/** More alerts than this are counted but not kept. */
export const MOST_ALERTS = 10_000;

/** An alert about a node in one graph, and the member of an incident that it becomes. */
export interface KeptAlert {
  readonly id: string;
  readonly score: number;
  readonly member: SuspiciousNode;
}

/** Keeps alerts, only the highest-scored ones if there are too many. */
export class KeptAlerts<Row extends KeptAlert> {
  readonly #most: number;
  #rows: Row[] = [];
  #leftOut = 0;

  constructor(most = MOST_ALERTS) {
    this.#most = most;
  }

  add(rows: Iterable<Row>): void {
    for (const row of rows) this.#rows.push(row);
    if (this.#rows.length > 2 * this.#most) this.#cut();
  }

  /** Row i is member i of the incidents to form. */
  finish(): { rows: readonly Row[]; members: SuspiciousNodes; leftOut: number } {
    this.#cut();
    return {
      rows: this.#rows,
      members: toColumns(this.#rows.map(({ member }) => member)),
      leftOut: this.#leftOut,
    };
  }

  #cut(): void {
    // Ids break ties, so that the same events always give the same alerts.
    this.#rows.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    this.#leftOut += Math.max(0, this.#rows.length - this.#most);
    this.#rows.length = Math.min(this.#rows.length, this.#most);
  }
}
