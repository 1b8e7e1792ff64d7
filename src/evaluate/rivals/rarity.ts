import { UNKNOWN, Vocabulary } from '../../features/vocabulary.js';
import { DIRECTIONS } from '../../graph/direction.js';
import { makeFeatureSpace } from '../../model/file/trained-model.js';
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
    const { training } = this.resolved;
    const relations = train.events.table.relations.map((name) => ({ name, frequency: 0 }));
    // Rarity reads names, not features, so the smallest possible vocabulary is enough to build graphs.
    const space = makeFeatureSpace(
      { ...training, textDimension: 1 },
      relations,
      new Vocabulary([UNKNOWN], Uint32Array.of(1)),
      new Float32Array(1),
    );
    this.graphSpec = { space, direction: DIRECTIONS[training.direction], config: training };
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
