import { Stopwatch } from '../../base/stopwatch.js';
import { yieldToSignals } from '../../base/yield-to-signals.js';
import { SuspiciousNodeCollector } from '../../detect/alerts/activity.js';
import { LinkCollector } from '../../detect/alerts/incident-links.js';
import { thinEntities } from '../../detect/calibration/thin-entities.js';
import type { GraphView } from '../../detect/graph-view.js';
import { type BenignScores, describeBenign } from '../../detect/threshold/benign-scores.js';
import { UNKNOWN, Vocabulary } from '../../features/vocabulary.js';
import { DIRECTIONS } from '../../graph/direction.js';
import { inVocabulary } from '../../graph/relation-vocabulary.js';
import { makeFeatureSpace } from '../../model/file/trained-model.js';
import { spanOf } from '../../model/training/graph-plan.js';
import { type GraphSpec, graphsOfSplit } from '../protocol/graphs-of-split.js';
import type { LoadedSplit } from '../protocol/splits.js';
import type { CalibrationOutcome, VariantFitOptions, VariantGroup } from '../protocol/variant-group.js';
import type { ResolvedVariant } from '../protocol/variants.js';

/** Scores the nodes of one graph, by local node. */
export interface GraphScorer {
  scores(view: GraphView): Float64Array;
}

/** A detector that is not RECAL: one variant, no gate, and a node's highest score over its graphs. */
export abstract class Rival implements VariantGroup {
  readonly names: readonly string[];
  abstract readonly seeded: boolean;
  protected readonly resolved: ResolvedVariant;
  protected readonly watch = new Stopwatch();
  protected options: VariantFitOptions = { seed: 0, threads: 1 };
  protected graphSpec: GraphSpec | undefined;

  constructor(resolved: ResolvedVariant) {
    this.resolved = resolved;
    this.names = [resolved.variant.name];
  }

  get seconds(): Record<string, number> {
    return { ...this.watch.seconds };
  }

  abstract fit(train: LoadedSplit, options: VariantFitOptions): Promise<void>;
  abstract calibrate(benign: LoadedSplit): Promise<CalibrationOutcome[]>;
  protected abstract get scorer(): GraphScorer;

  async *score(test: LoadedSplit): ReturnType<VariantGroup['score']> {
    const graphs = await this.graphsOf(test);
    let done = 0;
    for (const view of graphs.views()) {
      this.options.signal?.throwIfAborted();
      if (view.planned.nodes.length > 0) {
        const scores = await this.watch.time('score', () => this.scorer.scores(view));
        yield { view, of: this.shares.map(() => ({ scores })) };
      }
      this.options.progress?.('score', ++done / graphs.count);
      await yieldToSignals();
    }
  }

  async close(): Promise<void> {}

  protected get shares(): readonly number[] {
    return this.options.calibrationShares ?? [1];
  }

  protected async graphsOf(split: LoadedSplit) {
    if (this.graphSpec === undefined) throw notFitted();
    return graphsOfSplit(split, this.graphSpec);
  }

  /** Builds graphs for a rival that reads names, not features: the smallest possible vocabulary is enough. */
  protected plainGraphs(train: LoadedSplit): GraphSpec {
    const { training } = this.resolved;
    // The graphs have the relations of this vocabulary, so that names of another would never occur in them.
    const { table } = inVocabulary(train.events, training.vocabulary);
    const relations = table.relations.map((name) => ({ name, frequency: 0 }));
    const space = makeFeatureSpace(
      { ...training, textDimension: 1 },
      relations,
      new Vocabulary([UNKNOWN], Uint32Array.of(1)),
      new Float32Array(1),
    );
    return { space, direction: DIRECTIONS[training.direction], config: training };
  }

  /**
   * Scores benign graphs that the scorer was not fitted on, and forms the incidents they would cause; for each share of
   * their entities.
   */
  protected async scoreBenign(split: LoadedSplit, inSample = false): Promise<BenignScores[]> {
    const all: BenignScores[] = [];
    for (const share of this.shares) all.push(await this.#scoreShare(split, share, inSample));
    return all;
  }

  async #scoreShare(split: LoadedSplit, share: number, inSample: boolean): Promise<BenignScores> {
    const { events, names } = split;
    const isUsed = thinEntities(events.keys, share, this.options.seed);
    const graphs = await this.graphsOf(split);
    const members = new SuspiciousNodeCollector();
    const place = { table: events.table, hostAt: (node: number) => events.keys.hostAt(node) };
    const links = new LinkCollector(names, events.table, place.hostAt);
    const spans: number[] = [];
    const instances: number[] = [];
    for (const view of graphs.views()) {
      const { planned, interactions } = view;
      if (planned.nodes.length === 0) continue;
      const used = planned.nodes.filter(isUsed).length;
      if (used === 0) continue;
      const scores = Float64Array.from(this.scorer.scores(view), Math.fround);
      links.add(planned.nodes, interactions);
      const wanted = (node: number) => scores[node] > 0 && isUsed(planned.nodes[node]);
      members.add(view, spans.length, { scores }, wanted, place);
      // A share of a graph's nodes forms the same share of its incidents.
      spans.push((spanOf(graphs.plan, planned.rows) * used) / planned.nodes.length);
      instances.push(used);
      this.options.progress?.('calibrate', spans.length / graphs.count);
      await yieldToSignals();
    }
    return describeBenign({ members, links: links.finish(), instances, spans, inSample });
  }
}

export function notFitted(): TypeError {
  return new TypeError('call fit before calibrate or score');
}
