import type { NodeScores } from './node-scores.js';

/** The ranking of the test nodes by a variant with one seed, or the mean of its scores over the seeds. */
export interface ScoreColumn {
  readonly variant: string;
  readonly seed: number | 'mean';
  /** As in `NodeScores`. A mean covers scores only. */
  readonly ranking: Float64Array;
  /** Absent if a score is the rank, or 0 for a negative rank. */
  readonly scores?: Float64Array;
}

/** The highest score of a node over its graphs. */
export function scoreAt({ ranking, scores }: ScoreColumn, node: number): number {
  return scores === undefined ? Math.max(0, ranking[node]) : scores[node];
}

/** True if the ranking is not that of the scores: it orders nodes that score 0, or is corrected for numbers of graphs. */
export function ranksApart({ ranking, scores }: ScoreColumn): boolean {
  if (scores !== undefined) return true;
  let first: number | undefined;
  for (const rank of ranking) {
    if (rank > 0) continue;
    first ??= rank;
    if (rank !== first) return true;
  }
  return false;
}

/** A larger sheet keeps one column of means per variant. */
const MAX_CELLS = 50_000_000;

/** Keeps the rankings of all runs, within a memory limit. */
export class ScoreSheet {
  readonly #columns: ScoreColumn[] = [];
  readonly #isWhole: boolean;
  readonly #added = new Map<string, number>();

  /** `expected` is the number of columns to come. */
  constructor(nodes: number, expected: number, maxCells: number = MAX_CELLS) {
    this.#isWhole = nodes * expected <= maxCells;
  }

  get columns(): readonly ScoreColumn[] {
    return this.#columns;
  }

  add(variant: string, seed: number, { ranking, scores }: Pick<NodeScores, 'ranking' | 'scores'>): void {
    if (this.#isWhole) {
      const isSame = scores.every((score, v) => score === Math.max(0, ranking[v]));
      this.#columns.push(isSame ? { variant, seed, ranking } : { variant, seed, ranking, scores });
      return;
    }
    const count = (this.#added.get(variant) ?? 0) + 1;
    this.#added.set(variant, count);
    let known = this.#columns.find((column) => column.variant === variant);
    if (known === undefined) {
      known = { variant, seed: 'mean', ranking: new Float64Array(ranking.length) };
      this.#columns.push(known);
    }
    const mean = known.ranking;
    for (let v = 0; v < mean.length; v++) mean[v] += (scores[v] - mean[v]) / count;
  }
}
