import { Random } from '../../../base/random.js';
import { yieldToSignals } from '../../../base/yield-to-signals.js';
import type { GraphView } from '../../../detect/graph-view.js';
import type { Sentences } from '../../../features/sentences.js';
import { trainWord2Vec } from '../../../features/word2vec.js';
import type { LoadedSplit } from '../../protocol/splits.js';
import type { CalibrationOutcome, TrainingBudget, VariantFitOptions } from '../../protocol/variant-group.js';
import { BoostedTrees } from '../boosting/boosted-trees.js';
import { DeviceProducts } from '../learning/device-products.js';
import { NodeKinds } from '../node-kinds.js';
import { type GraphScorer, notFitted, Rival } from '../rival.js';
import { rivalSettings } from '../rival-settings.js';
import { nodeScore } from '../threatrace/cascade.js';
import { meanOfEvents } from '../threatrace/threatrace-graph.js';
import { type FlashGraph, FlashNetwork } from './flash-network.js';
import type { FlashOptions } from './flash-options.js';
import { documentVectors, NodeDocuments } from './node-documents.js';

/** FLASH (Rehman et al., IEEE S&P 2024): docs/research/rivals/flash.md. */
export class Flash extends Rival {
  readonly seeded = true;
  readonly #kinds = new NodeKinds();
  readonly #documents = new NodeDocuments();
  #vectors: Float32Array = new Float32Array(0);
  #products: DeviceProducts | undefined;
  #network: FlashNetwork | undefined;
  #trees: BoostedTrees | undefined;
  #budget: TrainingBudget | undefined;

  get budget(): TrainingBudget | undefined {
    return this.#budget;
  }

