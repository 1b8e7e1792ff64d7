import { Random } from '../../../base/random.js';
import { yieldToSignals } from '../../../base/yield-to-signals.js';
import type { GraphView } from '../../../detect/graph-view.js';
import type { LoadedSplit } from '../../protocol/splits.js';
import type { CalibrationOutcome, TrainingBudget, VariantFitOptions } from '../../protocol/variant-group.js';
import { DeviceProducts } from '../learning/device-products.js';
import { NodeKinds } from '../node-kinds.js';
import { type GraphScorer, notFitted, Rival } from '../rival.js';
import { rivalSettings } from '../rival-settings.js';
import { Cascade } from './cascade.js';
import { type ThreatraceGraph, threatraceGraph } from './threatrace-graph.js';
import { ThreatraceNetwork } from './threatrace-network.js';

/** THREATRACE (Wang et al., IEEE TIFS 2022): docs/research/rivals/threatrace.md. */
export class Threatrace extends Rival {
  readonly seeded = true;
  readonly #kinds = new NodeKinds();
  #products: DeviceProducts | undefined;
  #cascade: Cascade | undefined;
  #budget: TrainingBudget | undefined;

  get budget(): TrainingBudget | undefined {
    return this.#budget;
  }

  async fit(train: LoadedSplit, options: VariantFitOptions): Promise<void> {
    this.options = options;
    this.graphSpec = this.plainGraphs(train);
    const graphs = Array.from((await this.graphsOf(train)).views(), (view) => this.#graphOf(view));
    this.#kinds.close();
    this.#products = await DeviceProducts.open();
    const random = new Random(options.seed).stream('threatrace');
    const sizes = { inputs: 2 * this.#relations, kinds: this.#kinds.size };
    const network = new ThreatraceNetwork(this.#products, this.#settings, sizes, random.stream('weights'));
    const cascade = new Cascade(network, this.#settings);
    await this.watch.time('train', () =>
      cascade.fit(graphs, random, {
        most: this.resolved.training.steps,
        watch: {
          stepped: async () => {
            options.signal?.throwIfAborted();
            await yieldToSignals();
          },
          progress: (done) => options.progress?.('train', done),
        },
      }),
    );
    this.#cascade = cascade;
    this.#budget = { epochs: cascade.epochs, steps: network.parameters.steps, graphs: graphs.length };
  }

  async calibrate(benign: LoadedSplit): Promise<CalibrationOutcome[]> {
    const scores = await this.watch.time('calibrate', () => this.scoreBenign(benign));
    const { ratio } = this.#settings;
    const ownRule = { name: `no sub-model right by a ratio of ${ratio}`, threshold: () => 1 / ratio };
    return scores.map((each) => ({ benign: each, over: 'highest', ownRule }));
  }

  protected get scorer(): GraphScorer {
    const cascade = this.#cascade;
    if (cascade === undefined) throw notFitted();
    return { scores: (view) => cascade.scores(this.#graphOf(view)) };
  }

  override async close(): Promise<void> {
    await this.#products?.close();
    this.#cascade = undefined;
  }

  get #settings() {
    return rivalSettings('threatrace', this.resolved.variant.settings);
  }

  get #relations(): number {
    return this.graphSpec?.space.parts.relations.length ?? 0;
  }

  #graphOf(view: GraphView): ThreatraceGraph {
    return threatraceGraph(view, this.#kinds.of(view), this.#relations);
  }
}
