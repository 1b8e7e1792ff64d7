import { Stopwatch } from '../../base/stopwatch.js';
import { yieldToSignals } from '../../base/yield-to-signals.js';
import { type Calibration, calibrateDetector } from '../../detect/calibration/calibrate.js';
import type { DetectionConfig } from '../../detect/detection-config.js';
import { type GatheredGraph, Gatherer } from '../../detect/evidence/gather.js';
import { Inference } from '../../detect/evidence/inference.js';
import { type FittedDetector, fitDetector } from '../../detect/fitted-detector.js';
import { Judge } from '../../detect/fusion/judge.js';
import type { GraphView } from '../../detect/graph-view.js';
import { NeighbourSearch } from '../../detect/knn/neighbour-search.js';
import type { TrainedModel } from '../../model/file/trained-model.js';
import { trainModel } from '../../model/training/train.js';
import type { KeyTable } from '../../store/key-table.js';
import type { BenignOutcome, Contestants, GraphScores, RunOptions } from './contestant.js';
import { graphsOfPart } from './part-graphs.js';
import type { Part } from './parts.js';
import type { ResolvedVariant } from './variants.js';

/** What `fit` leaves. */
interface Fitted {
  readonly model: TrainedModel;
  readonly inference: Inference;
  readonly search: NeighbourSearch;
  readonly detector: FittedDetector;
  readonly gatherer: MeasureOnce;
}

/**
 * RECAL and its ablations that share a trained model: it is trained and fitted once, graphs are measured once, and each
 * variant compares and fuses these measurements in its own way.
 */
export class LearnedContestants implements Contestants {
  readonly names: readonly string[];
  readonly seeded = true;
  readonly #variants: readonly ResolvedVariant[];
  readonly #watch = new Stopwatch();
  #options: RunOptions = { seed: 0, threads: 1 };
  #fitted: Fitted | undefined;
  #words: Pick<TrainedModel, 'space' | 'direction'> | undefined;
  #calibrations: readonly Calibration[] = [];

  /** `words`: those that another training of the same seed on the same part has learned. */
  constructor(variants: readonly ResolvedVariant[], words?: Pick<TrainedModel, 'space' | 'direction'>) {
    this.#variants = variants;
    this.#words = words;
    this.names = variants.map(({ variant }) => variant.name);
  }

