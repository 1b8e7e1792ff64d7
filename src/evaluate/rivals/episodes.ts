import type { LoadedSplit } from '../protocol/splits.js';
import type { CalibrationOutcome, VariantFitOptions, VariantGroup } from '../protocol/variant-group.js';
import { EpisodeFinder, type EpisodeFindings } from '../reference/find-episodes.js';
import { type GraphScorer, notFitted, Rival } from './rival.js';

/**
 * The reference (docs/concepts/episodes.md): counts what each program does, and scores process trees by how unusual their
 * novelty is. It learns nothing else, so every seed gives the same scores.
 */
export class Episodes extends Rival {
  readonly seeded = false;
  readonly #finder = new EpisodeFinder();
  #scores: Float64Array | undefined;
  #findings: EpisodeFindings | undefined;

  /** The scores of the folded episodes of the test, after `score`. */
  get episodeScores(): Float64Array | undefined {
    return this.#findings && Float64Array.from(this.#findings.folded, ({ score }) => score);
  }

  async fit(train: LoadedSplit, options: VariantFitOptions): Promise<void> {
    this.options = options;
    this.graphSpec = this.plainGraphs(train);
    const named = await train.named();
    await this.watch.time('fit', () => this.#finder.fit(named));
  }

  async calibrate(benign: LoadedSplit): Promise<CalibrationOutcome[]> {
    const named = await benign.named();
    this.#scores = await this.watch.time('calibrate', () => this.#finder.calibrate(named));
    // The rates come from the same events as these scores.
    const scores = await this.scoreBenign(benign, true);
    return scores.map((each) => ({ benign: each, over: 'highest' }));
  }

  override async *score(test: LoadedSplit): ReturnType<VariantGroup['score']> {
    const named = await test.named();
    this.#findings = await this.watch.time('score', () => this.#finder.find(named));
    this.#scores = this.#findings.nodeScores;
    yield* super.score(test);
  }

  protected get scorer(): GraphScorer {
    const scores = this.#scores;
    if (scores === undefined) throw notFitted();
    return { scores: ({ planned }) => Float64Array.from(planned.nodes, (node) => scores[node]) };
  }
}
