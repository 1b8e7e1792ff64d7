import type { DetectionConfig } from '../../detect/detection-config.js';
import type { TrainingConfig } from '../../model/training/training-config.js';
import type { Manifest } from '../../store/manifest.js';
import { partsOf } from '../../store/segments/segment-parts.js';
import type { ModelEntry, WatchState } from './checkpoint.js';
import type { LearnedModel, LearnRequest } from './learn-model.js';
import type { Metrics } from './metrics.js';
import type { WatchFolder } from './watch-folder.js';
import type { WatchLog } from './watch-log.js';
import { floorTo } from './watermark.js';
import { WorkerError, WorkerProcess } from './worker-process.js';

/** Benign episodes that the first model must have seen, and those that replace a model. */
const LEAST_FIRST = 5;
const LEAST_LATER = 20;
/** Events so many times the learning time before all others have a wrong clock. */
const STRAY = 10n;
/** Failures that pass when somebody frees space: the training is tried again after a pause. */
const PASSING = new Set(['disk-full', 'ENOSPC', 'EDQUOT']);
const PAUSE_MS = 60_000;

export interface LearningOptions {
  /** Nanoseconds of events to learn from. */
  readonly learn: bigint;
  /** Nanoseconds between trainings; 0n for never. */
  readonly retrain: bigint;
  readonly training: Partial<TrainingConfig>;
  readonly detection: Partial<DetectionConfig>;
  readonly threads?: number | undefined;
}

/** Trains models in the background, and decides which may be used. */
export class Learning {
  readonly #options: LearningOptions;
  readonly #folder: WatchFolder;
  readonly #metrics: Metrics;
  readonly #log: WatchLog;
  #worker: WorkerProcess<LearnRequest, LearnedModel> | undefined;
  #training: Promise<void> | undefined;
  #isClosed = false;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(options: LearningOptions, folder: WatchFolder, metrics: Metrics, log: WatchLog) {
    this.#options = options;
    this.#folder = folder;
    this.#metrics = metrics;
    this.#log = log;
  }

  get isTraining(): boolean {
    return this.#training !== undefined;
  }

  /**
   * The time to learn from, if a training is due. It depends on events only, not on when somebody looks, so that the same log
   * always gives the same model.
   */
  due(
    state: WatchState,
    manifest: Manifest,
    complete: bigint | undefined,
  ): { from: bigint; to: bigint } | undefined {
    if (this.isTraining || complete === undefined || state.next !== null) return undefined;
    if (performance.now() < this.#notBefore) return undefined;
    const { learn, retrain } = this.#options;
    const first = firstOf(manifest, complete - STRAY * learn);
    if (first === undefined) return undefined;
    if (state.learnedTo === null)
      return first + learn <= complete ? { from: first, to: first + learn } : undefined;
    const last = BigInt(state.learnedTo) + 1n;
    if (state.model === null) {
      const to = last + learn / 4n;
      return to <= complete ? { from: first, to } : undefined;
    }
    if (retrain === 0n || last + retrain > complete) return undefined;
    const to = last + retrain * ((complete - last) / retrain);
    return { from: to - learn, to };
  }

  /** How much was collected, from 0 to 1. */
  progress(manifest: Manifest, latest: bigint | undefined): number {
    const { learn } = this.#options;
    if (latest === undefined) return 0;
    const from = firstOf(manifest, latest - STRAY * learn) ?? latest;
    return Math.min(1, Number(latest - from) / Number(learn));
  }

  /**
   * Trains in the background. `done` gets the model if it may be used, and up to where it has learned. It is not called if the
   * watch ends meanwhile, or if the disk is full: the same time is learned again later.
   */
  start(
    { from, to }: { from: bigint; to: bigint },
    isFirst: boolean,
    done: (model: ModelEntry | undefined, learnedTo: bigint) => Promise<void>,
  ): Promise<void> {
    const file = `model-${floorTo(to, 1_000_000_000n) / 1_000_000_000n}.recal`;
    const { training, detection, threads } = this.#options;
    this.#log('info', 'training', { from: iso(from), to: iso(to) });
    this.#worker ??= new WorkerProcess(new URL('./learn-worker.js', import.meta.url));
    const request = {
      store: this.#folder.store,
      model: this.#folder.model(file),
      from,
      to,
      training,
      detection,
      threads,
      leastEpisodes: isFirst ? LEAST_FIRST : LEAST_LATER,
    };
    this.#training = this.#worker
      .call(request)
      .then(
        (model) => done(this.#judge(model, file), to - 1n),
        (error: Error) => {
          if (this.#isClosed) return;
          this.#metrics.add('recal_trainings_total', 1, { outcome: 'failed' });
          this.#log('error', 'training-failed', { error: error.message });
          if (!(error instanceof WorkerError) || !PASSING.has(error.code ?? ''))
            return done(undefined, to - 1n);
          this.#notBefore = performance.now() + PAUSE_MS;
        },
      )
      .finally(async () => {
        await this.#worker?.close(); // it holds gigabytes
        this.#worker = undefined;
        this.#training = undefined;
      });
    return this.#training;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.close();
    await this.#training?.catch(() => undefined);
  }

  #judge(model: LearnedModel, file: string): ModelEntry | undefined {
    const isGood = model.problems.length === 0;
    this.#metrics.add('recal_trainings_total', 1, { outcome: isGood ? 'promoted' : 'rejected' });
    if (!isGood) {
      this.#log('warn', 'model-rejected', { model: model.id.slice(0, 12), why: model.problems.join('; ') });
      return undefined;
    }
    this.#metrics.set('recal_calibration_samples', model.episodes);
    this.#log('info', 'model-accepted', {
      model: model.id.slice(0, 12),
      episodes: model.episodes,
      hostDays: Math.round(model.hostDays * 100) / 100,
      seconds: Math.round(model.seconds),
    });
    return {
      file,
      id: model.id,
      calibratedTo: String(model.calibratedTo),
      window: String(model.window),
      trained: Date.now(),
    };
  }
}

/** The first event after a time, as far as segments tell. */
function firstOf({ segments }: Manifest, after: bigint): bigint | undefined {
  let first: bigint | undefined;
  for (const { kind, firstTs, lastTs } of partsOf(segments)) {
    if (kind !== 'events' || firstTs === null || BigInt(lastTs ?? firstTs) < after) continue;
    const time = BigInt(firstTs) < after ? after : BigInt(firstTs);
    if (first === undefined || time < first) first = time;
  }
  return first;
}

function iso(ns: bigint): string {
  return new Date(Number(ns / 1_000_000n)).toISOString();
}
