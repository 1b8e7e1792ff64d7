import { type RowKind, shareFairly } from './fair-share.js';
import { type SuspiciousNode, type SuspiciousNodes, toColumns } from './suspicious-nodes.js';

/** More alerts than this are counted but not kept. */
export const MOST_ALERTS = 10_000;

/** An alert about a node in one graph, and the member of an incident that it becomes. */
export interface KeptAlert {
  readonly id: string;
  readonly score: number;
  readonly member: SuspiciousNode;
  /** What it looks like; by default, all alerts look alike. */
  readonly kind?: RowKind | undefined;
}

const ONE: RowKind = { group: '', kind: '' };

/** Keeps alerts. If there are too many, every kind gets the same share, and keeps its highest-scored ones. */
export class KeptAlerts<Row extends KeptAlert> {
  readonly #most: number;
  #rows: Row[] = [];
  #leftOut = 0;
  readonly #leftOutOf = new Map<string, number>();

  constructor(most = MOST_ALERTS) {
    this.#most = most;
  }

  add(rows: Iterable<Row>): void {
    for (const row of rows) this.#rows.push(row);
    if (this.#rows.length > 2 * this.#most) this.#cut();
  }

  /** Row i is member i of the incidents to form. */
  finish(): {
    rows: readonly Row[];
    members: SuspiciousNodes;
    leftOut: number;
    /** Alerts of the same kind as a row that were not kept. */
    leftOutLike: (row: Row) => number;
  } {
    this.#cut();
    return {
      rows: this.#rows,
      members: toColumns(this.#rows.map(({ member }) => member)),
      leftOut: this.#leftOut,
      leftOutLike: ({ kind = ONE }) => this.#leftOutOf.get(textOf(kind)) ?? 0,
    };
  }

  #cut(): void {
    // Ids break ties, so that the same events always give the same alerts.
    this.#rows.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    const kept = shareFairly(this.#rows, this.#most, ({ kind = ONE }) => kind);
    if (kept.length === this.#rows.length) return;
    this.#leftOut += this.#rows.length - kept.length;
    const staying = new Set(kept);
    for (const row of this.#rows) {
      if (staying.has(row)) continue;
      const kind = textOf(row.kind ?? ONE);
      this.#leftOutOf.set(kind, (this.#leftOutOf.get(kind) ?? 0) + 1);
    }
    this.#rows = [...kept];
  }
}

function textOf({ group, kind }: RowKind): string {
  return JSON.stringify([group, kind]);
}
