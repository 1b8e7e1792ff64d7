import { PairTable } from '../evidence/pair-table.js';
import type { BenignScores } from './benign-scores.js';
import { type Discoveries, discoverByDay } from './fdr.js';
import { nodeP } from './threshold.js';

/** The p-values of nodes by day, for a false discovery rate. A node in G graphs of a day has G chances (method §9). */
export class NodeDays {
  readonly #rows = new PairTable();
  readonly #smallest: number[] = [];
  readonly #times: number[] = [];

  /** By row: the node, numbered as in the loaded events. */
  get nodes(): Int32Array {
    return this.#rows.firsts;
  }

  get days(): Int32Array {
    return this.#rows.seconds;
  }

  /** Adds a node's p in one graph of a day and returns the row of (node, day). */
  add(node: number, day: number, p: number): number {
    const row = this.#rows.intern(node, day);
    this.#smallest[row] = Math.min(this.#smallest[row] ?? 1, p);
    this.#times[row] = (this.#times[row] ?? 0) + 1;
    return row;
  }

  rowOf(node: number, day: number): number {
    return this.#rows.find(node, day);
  }

  /** A p of one graph, corrected for the number of the row's graphs. */
  correct(row: number, p: number): number {
    return nodeP(p, this.#times[row]);
  }

  /** Benjamini and Hochberg over the nodes of each host and day. */
  discover(
    level: number,
    benign: Pick<BenignScores, 'instances'>,
    hostAt: (node: number) => number,
  ): Discoveries {
    return discoverByDay(
      {
        hosts: Array.from(this.nodes, hostAt),
        days: this.days,
        p: this.#smallest.map((p, row) => this.correct(row, p)),
      },
      { level, floor: 1 / (benign.instances + 1) },
    );
  }
}

/** Says how many nodes it would take for a discovery. */
export function describeNeeded(
  { days }: Discoveries,
  { instances }: Pick<BenignScores, 'instances'>,
): string {
  const needed = days.reduce((least, day) => Math.min(least, day.needed), Number.POSITIVE_INFINITY);
  return `that would take ${needed} nodes per day, each in one graph, that score above all ${instances} benign instances`;
}
