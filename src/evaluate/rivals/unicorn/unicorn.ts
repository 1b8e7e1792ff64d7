import { Random } from '../../../base/random.js';
import { yieldToSignals } from '../../../base/yield-to-signals.js';
import type { GraphView } from '../../../detect/graph-view.js';
import { compileDirection, DIRECTIONS } from '../../../graph/direction.js';
import type { LoadedSplit } from '../../protocol/splits.js';
import type { CalibrationOutcome, VariantFitOptions } from '../../protocol/variant-group.js';
import { NodeKinds } from '../node-kinds.js';
import { type GraphScorer, notFitted, Rival } from '../rival.js';
import { rivalSettings } from '../rival-settings.js';
import { Evolution } from './evolution.js';
import { sketchStream } from './sketch-stream.js';
import type { UnicornOptions } from './unicorn-options.js';

/** Unicorn (Han et al., NDSS 2020): docs/research/rivals/unicorn.md. */
export class Unicorn extends Rival {
  readonly seeded = true;
  readonly #kinds = new NodeKinds();
  #reversed: Uint8Array = new Uint8Array(0);
  #models: readonly Evolution[] = [];

  async fit(train: LoadedSplit, options: VariantFitOptions): Promise<void> {
    this.options = options;
    this.graphSpec = this.plainGraphs(train);
    this.#reversed = compileDirection(DIRECTIONS.flow, this.graphSpec.space.parts.relations);
    const random = new Random(options.seed).stream('unicorn');
    const graphs = await this.graphsOf(train);
    const models: Evolution[] = [];
    for (const view of graphs.views()) {
      options.signal?.throwIfAborted();
      const sketches = await this.watch.time('train', () => this.#sketch(view));
      // As in the original, every training graph is a model of its own.
      if (sketches.length > 0) models.push(new Evolution(sketches, this.#settings, random));
      options.progress?.('train', models.length / graphs.count);
      await yieldToSignals();
    }
    this.#kinds.close();
    this.#models = models;
  }

  async calibrate(benign: LoadedSplit): Promise<CalibrationOutcome[]> {
    const scores = await this.watch.time('calibrate', () => this.scoreBenign(benign));
    const { deviations } = this.#settings;
    const ownRule = { name: `in a batch beyond ${deviations} deviations of every model`, threshold: () => 1 };
    return scores.map((each) => ({ benign: each, over: 'highest', ownRule }));
  }

  protected get scorer(): GraphScorer {
    if (this.#models.length === 0) throw notFitted();
    return { scores: (view) => this.#scores(view) };
  }

  get #settings(): UnicornOptions {
    return rivalSettings('unicorn', this.resolved.variant.settings);
  }

  /** By local node: the highest score of the batches that it has an edge in. A sketch says no more about nodes. */
  #scores(view: GraphView): Float64Array {
    const { batch } = this.#settings;
    const sketches = this.#sketch(view);
    const found = this.#models.map((model) => model.follow(sketches));
    const scores = new Float64Array(view.planned.nodes.length);
    const { subject, object, length } = view.interactions;
    for (let i = 0; i < length; i++) {
      const at = Math.floor(i / batch);
      const score = Math.min(...found.map((of) => of[at]));
      for (const node of [subject[i], object[i]]) scores[node] = Math.max(scores[node], score);
    }
    return scores;
  }

  /** A sketch of the graph so far after every batch of edges. */
  #sketch(view: GraphView): Uint32Array[] {
    const { subject, object, relation, length } = view.interactions;
    const isBack = Uint8Array.from({ length }, (_, i) => this.#reversed[relation[i]] ?? 0);
    const edges = {
      length,
      source: Int32Array.from(isBack, (back, i) => (back === 1 ? object : subject)[i]),
      target: Int32Array.from(isBack, (back, i) => (back === 1 ? subject : object)[i]),
      relation,
    };
    return sketchStream(edges, this.#kinds.of(view), this.#settings, this.options.seed);
  }
}
