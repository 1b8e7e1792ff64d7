import { Stopwatch } from '../../base/stopwatch.js';
import { yieldToSignals } from '../../base/yield-to-signals.js';
import { SuspiciousNodeCollector } from '../../detect/alerts/activity.js';
import { LinkCollector } from '../../detect/alerts/incident-links.js';
import type { GraphView } from '../../detect/graph-view.js';
import { type BenignScores, describeBenign } from '../../detect/threshold/benign-scores.js';
import { UNKNOWN, Vocabulary } from '../../features/vocabulary.js';
import { DIRECTIONS } from '../../graph/direction.js';
import { makeFeatureSpace, type TrainedModel } from '../../model/file/trained-model.js';
import { spanOf } from '../../model/training/graph-plan.js';
import { prepareTraining } from '../../model/training/prepare-training.js';
import type { BenignOutcome, Contestants, RunOptions } from '../protocol/contestant.js';
import { type GraphTerms, graphsOfPart } from '../protocol/part-graphs.js';
import type { Part } from '../protocol/parts.js';
import type { ResolvedVariant } from '../protocol/variants.js';
import { Rarity } from './rarity.js';
import { RelationNetwork } from './relation-network.js';
import { Velox } from './velox.js';

/** What scores the nodes of a graph by itself. */
interface Scorer {
  scores(view: GraphView): Float64Array;
}

/** The part that rivals have in common: one variant, no gate, the highest score over graphs. */
abstract class Rival implements Contestants {
  readonly names: readonly string[];
  abstract readonly seeded: boolean;
  protected readonly resolved: ResolvedVariant;
  protected readonly watch = new Stopwatch();
  protected options: RunOptions = { seed: 0, threads: 1 };
  protected terms: GraphTerms | undefined;

  constructor(resolved: ResolvedVariant) {
    this.resolved = resolved;
    this.names = [resolved.variant.name];
  }

  get seconds(): Record<string, number> {
    return { ...this.watch.seconds };
  }

  abstract fit(train: Part, options: RunOptions): Promise<void>;
  abstract calibrate(benign: Part): Promise<BenignOutcome[]>;
  protected abstract get scorer(): Scorer;

  async *score(test: Part): ReturnType<Contestants['score']> {
    const graphs = await this.graphs(test);
    let done = 0;
    for (const view of graphs.views()) {
      this.options.signal?.throwIfAborted();
      if (view.planned.nodes.length > 0) {
        const scores = await this.watch.time('score', () => this.scorer.scores(view));
        yield { view, of: [{ scores }] };
      }
      this.options.progress?.('score', ++done / graphs.count);
      await yieldToSignals();
    }
  }

  async close(): Promise<void> {}

  protected graphs(part: Part) {
    if (this.terms === undefined) throw new TypeError('a contestant is fitted before it is asked');
    return graphsOfPart(part, this.terms);
  }

  /** Scores of benign graphs that the scorer has not learned from, and the incidents they would have made. */
  protected async benign(part: Part): Promise<BenignScores> {
    const { events, names } = part;
    const graphs = await this.graphs(part);
    const members = new SuspiciousNodeCollector();
    const place = { table: events.table, hostAt: (node: number) => events.keys.hostAt(node) };
    const links = new LinkCollector(names, events.table, place.hostAt);
    const [spans, instances]: [number[], number[]] = [[], []];
    for (const view of graphs.views()) {
      const { planned, interactions } = view;
      if (planned.nodes.length === 0) continue;
      const scores = Float64Array.from(this.scorer.scores(view), Math.fround);
      links.add(planned.nodes, interactions);
      members.add(view, spans.length, { scores }, (node) => scores[node] > 0, place);
      spans.push(spanOf(graphs.plan, planned.rows));
      instances.push(planned.nodes.length);
      this.options.progress?.('calibrate', spans.length / graphs.count);
      await yieldToSignals();
    }
    return describeBenign({ members, links: links.finish(), instances, spans, inSample: false });
  }
}

/** Counts and no chance: every seed gives the same. */
export class RarityContestant extends Rival {
  readonly seeded = false;
  readonly #rarity = new Rarity();

  async fit(train: Part, options: RunOptions): Promise<void> {
    this.options = options;
    const { training } = this.resolved;
    const relations = train.events.table.relations.map((name) => ({ name, frequency: 0 }));
    // It reads names, not features: one word is enough.
    const space = makeFeatureSpace(
      { ...training, textDimension: 1 },
      relations,
      new Vocabulary([UNKNOWN], Uint32Array.of(1)),
      new Float32Array(1),
    );
    this.terms = { space, direction: DIRECTIONS[training.direction], config: training };
    const graphs = await this.graphs(train);
    await this.watch.time('fit', () => this.#rarity.fit(graphs.views()));
  }

  /** Benign scores first: once counted, nothing in there is new. */
  async calibrate(benign: Part): Promise<BenignOutcome[]> {
    const scores = await this.watch.time('calibrate', () => this.benign(benign));
    const graphs = await this.graphs(benign);
    await this.watch.time('calibrate', () => this.#rarity.fit(graphs.views()));
    return [{ benign: scores, over: 'highest' }];
  }

  protected get scorer(): Scorer {
    return this.#rarity;
  }
}

export class VeloxContestant extends Rival {
  readonly seeded = true;
  #words: Pick<TrainedModel, 'space' | 'direction'> | undefined;
  #network: RelationNetwork | undefined;

  /** With the words of a model of the same seed, if there is one. */
  constructor(resolved: ResolvedVariant, words?: Pick<TrainedModel, 'space' | 'direction'> | undefined) {
    super(resolved);
    this.#words = words;
  }

  async fit(train: Part, options: RunOptions): Promise<void> {
    this.options = options;
    const { seed, signal, progress } = options;
    const config = { ...this.resolved.training, seed };
    const { store, selection } = train;
    const watch = {
      prepared: (stage: string, done: number) => progress?.('words', stage === 'words' ? done : 0),
    };
    this.#words ??= await this.watch.time('prepare', () =>
      prepareTraining({ store, selection, config, signal, watch }, undefined),
    );
    const { space, direction } = this.#words;
    this.terms = { space, direction, config };
    const graphs = await this.graphs(train);
    this.#network = await this.watch.time('train', () =>
      RelationNetwork.fit(graphs.views(), space.parts.relations.length, space.profileColumn),
    );
  }

  async calibrate(benign: Part): Promise<BenignOutcome[]> {
    const scores = await this.watch.time('calibrate', () => this.benign(benign));
    return [{ benign: scores, over: 'highest', ownThreshold: scores.scores[0] ?? 0 }];
  }

  protected get scorer(): Scorer {
    if (this.#network === undefined) throw new TypeError('a contestant is fitted before it is asked');
    return new Velox(this.#network, Number.NaN);
  }
}
