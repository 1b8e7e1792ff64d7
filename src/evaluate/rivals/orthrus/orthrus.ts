import { Random } from '../../../base/random.js';
import { yieldToSignals } from '../../../base/yield-to-signals.js';
import type { GraphView } from '../../../detect/graph-view.js';
import { compileDirection, DIRECTIONS } from '../../../graph/direction.js';
import { ENTITY_TYPES } from '../../../ingest/event.js';
import type { LoadedSplit } from '../../protocol/splits.js';
import type { CalibrationOutcome, TrainingBudget, VariantFitOptions } from '../../protocol/variant-group.js';
import { DeviceProducts } from '../learning/device-products.js';
import { NameVectors } from '../name-vectors.js';
import { type GraphScorer, notFitted, Rival } from '../rival.js';
import { rivalSettings } from '../rival-settings.js';
import { NeighbourMemory, type OrderedEdges } from './neighbour-memory.js';
import { OrthrusNetwork } from './orthrus-network.js';
import type { OrthrusOptions } from './orthrus-options.js';
import { twoMeans } from './two-means.js';

/** The split that is being read: its features, and the latest edges of its nodes so far. */
interface Reading {
  readonly features: Float32Array;
  memory: NeighbourMemory;
}

/** Orthrus (Jiang et al., USENIX Security 2025), without what it takes from the test: docs/research/rivals/orthrus.md. */
export class Orthrus extends Rival {
  readonly seeded = true;
  #names: NameVectors | undefined;
  #reversed: Uint8Array = new Uint8Array(0);
  #products: DeviceProducts | undefined;
  #network: OrthrusNetwork | undefined;
  #reading: Reading | undefined;
  #budget: TrainingBudget | undefined;
  #examples = 0;

  get budget(): TrainingBudget | undefined {
    return this.#budget;
  }

  async fit(train: LoadedSplit, options: VariantFitOptions): Promise<void> {
    this.options = options;
    const { text, textEpochs, decline, epochs, rate, decay } = this.#settings;
    const { seed, signal, progress } = options;
    this.graphSpec = this.plainGraphs(train);
    const { relations } = this.graphSpec.space.parts;
    this.#reversed = compileDirection(DIRECTIONS.flow, relations);
    this.#names = await this.watch.time('prepare', () =>
      NameVectors.learn(train, {
        dimension: text,
        epochs: textEpochs,
        decline,
        seed,
        onProgress(done) {
          signal?.throwIfAborted();
          progress?.('words', done);
        },
      }),
    );
    const windows = Array.from((await this.graphsOf(train)).views(), (view) => this.#edgesOf(view, true));
    this.#examples = windows.reduce((sum, { length }) => sum + length, 0);
    this.#products = await DeviceProducts.open();
    const random = new Random(seed).stream('orthrus');
    const sizes = { inputs: text + ENTITY_TYPES.length, relations: relations.length };
    const network = new OrthrusNetwork(this.#products, this.#settings, sizes, random.stream('weights'));
    const most = this.resolved.training.steps ?? Number.POSITIVE_INFINITY;
    const { parameters } = network;
    const isDone = (epoch: number) =>
      most < Number.POSITIVE_INFINITY ? parameters.steps >= most : epoch >= epochs;
    let epoch = 0;
    await this.watch.time('train', async () => {
      for (; !isDone(epoch) && this.#examples > 0; epoch++) {
        const { features } = this.#ready;
        const memory = new NeighbourMemory(features.length / sizes.inputs, this.#settings.neighbours);
        for (const edges of windows) {
          for (const [from, to] of this.#batches(edges)) {
            if (parameters.steps >= most) break;
            signal?.throwIfAborted();
            parameters.clearGradients();
            network.learn(memory.batch(edges, from, to, features), random.stream(`step ${parameters.steps}`));
            parameters.step({ rate, decay });
            memory.remember(edges, from, to);
            await yieldToSignals();
          }
        }
        progress?.('train', most < Number.POSITIVE_INFINITY ? parameters.steps / most : (epoch + 1) / epochs);
      }
    });
    this.#network = network;
    this.#budget = { epochs: epoch, steps: parameters.steps, graphs: windows.length };
  }

  async calibrate(benign: LoadedSplit): Promise<CalibrationOutcome[]> {
    const scores = await this.watch.time('calibrate', () => this.scoreBenign(benign));
    const { clustered } = this.#settings;
    return scores.map((each) => {
      const highest = each.scores[0] ?? 0;
      const ownRule = {
        name: `above every benign score, and in the higher of two clusters of the top ${clustered}`,
        threshold: (found: Float64Array) =>
          Math.max(highest, twoMeans(found.slice().sort().subarray(-clustered))),
      };
      return { benign: each, over: 'highest', ownRule };
    });
  }

  protected override async graphsOf(split: LoadedSplit) {
    const names = this.#names;
    if (names === undefined) return super.graphsOf(split);
    // Every pass over a split starts without memory.
    const features = await names.featuresOf(split);
    const nodes = split.events.keys.size;
    this.#reading = { features, memory: new NeighbourMemory(nodes, this.#settings.neighbours) };
    return super.graphsOf(split);
  }

  protected get scorer(): GraphScorer {
    return { scores: (view) => this.#scores(view) };
  }

  override async close(): Promise<void> {
    await this.#products?.close();
    this.#network = undefined;
  }

  get #settings(): OrthrusOptions {
    return rivalSettings('orthrus', this.resolved.variant.settings);
  }

  get #ready(): Reading {
    if (this.#reading === undefined) throw notFitted();
    return this.#reading;
  }

  /** By local node: the largest loss of its edges, at either end. */
  #scores(view: GraphView): Float64Array {
    const network = this.#network;
    if (network === undefined) throw notFitted();
    const { features, memory } = this.#ready;
    const edges = this.#edgesOf(view, false);
    const { subject, object } = view.interactions;
    const scores = new Float64Array(view.planned.nodes.length);
    for (const [from, to] of this.#batches(edges)) {
      const losses = network.losses(memory.batch(edges, from, to, features));
      memory.remember(edges, from, to);
      losses.forEach((loss, i) => {
        // A relation that training lacks has the probability 1 / (examples + 1).
        const score = Number.isNaN(loss) ? Math.log(this.#examples + 1) : loss;
        for (const node of [subject[from + i], object[from + i]])
          scores[node] = Math.max(scores[node], score);
      });
    }
    return scores;
  }

  #edgesOf({ planned: { nodes }, interactions }: GraphView, knownOnly: boolean): OrderedEdges {
    const { subject, object, relation, length } = interactions;
    const known = this.#reversed.length;
    const kept = Int32Array.from({ length }, (_, i) => i).filter((i) => !knownOnly || relation[i] < known);
    const isBack = (i: number) => this.#reversed[relation[i]] === 1;
    return {
      length: kept.length,
      source: kept.map((i) => nodes[isBack(i) ? object[i] : subject[i]]),
      target: kept.map((i) => nodes[isBack(i) ? subject[i] : object[i]]),
      relation: Uint16Array.from(kept, (i) => relation[i]),
    };
  }

  *#batches({ length }: OrderedEdges): Generator<[from: number, to: number]> {
    const { batch } = this.#settings;
    for (let from = 0; from < length; from += batch) yield [from, Math.min(length, from + batch)];
  }
}
