import { prepareTraining } from '../../model/training/prepare-training.js';
import type { TextModel } from '../protocol/graphs-of-split.js';
import type { LoadedSplit } from '../protocol/splits.js';
import type { CalibrationOutcome, TrainingBudget, VariantFitOptions } from '../protocol/variant-group.js';
import type { ResolvedVariant } from '../protocol/variants.js';
import { type GraphScorer, notFitted, Rival } from './rival.js';
import { VeloxNetwork } from './velox-network.js';

/**
 * The strongest simple rival (method §11): a node scores the loss of its least likely relation, by a network that sees
 * the text and type of both ends. Nothing is calibrated; the threshold is the largest loss of benign graphs.
 */
export class Velox extends Rival {
  readonly seeded = true;
  #text: TextModel | undefined;
  #network: VeloxNetwork | undefined;
  #graphs = 0;

  /** `text`: that of a model with the same seed, if one was trained. */
  constructor(resolved: ResolvedVariant, text?: TextModel | undefined) {
    super(resolved);
    this.#text = text;
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
    const { space, direction } = this.#text;
    this.graphSpec = { space, direction, config };
    const graphs = await this.graphsOf(train);
    this.#graphs = graphs.count;
    const { steps } = config;
    this.#network = await this.watch.time('train', () =>
      VeloxNetwork.fit(
        graphs.views(),
        space.parts.relations.length,
        space.profileColumn,
        steps === undefined ? {} : { steps },
      ),
    );
  }

  /** Every step uses all graphs, so a step is an epoch. */
  get budget(): TrainingBudget | undefined {
    if (this.#network === undefined) return undefined;
    const { steps } = this.#network;
    return { epochs: steps, steps, graphs: this.#graphs };
  }

  async calibrate(benign: LoadedSplit): Promise<CalibrationOutcome[]> {
    const scores = await this.watch.time('calibrate', () => this.scoreBenign(benign));
    return scores.map((benign) => ({ benign, over: 'highest', ownThreshold: benign.scores[0] ?? 0 }));
  }

  protected get scorer(): GraphScorer {
    if (this.#network === undefined) throw notFitted();
    return this.#network;
  }
}