  async fit(train: LoadedSplit, options: VariantFitOptions): Promise<void> {
    this.options = options;
    const { seed, signal, progress } = options;
    const settings = this.#settings;
    this.graphSpec = this.plainGraphs(train);
    const views = [...(await this.graphsOf(train)).views()];
    const documents = views.map((view) => this.#documents.of(view, this.#relations));
    for (const view of views) this.#kinds.of(view);
    this.#documents.close();
    this.#kinds.close();
    this.#vectors = await this.watch.time('prepare', () =>
      trainWord2Vec(joinSentences(documents), this.#documents.size, {
        dimension: settings.text,
        epochs: settings.textEpochs,
        window: 5,
        negatives: 5,
        rate: 0.025,
        seed,
        onProgress(done) {
          signal?.throwIfAborted();
          progress?.('words', done);
        },
      }),
    );
    const graphs = views.map((view) => this.#graphOf(view));
    this.#products = await DeviceProducts.open();
    const random = new Random(seed).stream('flash');
    const sizes = { inputs: settings.text, kinds: this.#kinds.size };
    const network = new FlashNetwork(this.#products, settings, sizes, random.stream('weights'));
    const epochs = await this.watch.time('train', () => this.#train(network, graphs, random));
    this.#network = network;
    this.#trees = await this.watch.time('train', () => this.#boost(graphs));
    this.#budget = { epochs, steps: network.parameters.steps, graphs: graphs.length };
  }

  async calibrate(benign: LoadedSplit): Promise<CalibrationOutcome[]> {
    const scores = await this.watch.time('calibrate', () => this.scoreBenign(benign));
    const ownRule = { name: 'type predicted wrong', threshold: () => 1 };
    return scores.map((each) => ({ benign: each, over: 'highest', ownRule }));
  }

  protected get scorer(): GraphScorer {
    const trees = this.#trees;
    if (trees === undefined) throw notFitted();
    return {
      scores: (view) => {
        const graph = this.#graphOf(view);
        const found = trees.predict(this.#inputsOf(graph));
        const { classes } = trees;
        return Float64Array.from(graph.kinds, (kind, node) =>
          nodeScore(found.subarray(node * classes, (node + 1) * classes), kind),
        );
      },
    };
  }

  override async close(): Promise<void> {
    await this.#products?.close();
    this.#network = undefined;
  }

  get #settings(): FlashOptions {
    return rivalSettings('flash', this.resolved.variant.settings);
  }

  get #relations(): readonly string[] {
    return this.graphSpec?.space.parts.relations ?? [];
  }

  #graphOf(view: GraphView): FlashGraph {
    const { text } = this.#settings;
    const own = documentVectors(this.#documents.of(view, this.#relations), this.#vectors, text);
    const mean = meanOfEvents(view, this.#relations.length, false);
    return { mean, own, around: mean.all(own, text), kinds: this.#kinds.of(view) };
  }

  /** Rare types weigh more, so that all types weigh the same together. */
  async #train(network: FlashNetwork, graphs: readonly FlashGraph[], random: Random): Promise<number> {
    const { batch, rate, decay, epochs: own } = this.#settings;
    const { parameters } = network;
    const counts = new Float64Array(this.#kinds.size);
    for (const { kinds } of graphs) for (const kind of kinds) counts[kind]++;
    const weights = counts.map((count) => (count === 0 ? 0 : 1 / count));
    const most = this.resolved.training.steps ?? Number.POSITIVE_INFINITY;
    const epochs = most === Number.POSITIVE_INFINITY ? own : most;
    let epoch = 0;
    for (; epoch < epochs && parameters.steps < most; epoch++) {
      for (const graph of graphs) {
        for (let first = 0; first < graph.mean.nodes && parameters.steps < most; first += batch) {
          const length = Math.min(batch, graph.mean.nodes - first);
          const nodes = Int32Array.from({ length }, (_, i) => first + i);
          this.options.signal?.throwIfAborted();
          parameters.clearGradients();
          network.learn(graph, nodes, weights, random.stream(`step ${parameters.steps}`));
          parameters.step({ rate, decay });
          await yieldToSignals();
        }
      }
      this.options.progress?.('train', (0.5 * (epoch + 1)) / epochs);
    }
    return epoch;
  }

  /** The classifier over document vectors and embeddings. */
  async #boost(graphs: readonly FlashGraph[]): Promise<BoostedTrees> {
    const inputs = graphs.map((graph) => this.#inputsOf(graph));
    const x = new Float32Array(inputs.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of inputs) {
      x.set(part, at);
      at += part.length;
    }
    const labels = Uint8Array.from(graphs.flatMap(({ kinds }) => [...kinds]));
    return BoostedTrees.fit(x, labels, this.#kinds.size, this.#settings.boosting, async (done) => {
      this.options.signal?.throwIfAborted();
      this.options.progress?.('train', 0.5 + 0.5 * done);
      await yieldToSignals();
    });
  }

  #inputsOf(graph: FlashGraph): Float32Array {
    if (this.#network === undefined) throw notFitted();
    const { text, hidden } = this.#settings;
    const { nodes } = graph.mean;
    const embedded = this.#network.embed(
      graph,
      Int32Array.from({ length: nodes }, (_, i) => i),
    );
    const x = new Float32Array(nodes * (text + hidden));
    for (let node = 0; node < nodes; node++) {
      x.set(graph.own.subarray(node * text, (node + 1) * text), node * (text + hidden));
      x.set(embedded.subarray(node * hidden, (node + 1) * hidden), node * (text + hidden) + text);
    }
    return x;
  }
}

function joinSentences(parts: readonly Sentences[]): Sentences {
  const sentences = parts.reduce((sum, { offsets }) => sum + offsets.length - 1, 0);
  const offsets = new Uint32Array(sentences + 1);
  const tokens = new Uint32Array(parts.reduce((sum, part) => sum + part.tokens.length, 0));
  let [row, at] = [0, 0];
  for (const part of parts) {
    for (let i = 1; i < part.offsets.length; i++) offsets[++row] = at + part.offsets[i];
    tokens.set(part.tokens, at);
    at += part.tokens.length;
  }
  return { offsets, tokens };
}
