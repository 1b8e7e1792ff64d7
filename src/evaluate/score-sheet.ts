/** The scores of a variant with one seed, or their mean over the seeds. */
export interface ScoreColumn {
  readonly variant: string;
  readonly seed: number | 'mean';
  readonly scores: Float64Array;
}

/** Beyond so many numbers a variant has one column. */
const MOST_CELLS = 50_000_000;

/** Keeps the scores of all nodes for who wants to look at them, in as much memory as that may take. */
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

  add(variant: string, seed: number, scores: Float64Array): void {
    if (this.#isWhole) {
      this.#columns.push({ variant, seed, scores });
      return;
    }
    const count = (this.#added.get(variant) ?? 0) + 1;
    this.#added.set(variant, count);
    const known = this.#columns.find((column) => column.variant === variant);
    if (known === undefined) this.#columns.push({ variant, seed: 'mean', scores: scores.slice() });
    else {
      for (let v = 0; v < scores.length; v++) known.scores[v] += (scores[v] - known.scores[v]) / count;
    }
  }
}