  get seconds(): Record<string, number> {
    return { ...this.#watch.seconds };
  }

  /** For a rival that needs the same words; none before it is fitted. */
  get words(): Pick<TrainedModel, 'space' | 'direction'> | undefined {
    return this.#words;
  }

  async fit(train: Part, options: RunOptions): Promise<void> {
    this.#options = options;
    const { seed, threads, signal, progress } = options;
    const model = await this.#train(train, options);
    this.#words = { space: model.space, direction: model.direction };
    const inference = await Inference.open(model, { threads });
    try {
      const graphs = await graphsOfPart(train, model);
      const union = unionOf(this.#variants);
      const { reference, evidence } = union;
      const detector = await this.#watch.time('fit', () =>
        fitDetector(model, graphs, inference, {
          reference,
          evidence,
          signal,
          progress: (done) => progress?.('fit', done),
        }),
      );
      const search = await NeighbourSearch.open(detector.reference, {
        threads,
        portable: model.training.device.build !== 'relaxed-simd',
      });
      const gatherer = new MeasureOnce({ inference, search }, detector, union, seed);
      this.#fitted = { model, inference, search, detector, gatherer };
    } catch (error) {
      await inference.close();
      throw error;
    }
  }

  async calibrate(benign: Part): Promise<BenignOutcome[]> {
    const { model, detector, gatherer } = this.#ready;
    const { signal, progress } = this.#options;
    const graphs = await graphsOfPart(benign, model, { keep: true });
    const calibrations: Calibration[] = [];
    for (const [i, { detection }] of this.#variants.entries()) {
      const work = () =>
        calibrateDetector(model, detector, graphs, gatherer, detection, {
          signal,
          progress: (done) => progress?.('calibrate', (i + done) / this.#variants.length),
        });
      calibrations.push(await this.#watch.time('calibrate', work));
    }
    this.#calibrations = calibrations;
    return calibrations.map(({ benign, config }) => ({ benign, over: config.over }));
  }

  async *score(test: Part): ReturnType<Contestants['score']> {
    const { model, gatherer } = this.#ready;
    const { signal, progress } = this.#options;
    const judges = this.#calibrations.map(
      (calibration) => new Judge(calibration.config, calibration, model.relations.length),
    );
    const graphs = await graphsOfPart(test, model);
    let started = performance.now();
    let done = 0;
    for (const view of graphs.views()) {
      signal?.throwIfAborted();
      if (view.planned.nodes.length > 0) {
        const gathered = gatherer.gather(view, graphs.events.keys);
        const of = judges.map((judge, i) => judgeGraph(judge, this.#calibrations[i].gate, gathered));
        this.#watch.add('score', (performance.now() - started) / 1000);
        yield { view, of };
        started = performance.now();
      }
      progress?.('score', ++done / graphs.count);
      await yieldToSignals();
    }
    for (const [stage, seconds] of Object.entries(gatherer.watch.seconds))
      this.#watch.add(`measure ${stage}`, seconds);
  }

  async close(): Promise<void> {
    await this.#fitted?.search.close();
    await this.#fitted?.inference.close();
    this.#fitted = undefined;
  }

  get #ready(): Fitted {
    if (this.#fitted === undefined) throw new TypeError('contestants are fitted before they are asked');
    return this.#fitted;
  }

  async #train({ store, selection }: Part, options: RunOptions): Promise<TrainedModel> {
    const { seed, threads, signal, progress } = options;
    const config = { ...this.#variants[0].training, seed };
    const begun = performance.now();
    let [started, all] = [begun, 1];
    const { model } = await trainModel({
      store,
      selection,
      config,
      threads,
      signal,
      wordVectors: this.#words?.space.parts,
      watch: {
        prepared: (stage, done) => progress?.('words', stage === 'words' ? done : 0),
        started({ steps }) {
          [started, all] = [performance.now(), steps.all];
        },
        stepped: (steps) => progress?.('train', steps / all),
      },
    });
    signal?.throwIfAborted(); // a model of half its epochs is no contestant
    this.#watch.add('prepare', (started - begun) / 1000);
    this.#watch.add('train', (performance.now() - started) / 1000);
    return model;
  }
}

function judgeGraph(judge: Judge, gate: number, gathered: GatheredGraph): GraphScores {
  if (Number.isNaN(gate)) {
    const { scores, prominence, distances } = judge.score(gathered);
    return { scores, prominence, distances };
  }
  const candidates = Uint8Array.from(gathered.distances, (distance) => (distance > gate ? 1 : 0));
  const { scores, prominence, distances } = judge.score({ ...gathered, candidates });
  return { scores, prominence, distances, candidates };
}

/** All that any of the variants asks for, so that one measurement serves all. */
function unionOf(variants: readonly ResolvedVariant[]): DetectionConfig {
  const kinds = new Set(variants.flatMap(({ detection }) => detection.evidence));
  const gated = variants.some(({ detection }) => detection.gate === 'knn');
  return { ...variants[0].detection, evidence: [...kinds], gate: gated ? 'knn' : 'none' };
}

/** Measures with exact distances, as evaluation must (method §7), and a graph that is kept only once. */
class MeasureOnce extends Gatherer {
  readonly #known = new WeakMap<GraphView, GatheredGraph>();

  override gather(view: GraphView, keys: KeyTable): GatheredGraph {
    const known = this.#known.get(view);
    if (known !== undefined) return known;
    const gathered = super.gather(view, keys, undefined);
    this.#known.set(view, gathered);
    return gathered;
  }
}
