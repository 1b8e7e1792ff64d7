/** The ranking of the test nodes by a variant with one seed, or the mean of its scores over the seeds. */
export interface ScoreColumn {
  readonly variant: string;
  readonly seed: number | 'mean';
  /** As in `NodeScores`: a score, or a negative rank for a node that scores 0. A mean covers scores only. */
  readonly ranking: Float64Array;
}

/** The score of a node. A negative rank is a score of 0. */
export function scoreAt({ ranking }: ScoreColumn, node: number): number {
  return Math.max(0, ranking[node]);
}

/** True if the ranking orders nodes that score 0. If false, the scores alone give the same order. */
export function ranksZeroScores({ ranking }: ScoreColumn): boolean {
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

  add(variant: string, seed: number, ranking: Float64Array): void {
    if (this.#isWhole) {
      this.#columns.push({ variant, seed, ranking });
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
    for (let v = 0; v < mean.length; v++) mean[v] += (Math.max(0, ranking[v]) - mean[v]) / count;
  }
}
