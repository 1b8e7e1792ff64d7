import { inVocabulary } from '../../graph/relation-vocabulary.js';
import { makeFeatureSpace } from '../../model/file/trained-model.js';
import { prepareTraining } from '../../model/training/prepare-training.js';
import type { TextModel } from '../protocol/graphs-of-split.js';
import type { LoadedSplit } from '../protocol/splits.js';
import type { CalibrationOutcome, TrainingBudget, VariantFitOptions } from '../protocol/variant-group.js';
import type { ResolvedVariant } from '../protocol/variants.js';
import { type GraphScorer, notFitted, Rival } from './rival.js';
import { VeloxExamples } from './velox-examples.js';
import { VeloxNetwork } from './velox-network.js';
import { type VeloxOptions, veloxSettings } from './velox-options.js';

/** What `fit` leaves. */
interface Fitted {
  readonly examples: VeloxExamples;
  network: VeloxNetwork;
  graphs: number;
}

/**
 * The strongest simple rival (method §11): a node scores the loss of its least likely relation, by a network that sees
 * the text and type of both ends. Nothing is calibrated; the threshold is the largest loss of benign graphs.
 */
export class Velox extends Rival {
  readonly seeded = true;
  #text: TextModel | undefined;
  #fitted: Fitted | undefined;

  /** `text`: that of a model with the same seed, if one was trained. */
  constructor(resolved: ResolvedVariant, text?: TextModel | undefined) {
    super(resolved);
    this.#text = text;
  }

  /** The vocabulary and word vectors, for another variant that needs the same. Undefined before `fit`. */
  get text(): TextModel | undefined {
    return this.#text;
  }

  async fit(train: LoadedSplit, options: VariantFitOptions): Promise<void> {
    this.options = options;
    const { seed, signal, progress } = options;
    const config = { ...this.resolved.training, seed };
    const { store, selection } = train;
    const watch = {
      prepared: (stage: string, done: number) => progress?.('words', stage === 'words' ? done : 0),
    };
    this.#text ??= await this.watch.time('prepare', () =>
      prepareTraining({ store, selection, config, signal, watch }, undefined),
    );
    const { vocabulary, vectors } = this.#text.space.parts;
    // The other model may scale the blocks of x_v differently, and name relations differently.
    const { relations } = inVocabulary(train.events, config.vocabulary).table;
    const known = relations.map((name) => ({ name, frequency: 0 }));
    const space = makeFeatureSpace(config, known, vocabulary, vectors);
    this.graphSpec = { space, direction: this.#text.direction, config };
    const graphs = await this.graphsOf(train);
    const examples = new VeloxExamples(relations.length, space.profileColumn).add(graphs.views());
    this.#fitted = { examples, network: await this.#train(examples), graphs: graphs.count };
  }

  /** Every step uses all graphs, so a step is an epoch. */
  get budget(): TrainingBudget | undefined {
    if (this.#fitted === undefined) return undefined;
    const { network, graphs } = this.#fitted;
    return { epochs: network.steps, steps: network.steps, graphs };
  }

  /** Scores the benign graphs before it learns from them: afterwards their losses would be too low. */
  async calibrate(benign: LoadedSplit): Promise<CalibrationOutcome[]> {
    const scores = await this.watch.time('calibrate', () => this.scoreBenign(benign));
    const fitted = this.#ready;
    if (this.#settings.learn === 'both') {
      const graphs = await this.graphsOf(benign);
      fitted.examples.add(graphs.views());
      fitted.network = await this.#train(fitted.examples);
      fitted.graphs += graphs.count;
    }
    return scores.map((benign) => {
      const ownThreshold = benign.scores[0] ?? 0;
      const ownRule = { name: 'above every benign score', threshold: () => ownThreshold };
      return { benign, over: 'highest', ownThreshold, ownRule };
    });
  }

  protected get scorer(): GraphScorer {
    return this.#ready.network;
  }

  get #ready(): Fitted {
    if (this.#fitted === undefined) throw notFitted();
    return this.#fitted;
  }

  get #settings(): VeloxOptions {
    return veloxSettings(this.resolved.variant.velox, this.resolved.training);
  }

  #train(examples: VeloxExamples): Promise<VeloxNetwork> {
    const { seed } = this.options;
    return this.watch.time('train', () => VeloxNetwork.fit(examples, { ...this.#settings, seed }));
  }
}
