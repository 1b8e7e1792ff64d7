import { Random } from '../../../base/random.js';
import { yieldToSignals } from '../../../base/yield-to-signals.js';
import type { GraphView } from '../../../detect/graph-view.js';
import { NeighbourSearch } from '../../../detect/knn/neighbour-search.js';
import { ReferenceBuilder } from '../../../detect/knn/reference-builder.js';
import { compileDirection, DIRECTIONS } from '../../../graph/direction.js';
import type { LoadedSplit } from '../../protocol/splits.js';
import type { CalibrationOutcome, TrainingBudget, VariantFitOptions } from '../../protocol/variant-group.js';
import { DeviceProducts } from '../learning/device-products.js';
import { NodeKinds } from '../node-kinds.js';
import { type GraphScorer, notFitted, Rival } from '../rival.js';
import { rivalSettings } from '../rival-settings.js';
import { drawPairs, type MagicGraph, magicGraph, sample } from './magic-graph.js';
import { MagicNetwork } from './magic-network.js';
import type { MagicOptions } from './magic-options.js';

/** Training nodes whose distances give the unit of the scores. */
const UNIT_NODES = 50_000;

interface Fitted {
  readonly network: MagicNetwork;
  readonly search: NeighbourSearch;
  /** The mean distance of training nodes. */
  readonly unit: number;
  readonly budget: TrainingBudget;
}

/** MAGIC (Jia et al., USENIX Security 2024): docs/research/rivals/magic.md. */
export class Magic extends Rival {
  readonly seeded = true;
  readonly #kinds = new NodeKinds();
  #reversed: Uint8Array = new Uint8Array(0);
  #products: DeviceProducts | undefined;
  #fitted: Fitted | undefined;

  get budget(): TrainingBudget | undefined {
    return this.#fitted?.budget;
  }

  async fit(train: LoadedSplit, options: VariantFitOptions): Promise<void> {
    this.options = options;
    this.graphSpec = this.plainGraphs(train);
    const { relations } = this.graphSpec.space.parts;
    this.#reversed = compileDirection(DIRECTIONS.magic, relations);
    const graphs = Array.from((await this.graphsOf(train)).views(), (view) => this.#graphOf(view)).filter(
      ({ edges }) => edges.size > 0,
    );
    this.#kinds.close();
    this.#products = await DeviceProducts.open();
    const random = new Random(options.seed).stream('magic');
    const sizes = { types: this.#kinds.size, relations: relations.length + 1 };
    const network = new MagicNetwork(this.#products, this.#settings, sizes, random.stream('weights'));
    // A relation that training lacks has no part in the attention.
    for (const { edges, outputs } of [...network.encoder, network.decoder]) {
      edges.w.fill(0, relations.length * outputs);
    }
    const epochs = await this.watch.time('train', () => this.#train(network, graphs, random));
    const { search, unit } = await this.watch.time('fit', () => this.#reference(network, graphs));
    const budget = { epochs, steps: network.parameters.steps, graphs: graphs.length };
    this.#fitted = { network, search, unit, budget };
  }

  async calibrate(benign: LoadedSplit): Promise<CalibrationOutcome[]> {
    const scores = await this.watch.time('calibrate', () => this.scoreBenign(benign));
    return scores.map((each) => ({ benign: each, over: 'highest' }));
  }

  protected get scorer(): GraphScorer {
    if (this.#fitted === undefined) throw notFitted();
    const { network, search, unit } = this.#fitted;
    const { neighbours } = this.#settings;
    return {
      scores: (view) => {
        const { rows, types } = this.#graphOf(view);
        const points = search.reference.standardise(Float32Array.from(network.embed(rows, types)));
        const distances = search.scores(points, neighbours);
        return Float64Array.from(points.pointOf, (point) => distances[point] / unit);
      },
    };
  }

  override async close(): Promise<void> {
    await this.#fitted?.search.close();
    await this.#products?.close();
    this.#fitted = undefined;
  }

  get #settings(): MagicOptions {
    return rivalSettings('magic', this.resolved.variant.settings);
  }

  #graphOf(view: GraphView): MagicGraph {
    return magicGraph(view, this.#kinds.of(view), this.#reversed);
  }

  /** One step per graph and epoch, with the loss divided by the number of graphs. Returns the epochs. */
  async #train(network: MagicNetwork, graphs: readonly MagicGraph[], random: Random): Promise<number> {
    const { masked, pairs, rate, decay } = this.#settings;
    const { steps } = this.resolved.training;
    const epochs =
      steps === undefined ? this.#settings.epochs : Math.max(1, Math.ceil(steps / graphs.length));
    for (let epoch = 0; epoch < epochs; epoch++) {
      for (const [g, graph] of graphs.entries()) {
        this.options.signal?.throwIfAborted();
        const draws = random.stream(`step ${epoch} ${g}`);
        const { nodes } = graph.rows;
        const draw = {
          masked: sample(nodes, Math.floor(masked * nodes), draws),
          pairs: drawPairs(graph, pairs, draws),
          random: draws,
        };
        network.parameters.clearGradients();
        network.learn(graph.rows, graph.types, draw, 1 / graphs.length);
        network.parameters.step({ rate, decay });
        await yieldToSignals();
      }
      this.options.progress?.('train', (epoch + 1) / epochs);
    }
    return epochs;
  }

  async #reference(network: MagicNetwork, graphs: readonly MagicGraph[]) {
    const { reference: most, hidden, neighbours } = this.#settings;
    const builder = new ReferenceBuilder(hidden, { seed: this.options.seed, most });
    for (const { rows, types } of graphs) builder.add(Float32Array.from(network.embed(rows, types)));
    const reference = builder.finish();
    const search = await NeighbourSearch.open(reference, { threads: 1, portable: true });
    const { width, steps, multiplicity } = reference.points;
    const count = Math.min(UNIT_NODES, reference.points.count);
    const distances = search.scores({ width, count, steps: steps.subarray(0, count * width) }, neighbours);
    let [sum, instances] = [0, 0];
    distances.forEach((distance, point) => {
      sum += distance * multiplicity[point];
      instances += multiplicity[point];
    });
    return { search, unit: sum > 0 ? sum / instances : 1 };
  }
}
