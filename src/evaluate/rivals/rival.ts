import { Stopwatch } from '../../base/stopwatch.js';
import { yieldToSignals } from '../../base/yield-to-signals.js';
import { SuspiciousNodeCollector } from '../../detect/alerts/activity.js';
import { LinkCollector } from '../../detect/alerts/incident-links.js';
import type { GraphView } from '../../detect/graph-view.js';
import { type BenignScores, describeBenign } from '../../detect/threshold/benign-scores.js';
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
        yield { view, of: [{ scores }] };
      }
      this.options.progress?.('score', ++done / graphs.count);
      await yieldToSignals();
    }
  }

  async close(): Promise<void> {}

  protected graphsOf(split: LoadedSplit) {
    if (this.graphSpec === undefined) throw notFitted();
    return graphsOfSplit(split, this.graphSpec);
  }

  /** Scores benign graphs that the scorer was not fitted on, and forms the incidents they would cause. */
  protected async scoreBenign(split: LoadedSplit): Promise<BenignScores> {
    const { events, names } = split;
    const graphs = await this.graphsOf(split);
    const members = new SuspiciousNodeCollector();
    const place = { table: events.table, hostAt: (node: number) => events.keys.hostAt(node) };
    const links = new LinkCollector(names, events.table, place.hostAt);
    const spans: number[] = [];
    const instances: number[] = [];
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

export function notFitted(): TypeError {
  return new TypeError('call fit before calibrate or score');
}
