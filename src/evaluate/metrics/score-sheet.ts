/** How a variant with one seed ranks the nodes of the test, or its mean scores over the seeds. */
export interface ScoreColumn {
  readonly variant: string;
  readonly seed: number | 'mean';
  /** As of `NodeScores`: a score, and below 0 what orders the nodes that score 0. A mean is of scores alone. */
  readonly ranking: Float64Array;
}

/** The score of a node: whatever ranks below 0 scores 0. */
export function scoreAt({ ranking }: ScoreColumn, node: number): number {
  return Math.max(0, ranking[node]);
}

/** False where nodes that score 0 are all equal: then scores rank as well as the ranking does. */
export function ordersSilent({ ranking }: ScoreColumn): boolean {
  let first: number | undefined;
  for (const rank of ranking) {
    if (rank > 0) continue;
    first ??= rank;
    if (rank !== first) return true;
  }
  return false;
}

/** Beyond so many numbers a variant has one column. */
const MOST_CELLS = 50_000_000;

/** Keeps what ranks all nodes for who wants to look at it, in as much memory as that may take. */
export class ScoreSheet {
  readonly #columns: ScoreColumn[] = [];
  readonly #isWhole: boolean;
  readonly #added = new Map<string, number>();

  /** `expected`: columns that will come. */
  constructor(nodes: number, expected: number, most: number = MOST_CELLS) {
    this.#isWhole = nodes * expected <= most;
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
