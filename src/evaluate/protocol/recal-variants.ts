import { Stopwatch } from '../../base/stopwatch.js';
import { yieldToSignals } from '../../base/yield-to-signals.js';
import type { Calibration } from '../../detect/calibration/calibrate.js';
import { Detector } from '../../detect/detector.js';
import { EpisodeJudge } from '../../detect/episodes/episode-detector.js';
import { behavioursOf } from '../../detect/fitted-detector.js';
import type { ScoredGraph } from '../../detect/fusion/scored-graph.js';
import { type SharedMeasurements, unionOf } from '../../detect/shared-measurements.js';
import type { TrainedModel } from '../../model/file/trained-model.js';
import { trainModel } from '../../model/training/train.js';
import { ErrorCollector, type ErrorRows } from './error-rows.js';
import { graphsOfSplit, type TextModel } from './graphs-of-split.js';
import { MEASURED, needsStage } from './inference-stages.js';
import { type JudgedRun, judgeRun } from './judged-run.js';
import type { LoadedSplit } from './splits.js';
import type {
  CalibrationOutcome,
  GraphScores,
  TrainingBudget,
  VariantFitOptions,
  VariantGroup,
} from './variant-group.js';
import type { ResolvedVariant } from './variants.js';

/** The variants whose errors a report draws. */
const DRAWN: ReadonlySet<string> = new Set(['paper', 'recal']);

/** What `fit` leaves. */
interface Fitted {
  readonly model: TrainedModel;
  readonly detector: Detector;
  readonly shared: SharedMeasurements;
}

/**
 * RECAL and those of its ablations that share a trained model. The model is trained and fitted once, and every graph is
 * measured once. Each variant calibrates and fuses these measurements in its own way.
 */
export class RecalVariants implements VariantGroup {
  readonly names: readonly string[];
  readonly seeded = true;
  readonly #variants: readonly ResolvedVariant[];
  readonly #watch = new Stopwatch();
  #options: VariantFitOptions = { seed: 0, threads: 1 };
  #fitted: Fitted | undefined;
  #text: TextModel | undefined;
  errors: readonly (ErrorRows | undefined)[] = [];
  #calibrations: readonly Calibration[] = [];
  #ownSeconds: readonly Record<string, number>[] = [];

  /** `text`: the vocabulary and word vectors of another training with the same seed on the same split. */
  constructor(variants: readonly ResolvedVariant[], text?: TextModel) {
    this.#variants = variants;
    this.#text = text;
    this.names = variants.map(({ variant }) => variant.name);
  }

