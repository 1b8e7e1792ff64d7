import { PairTable } from '../evidence/pair-table.js';
import type { BenignScores } from './benign-scores.js';
import { type Discoveries, discoverByDay } from './fdr.js';
import { nodeP } from './threshold.js';

/** Nodes by day with their p-values: what a false discovery rate is over. A node in G graphs of a day has G chances (method §9). */
export class NodeDays {
  readonly #rows = new PairTable();
  readonly #smallest: number[] = [];
  readonly #times: number[] = [];

  /** By row, the events' own number of the node. */
  get nodes(): Int32Array {
    return this.#rows.firsts;
  }

  get days(): Int32Array {
    return this.#rows.seconds;
  }

  /** A node's p in one graph of a day. Gives the row of the two. */
  add(node: number, day: number, p: number): number {
    const row = this.#rows.intern(node, day);
    this.#smallest[row] = Math.min(this.#smallest[row] ?? 1, p);
    this.#times[row] = (this.#times[row] ?? 0) + 1;
    return row;
  }

  rowOf(node: number, day: number): number {
    return this.#rows.find(node, day);
  }

  /** p in one of the row's graphs, corrected for their number. */
  correct(row: number, p: number): number {
    return nodeP(p, this.#times[row]);
  }

  /** Benjamini and Hochberg over the nodes of each host and day. `isCorrected`: what was added needs no correction. */
  discover(
    level: number,
    benign: Pick<BenignScores, 'instances'>,
    hostAt: (node: number) => number,
    isCorrected = false,
  ): Discoveries {
    return discoverByDay(
      {
        hosts: Array.from(this.nodes, hostAt),
        days: this.days,
        p: this.#smallest.map((p, row) => (isCorrected ? p : this.correct(row, p))),
      },
      // Events on file are over: every day of them is closed.
      { level, floor: 1 / (benign.instances + 1), openDay: Number.POSITIVE_INFINITY },
    );
  }
}

/** What it would take for anything to be discovered. */
export function describeNeeded(
  { days }: Discoveries,
  { instances }: Pick<BenignScores, 'instances'>,
): string {
  const needed = days.reduce((least, day) => Math.min(least, day.needed), Number.POSITIVE_INFINITY);
  return `on a day ${needed} nodes, of one graph each, would have to score above all ${instances} benign ones`;
}
