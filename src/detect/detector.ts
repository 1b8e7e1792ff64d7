import { RecalError } from '../base/errors.js';
import { Stopwatch } from '../base/stopwatch.js';
import type { StoredModel } from '../model/file/model-file.js';
import type { TrainedModel } from '../model/file/trained-model.js';
import { nothingSelected } from '../store/nothing-selected.js';
import type { Selection, Store } from '../store/store.js';
import {
  type CalibrateDetectorOptions,
  type Calibration,
  calibrateDetector,
} from './calibration/calibrate.js';
import type { DetectionConfig } from './detection-config.js';
import { type DetectorState, decodeDetector } from './detector-part.js';
import { Gatherer } from './evidence/gather.js';
import { Inference, type InferenceOptions } from './evidence/inference.js';
import { type FitOptions, type FittedDetector, fitDetector } from './fitted-detector.js';
import { Judge } from './fusion/judge.js';
import type { ScoredGraph } from './fusion/scored-graph.js';
import { NeighbourSearch } from './knn/neighbour-search.js';
import { SharedMeasurements } from './shared-measurements.js';
import { SplitGraphs } from './split-graphs.js';

/** A trained model on a device, fitted to its training graphs. It calibrates and scores graphs. Close it after use. */
export class Detector {
  readonly model: TrainedModel;
  readonly fitted: FittedDetector;
  readonly search: NeighbourSearch;
  /** Seconds that it took to build the index of the kNN search. */
  readonly indexSeconds: number;
  /** Seconds of scoring by stage. */
  readonly watch = new Stopwatch();
  readonly #inference: Inference;
  #calibration: Calibration | undefined;

  private constructor(
    model: TrainedModel,
    { fitted, calibration }: DetectorState,
    inference: Inference,
    search: NeighbourSearch,
    indexSeconds: number,
  ) {
    this.model = model;
    this.fitted = fitted;
    this.search = search;
    this.indexSeconds = indexSeconds;
    this.#inference = inference;
    this.#calibration = calibration;
  }

  /** Opens the detector of a model file. */
  static async open(model: StoredModel, options: InferenceOptions = {}): Promise<Detector> {
    if (model.detector === undefined) {
      const { done, asked } = model.training.epochs;
      throw new RecalError('not-calibrated', 'the model is trained but not calibrated', {
        hint:
          done < asked
            ? `training stopped after ${done} of ${asked} epochs; continue with: recal train … --resume`
            : 'run: recal calibrate --store DIR --model FILE --split NAME, on benign events not used for training',
      });
    }
    return Detector.#make(model, decodeDetector(model, model.detector), options);
  }

  /** Fits a detector to the graphs that the model was trained on. */
  static async fit(
    model: TrainedModel,
    training: SplitGraphs,
    { reference, evidence, unit, signal, progress, ...options }: FitOptions & InferenceOptions,
  ): Promise<Detector> {
    const inference = await Inference.open(model, options);
    try {
      const fit = { reference, evidence, unit, signal, progress };
      const fitted = await fitDetector(model, training, inference, fit);
      return await Detector.#make(model, { fitted, calibration: undefined }, options, inference);
    } catch (error) {
      await inference.close();
      throw error;
    }
  }

  static async #make(
    model: TrainedModel,
    state: DetectorState,
    options: InferenceOptions,
    inference?: Inference,
  ): Promise<Detector> {
    const started = performance.now();
    const search = await NeighbourSearch.open(state.fitted.reference, {
      threads: options.threads ?? 1,
      portable: model.training.device.build !== 'relaxed-simd',
    });
    const seconds = (performance.now() - started) / 1000;
    return new Detector(model, state, inference ?? (await Inference.open(model, options)), search, seconds);
  }

  /** Throws if the model is not calibrated. */
  get calibration(): Calibration {
    if (this.#calibration !== undefined) return this.#calibration;
    throw new RecalError('not-calibrated', `model ${this.model.id.slice(0, 12)} is not calibrated`, {
      hint: 'run: recal calibrate --store DIR --model FILE --split NAME, on benign events not used for training',
    });
  }

  get state(): DetectorState {
    return { fitted: this.fitted, calibration: this.#calibration };
  }

  /** The graphs of a selection, as this model sees them. Throws if the selection is empty. */
  async graphsOf(store: Store, selection: Selection): Promise<SplitGraphs> {
    const split = await SplitGraphs.open(store, selection, this.model);
    if (split.count > 0) return split;
    throw nothingSelected(store, selection);
  }

  /** Calibrates or recalibrates. Weights, counts and the kNN reference stay as they are. */
  async calibrate(
    benign: SplitGraphs,
    config: DetectionConfig,
    options: CalibrateDetectorOptions = {},
  ): Promise<Calibration> {
    this.#calibration = await calibrateDetector(
      this.model,
      this.fitted,
      benign,
      this.#newGatherer(config),
      config,
      options,
    );
    return this.#calibration;
  }

  /** Scores graph after graph, in the order of their last events. */
  *score(graphs: SplitGraphs): Generator<ScoredGraph> {
    const { config, gate } = this.calibration;
    const { watch } = this;
    const judge = new Judge(config, this.calibration, this.model.relations.length, watch);
    const gatherer = this.#newGatherer(config, watch);
    const views = graphs.views();
    const next = () => watch.measure('graphs', () => views.next());
    for (let { value: view } = next(); view !== undefined; { value: view } = next()) {
      if (view.planned.nodes.length === 0) continue;
      const gathered = gatherer.gather(view, graphs.events.keys, Number.isNaN(gate) ? undefined : gate);
      yield judge.score(gathered);
    }
  }

  /** Compares several configurations on the same measurements. */
  share(configs: readonly DetectionConfig[]): SharedMeasurements {
    const tools = { inference: this.#inference, search: this.search };
    return new SharedMeasurements(this.model, this.fitted, tools, configs);
  }

  /** The embeddings of a graph's nodes, for explanations. */
  embeddings(graph: ScoredGraph): Float32Array {
    return this.#inference.embeddings(graph.view.planned.graph);
  }

  async close(): Promise<void> {
    await this.search.close();
    await this.#inference.close();
  }

  #newGatherer(config: DetectionConfig, watch?: Stopwatch): Gatherer {
    const tools = { inference: this.#inference, search: this.search };
    return new Gatherer(tools, this.fitted, config, this.model.config.seed, watch);
  }
}
