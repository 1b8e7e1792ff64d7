import { RecalError } from '../base/errors.js';
import { Stopwatch } from '../base/stopwatch.js';
import type { StoredModel } from '../model/file/model-file.js';
import type { TrainedModel } from '../model/file/trained-model.js';
import { nothingSelected } from '../store/nothing-selected.js';
import type { Selection, Store } from '../store/store.js';
import { type CalibrateOptions, type Calibration, calibrateDetector } from './calibration/calibrate.js';
import type { DetectionConfig } from './detection-config.js';
import { type DetectorParts, decodeDetector } from './detector-part.js';
import { Gatherer } from './evidence/gather.js';
import { Inference, type InferenceOptions } from './evidence/inference.js';
import { type FitOptions, type FittedDetector, fitDetector } from './fitted-detector.js';
import { Judge } from './fusion/judge.js';
import type { ScoredGraph } from './fusion/scored-graph.js';
import { NeighbourSearch } from './knn/neighbour-search.js';
import { SplitGraphs } from './split-graphs.js';

/** A trained model with its second half, on a device: asked about graphs, it gives scores. Close it. */
export class Detector {
  readonly model: TrainedModel;
  readonly fitted: FittedDetector;
  readonly search: NeighbourSearch;
  /** Seconds of scoring by stage. */
  readonly watch = new Stopwatch();
  readonly #inference: Inference;
  #calibration: Calibration | undefined;

  private constructor(
    model: TrainedModel,
    { fitted, calibration }: DetectorParts,
    inference: Inference,
    search: NeighbourSearch,
  ) {
    this.model = model;
    this.fitted = fitted;
    this.search = search;
    this.#inference = inference;
    this.#calibration = calibration;
  }

  /** From a model file. */
  static async open(model: StoredModel, options: InferenceOptions = {}): Promise<Detector> {
    if (model.detector === undefined) {
      const { done, asked } = model.training.epochs;
      throw new RecalError('not-fitted', 'the model is trained but not calibrated', {
        hint:
          done < asked
            ? `training was stopped after ${done} of ${asked} epochs: go on with recal train … --resume`
            : 'run: recal calibrate --store DIR --model FILE --split NAME, on benign events it was not trained on',
      });
    }
    return Detector.#make(model, decodeDetector(model, model.detector), options);
  }

  /** From the graphs that the model was trained on, which it looks at once more. */
  static async fit(
    model: TrainedModel,
    training: SplitGraphs,
    { reference, signal, progress, ...options }: FitOptions & InferenceOptions,
  ): Promise<Detector> {
    const inference = await Inference.open(model, options);
    try {
      const fitted = await fitDetector(model, training, inference, { reference, signal, progress });
      return await Detector.#make(model, { fitted, calibration: undefined }, options, inference);
    } catch (error) {
      await inference.close();
      throw error;
    }
  }

  static async #make(
    model: TrainedModel,
    parts: DetectorParts,
    options: InferenceOptions,
    inference?: Inference,
  ): Promise<Detector> {
    const search = await NeighbourSearch.open(parts.fitted.reference, {
      threads: options.threads ?? 1,
      portable: model.training.device.build !== 'relaxed-simd',
    });
    return new Detector(model, parts, inference ?? (await Inference.open(model, options)), search);
  }

  /** What it was calibrated to; asking one that was not is an error. */
  get calibration(): Calibration {
    if (this.#calibration !== undefined) return this.#calibration;
    throw new RecalError('not-calibrated', `model ${this.model.id.slice(0, 12)} is not calibrated`, {
      hint: 'run: recal calibrate --store DIR --model FILE --split NAME, on benign events it was not trained on',
    });
  }

  get parts(): DetectorParts {
    return { fitted: this.fitted, calibration: this.#calibration };
  }

  /** Graphs of a selection as this model sees them; says in whose terms there are none. */
  async graphsOf(store: Store, selection: Selection): Promise<SplitGraphs> {
    const split = await SplitGraphs.open(store, selection, this.model);
    if (split.count > 0) return split;
    throw nothingSelected(store, selection);
  }

  /** Calibrates, or calibrates anew: weights, counts and reference stay. */
  async calibrate(
    benign: SplitGraphs,
    config: DetectionConfig,
    options: CalibrateOptions = {},
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

  /** Judges graph after graph, in the order in which they end. */
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

  /** Embeddings of a graph, for explanations. */
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