  get seconds(): Record<string, number> {
    return { ...this.#watch.seconds };
  }

  get budget(): TrainingBudget | undefined {
    if (this.#fitted === undefined) return undefined;
    const { epochs, steps, graphs } = this.#fitted.model.training;
    return { epochs: epochs.done, steps, graphs };
  }

  /** The vocabulary and word vectors, for a rival that needs the same. Undefined before `fit`. */
  get text(): TextModel | undefined {
    return this.#text;
  }

  async fit(train: LoadedSplit, options: VariantFitOptions): Promise<void> {
    this.#options = options;
    const { threads, signal, progress } = options;
    const model = await this.#train(train, options);
    this.#text = { space: model.space, direction: model.direction };
    const configs = this.#judged.map(({ detection }) => detection);
    const { reference, evidence, unit } = unionOf(configs);
    const graphs = await graphsOfSplit(train, model);
    const begun = performance.now();
    const detector = await Detector.fit(model, graphs, {
      reference,
      evidence,
      unit,
      threads,
      signal,
      progress: (done) => progress?.('fit', done),
    });
    this.#watch.add('index', detector.indexSeconds);
    this.#watch.add('fit', (performance.now() - begun) / 1000 - detector.indexSeconds);
    this.#fitted = { model, detector, shared: detector.share(configs) };
  }

  async calibrate(benign: LoadedSplit): Promise<CalibrationOutcome[]> {
    const { model, shared } = this.#ready;
    const { signal, progress } = this.#options;
    const graphs = await graphsOfSplit(benign, model, { keep: true });
    const calibrations: Calibration[] = [];
    const judged = this.#judged;
    for (const [i, { detection, share }] of judged.entries()) {
      const work = () =>
        shared.calibrate(detection, graphs, {
          share,
          signal,
          progress: (done) => progress?.('calibrate', (i + done) / judged.length),
        });
      calibrations.push(await this.#watch.time('calibrate', work));
    }
    this.#calibrations = calibrations;
    return calibrations.map(({ benign, config }) => ({ benign, over: config.over, model: model.id }));
  }

  async *score(test: LoadedSplit): ReturnType<VariantGroup['score']> {
    const { model, shared } = this.#ready;
    const { signal, progress } = this.#options;
    const graphs = await graphsOfSplit(test, model);
    let done = 0;
    const errors = this.#errorCollectors();
    for (const { view, gathered, of } of shared.score(graphs, this.#calibrations)) {
      const rows = gathered.rows.get('reconstruction');
      if (rows !== undefined) for (const each of errors) each?.add(view, rows);
      signal?.throwIfAborted();
      yield { view, of: of.map((scored, i) => scoresOf(scored, this.#calibrations[i])) };
      progress?.('score', Math.min(1, ++done / graphs.count));
      await yieldToSignals();
    }
    this.errors = errors.map((each) => each?.finish());
    const { measuring, judging } = shared;
    this.#watch.add('graphs', measuring.seconds.graphs ?? 0);
    for (const { seconds } of [measuring, ...judging]) {
      for (const stage of Object.keys(MEASURED)) this.#watch.add('score', seconds[stage] ?? 0);
    }
    // A variant counts what it needs: all of its own judging, and its part of what is measured for the group.
    const { score: _, ...group } = this.#watch.seconds;
    this.#ownSeconds = this.#judged.map(({ detection }, i) => {
      const own: Record<string, number> = { ...group };
      for (const [name, stage] of Object.entries(MEASURED)) {
        const seconds = measuring.seconds[name] ?? judging[i]?.seconds[name];
        if (seconds !== undefined && needsStage(stage, detection)) own[stage] = seconds;
      }
      if (!needsStage('index', detection)) delete own.index;
      return own;
    });
  }

  async judge(i: number, test: LoadedSplit, scores: Float64Array): Promise<JudgedRun | undefined> {
    const { episodes, benign, graphs } = this.#calibrations[i];
    if (episodes === undefined) return undefined;
    const named = await test.named();
    return this.#watch.time('score', () => {
      const judge = new EpisodeJudge(behavioursOf(this.#ready.detector.fitted), episodes, named);
      const incidents = { scores: episodes.incidents, hostDays: benign.hostDays, graphs };
      return judgeRun(judge, scores, { benign: incidents, events: test.events });
    });
  }

  get ownSeconds(): readonly Readonly<Record<string, number>>[] {
    return this.#ownSeconds;
  }

  async close(): Promise<void> {
    await this.#fitted?.detector.close();
    this.#fitted = undefined;
  }

  /** Only for the variants that a report draws: errors of a large test take much memory. */
  #errorCollectors(): (ErrorCollector | undefined)[] {
    const { keepErrors = false } = this.#options;
    const relations = this.#ready.model.relations.map(({ name }) => name);
    return this.#calibrations.map(({ tables }, i) => {
      const errors = tables.get('reconstruction');
      const isDrawn = keepErrors && DRAWN.has(this.names[i % this.names.length]);
      return isDrawn && errors !== undefined ? new ErrorCollector(errors, relations) : undefined;
    });
  }

  /** Every variant with every share, in the order of the results. */
  get #judged(): { detection: ResolvedVariant['detection']; share: number }[] {
    const { calibrationShares = [1] } = this.#options;
    return calibrationShares.flatMap((share) =>
      this.#variants.map(({ detection }) => ({ detection, share })),
    );
  }

  get #ready(): Fitted {
    if (this.#fitted === undefined) throw new TypeError('call fit before calibrate or score');
    return this.#fitted;
  }

  async #train({ store, selection }: LoadedSplit, options: VariantFitOptions): Promise<TrainedModel> {
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
      wordVectors: this.#text?.space.parts,
      watch: {
        prepared: (stage, done) => progress?.('words', stage === 'words' ? done : 0),
        started({ steps }) {
          [started, all] = [performance.now(), steps.all];
        },
        stepped: (steps) => progress?.('train', steps / all),
      },
    });
    signal?.throwIfAborted(); // a model that stopped early must not be scored
    this.#watch.add('prepare', (started - begun) / 1000);
    this.#watch.add('train', (performance.now() - started) / 1000);
    return model;
  }
}

/** Candidates only where the variant has a gate. */
function scoresOf(
  { scores, prominence, distances, candidates }: ScoredGraph,
  { gate }: Calibration,
): GraphScores {
  return Number.isNaN(gate)
    ? { scores, prominence, distances }
    : { scores, prominence, distances, candidates };
}
