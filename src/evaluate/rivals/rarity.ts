import type { LoadedSplit } from '../protocol/splits.js';
import type { CalibrationOutcome, VariantFitOptions } from '../protocol/variant-group.js';
import { RarityCounts } from './rarity-counts.js';
import { type GraphScorer, Rival } from './rival.js';

/** The baseline to beat (method §10): the share of a node's names and relations that benign graphs do not have. */
export class Rarity extends Rival {
  readonly seeded = false;
  readonly #counts = new RarityCounts();

  async fit(train: LoadedSplit, options: VariantFitOptions): Promise<void> {
    this.options = options;
    this.graphSpec = this.plainGraphs(train);
    const graphs = await this.graphsOf(train);
    await this.watch.time('fit', () => this.#counts.fit(graphs.views()));
  }

  /** Scores the benign graphs before it counts them: afterwards nothing in them is new. */
  async calibrate(benign: LoadedSplit): Promise<CalibrationOutcome[]> {
    const scores = await this.watch.time('calibrate', () => this.scoreBenign(benign));
    const graphs = await this.graphsOf(benign);
    await this.watch.time('calibrate', () => this.#counts.fit(graphs.views()));
    return scores.map((each) => ({ benign: each, over: 'highest' }));
  }

  protected get scorer(): GraphScorer {
    return this.#counts;
  }
}
