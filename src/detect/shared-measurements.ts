import { Stopwatch } from '../base/stopwatch.js';
import type { TrainedModel } from '../model/file/trained-model.js';
import type { KeyTable } from '../store/key-table.js';
import {
  type CalibrateDetectorOptions,
  type Calibration,
  calibrateDetector,
} from './calibration/calibrate.js';
import type { DetectionConfig } from './detection-config.js';
import { applyGate, type GatheredGraph, Gatherer } from './evidence/gather.js';
import type { FittedDetector } from './fitted-detector.js';
import { Judge } from './fusion/judge.js';
import type { ScoredGraph } from './fusion/scored-graph.js';
import type { GraphView } from './graph-view.js';
import type { SplitGraphs } from './split-graphs.js';

/**
 * Several detection configurations over one trained model. Measuring a graph costs far more than judging it, so every
 * graph is measured once, with exact distances, and each configuration judges the same measurements.
 */
export class SharedMeasurements {
  readonly #model: TrainedModel;
  readonly #fitted: FittedDetector;
  readonly #configs: readonly DetectionConfig[];
  readonly #gatherer: Gatherer;
  readonly #scorer: Gatherer;
  /** Seconds of scoring by stage: measuring, which all configurations share, and building graphs. */
  readonly measuring = new Stopwatch();
  /** Seconds of judging by stage, for each calibration that was scored. */
  judging: readonly Stopwatch[] = [];

  constructor(
    model: TrainedModel,
    fitted: FittedDetector,
    tools: ConstructorParameters<typeof Gatherer>[0],
    configs: readonly DetectionConfig[],
  ) {
    this.#model = model;
    this.#fitted = fitted;
    this.#configs = configs;
    const { seed } = model.config;
    this.#gatherer = new CachingGatherer(tools, fitted, unionOf(configs), seed);
    this.#scorer = new Gatherer(tools, fitted, unionOf(configs), seed, this.measuring);
  }

  /** Calibrates one configuration. `benign` should keep its views: they are the keys of the cache. */
  calibrate(
    config: DetectionConfig,
    benign: SplitGraphs,
    options: CalibrateDetectorOptions,
  ): Promise<Calibration> {
    return calibrateDetector(this.#model, this.#fitted, benign, this.#gatherer, config, options);
  }

  /** Scores every graph under every calibration, in the order of the configurations. */
  *score(
    graphs: SplitGraphs,
    calibrations: readonly Calibration[],
  ): Generator<{ view: GraphView; gathered: GatheredGraph; of: ScoredGraph[] }> {
    const relationCount = this.#model.relations.length;
    this.judging = calibrations.map(() => new Stopwatch());
    const judges = calibrations.map(
      (each, i) => new Judge(this.#configs[i], each, relationCount, this.judging[i]),
    );
    const views = graphs.views()[Symbol.iterator]();
    const next = () => this.measuring.measure('graphs', () => views.next());
    for (let { value: view } = next(); view !== undefined; { value: view } = next()) {
      if (view.planned.nodes.length === 0) continue;
      // Exact distances, as evaluation must have (method §7).
      const gathered = this.#scorer.gather(view, graphs.events.keys, undefined);
      const of = judges.map((judge, i) => judge.score(applyGate(gathered, calibrations[i].gate)));
      yield { view, gathered, of };
    }
  }
}

/** Everything that any configuration asks for. */
export function unionOf(configs: readonly DetectionConfig[]): DetectionConfig {
  const evidence = [...new Set(configs.flatMap((config) => config.evidence))];
  const gated = configs.some(({ gate }) => gate === 'knn');
  const unit = configs.some((config) => config.unit === 'episode') ? 'episode' : 'node';
  return { ...configs[0], evidence, unit, gate: gated ? 'knn' : 'none' };
}

/** Remembers the calibration graphs, which every configuration uses. */
class CachingGatherer extends Gatherer {
  readonly #known = new WeakMap<GraphView, GatheredGraph>();

  override gather(view: GraphView, keys: KeyTable): GatheredGraph {
    const known = this.#known.get(view);
    if (known !== undefined) return known;
    const gathered = super.gather(view, keys, undefined);
    this.#known.set(view, gathered);
    return gathered;
  }
}
