import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, RecalError } from '../../base/errors.js';
import { LiveIngest } from '../../store/live/live-ingest.js';
import { partsOf } from '../../store/segments/segment-parts.js';
import { DeadLetters } from '../sinks/dead-letters.js';
import { DeliveredNotifications } from '../sinks/deliver.js';
import type { Notification } from '../sinks/notification.js';
import { type ModelEntry, readCheckpoint, type WatchState, writeCheckpoint } from './checkpoint.js';
import { Courier } from './courier.js';
import { Detection } from './detection.js';
import { Intake } from './intake.js';
import { Learning } from './learning.js';
import { Metrics } from './metrics.js';
import { type Health, MetricsServer } from './metrics-server.js';
import type { WatchOptions, WatchStatus } from './watch-options.js';
import { Watermark } from './watermark.js';

/** Files that a commit replaced stay this long for commands that read the store at the same time. */
const KEEP_OLD_MS = 60_000;
/** How long a single run waits for receivers. The next run tells what they have not taken. */
const DRAIN_SINKS_MS = 15_000;
const DAY_NS = 86_400_000_000_000n;
const SETTLE_EVERY_MS = 2000;

/** Watches logs until `signal` aborts, the sources end, or, with `once`, everything there is judged. */
export async function watch(options: WatchOptions): Promise<WatchStatus> {
  await options.folder.make();
  const run = new WatchRun(options);
  try {
    await run.open();
    await run.loop();
  } finally {
    await run.close();
  }
  return run.status;
}

class WatchRun {
  readonly #options: WatchOptions;
  readonly #metrics = new Metrics();
  readonly #watermark: Watermark;
  readonly #learning: Learning;
  readonly #detection: Detection;
  #state!: WatchState;
  #ingest: LiveIngest | undefined;
  #intake: Intake | undefined;
  #courier: Courier | undefined;
  #server: MetricsServer | undefined;
  #checkpointed = Date.now();
  #removedAt = Date.now();
  #droppedBefore = '';
  #told = 0;
  /** The model file that the folder names as the one in use. */
  #used = '';
  #settledAt = 0;
  #progressAt = 0;
  #working: Promise<void> | undefined;
  #failure: Error | undefined;
  /** Checkpoints are written one after another. */
  #writing: Promise<void> = Promise.resolve();

  constructor(options: WatchOptions) {
    this.#options = options;
    const { folder, log } = options;
    this.#watermark = new Watermark(options.latenessMs);
    this.#learning = new Learning(options, folder, this.#metrics, log);
    this.#detection = new Detection(options, folder, this.#metrics, log);
  }

  get status(): WatchStatus {
    const { manifest } = this.#ingest ?? { manifest: undefined };
    return {
      phase: this.#phase,
      learned: manifest === undefined ? 0 : this.#learning.progress(manifest, this.#watermark.latest),
      events: this.#intake?.events ?? 0,
      told: this.#told,
      incidents: Object.keys(this.#state?.incidents ?? {}).length,
      waiting: this.#state?.outbox.length ?? 0,
      metricsPort: this.#server?.port ?? 0,
    };
  }

  get #phase(): WatchStatus['phase'] {
    if (this.#state?.model != null) return 'detecting';
    return this.#learning.isTraining ? 'training' : 'learning';
  }

  async open(): Promise<void> {
    const { folder, sources, sinks, log, signal } = this.#options;
    const { state, isOlder } = await readCheckpoint(folder.checkpoint);
    if (isOlder) log('warn', 'older-checkpoint', { file: folder.checkpoint });
    this.#state = this.#options.rollback ? rolledBack(state) : state;
    this.#ingest = await LiveIngest.open(folder.store, this.#options.reading);
    if (this.#options.rollback) await this.#save();
    await this.#useModel();
    this.#seeStored();
    const receivers = await Promise.all(
      sinks.map(async (sink) => ({
        sink,
        delivered: await DeliveredNotifications.open(folder.sent(hash(sink.name))),
      })),
    );
    this.#courier = new Courier(receivers, new DeadLetters(folder.deadLetters), {
      delivered: (sink) => this.#metrics.add('recal_notifications_delivered_total', 1, { sink }),
      failed: (sink, error, final) => {
        this.#metrics.add('recal_sink_errors_total', 1, { sink });
        log(final ? 'error' : 'warn', final ? 'refused' : 'undelivered', { sink, error: error.message });
      },
    });
    this.#courier.add(this.#state.outbox);
    this.#intake = new Intake({
      ingest: this.#ingest,
      sources,
      watermark: this.#watermark,
      metrics: this.#metrics,
      log,
      setAside: folder.setAside,
      signal,
    });
    await this.#intake.open();
    this.#metrics.collect(() => this.#measure());
    if (this.#options.metrics !== undefined)
      this.#server = await MetricsServer.open(this.#options.metrics, this.#metrics, () => this.#health());
    log('info', 'started', { phase: this.#phase, sources: sources.length, sinks: sinks.length });
  }

  async loop(): Promise<void> {
    const { signal, once, commitEveryMs } = this.#options;
    const intake = this.#intake as Intake;
    for (;;) {
      const started = performance.now();
      const { more } = await intake.step(this.#lateBefore(), once);
      if (this.#failure !== undefined) throw this.#failure;
      if (signal.aborted) return;
      const drained = (once ? intake.settled : intake.ended) && !more;
      if (!once || drained) this.#work(drained);
      await this.#keepHouse();
      if (drained && (await this.#isDone())) return;
      if (more) continue;
      const pause = drained ? 50 : Math.max(50, commitEveryMs - (performance.now() - started));
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  /** Starts what is due: training, or a judgement. */
  #work(drain: boolean): void {
    if (this.#working !== undefined) return;
    const { latest } = this.#watermark;
    const complete = drain ? latest : this.#watermark.at(Date.now());
    const ingest = this.#ingest as LiveIngest;
    const period = this.#learning.due(this.#state, ingest.manifest, complete);
    if (period !== undefined) {
      const training = this.#learning
        .start(period, this.#state.model === null, (model, learnedTo) => this.#learned(model, learnedTo))
        .catch((error: Error) => this.#fail(error));
      // The first model is waited for; later ones are trained while the earlier one detects.
      if (this.#state.model === null) this.#track(training);
      return;
    }
    const events = this.#storedEvents;
    const job = this.#detection.due(this.#state, { watermark: complete, events, drain });
    if (job === undefined) return;
    this.#track(
      this.#detection.run(job, this.#state, events).then(async (result) => {
        if (result === undefined) return;
        const { incidents, span, closed, model, previous, next } = result.state;
        // A training may have ended meanwhile, so only what the detection owns is taken over.
        const isSwitched = model?.file !== this.#state.model?.file;
        const state = {
          ...this.#state,
          incidents,
          span,
          closed,
          ...(isSwitched ? { model, previous, next } : {}),
        };
        await this.#tell(state, result.notifications);
      }),
    );
  }

  #track(work: Promise<void>): void {
    this.#working = work
      .catch((error: Error) => this.#fail(error))
      .finally(() => {
        this.#working = undefined;
      });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
  }

  async #learned(model: ModelEntry | undefined, learnedTo: bigint): Promise<void> {
    const state = { ...this.#state, learnedTo: String(learnedTo) };
    if (model === undefined) this.#state = state;
    else if (state.model === null)
      this.#state = { ...state, model, span: String(BigInt(model.calibratedTo) + 1n) };
    else this.#state = { ...state, next: model };
    await this.#save();
    const { model: current, previous, next } = this.#state;
    await this.#options.folder.removeModels([current, previous, next]);
  }

  /** Writes down what will be told, then tells it. */
  async #tell(state: WatchState, notifications: readonly Notification[]): Promise<void> {
    const courier = this.#courier as Courier;
    this.#told += notifications.length;
    const hasSinks = this.#options.sinks.length > 0;
    this.#state = { ...state, outbox: [...courier.settle(), ...(hasSinks ? notifications : [])] };
    await this.#save();
    courier.add(hasSinks ? notifications : []);
  }

  async #keepHouse(): Promise<void> {
    const ingest = this.#ingest as LiveIngest;
    const now = Date.now();
    if (ingest.wantsCompaction) await ingest.compact();
    const isQuiet = this.#working === undefined && !this.#learning.isTraining;
    if (isQuiet && now - this.#removedAt >= KEEP_OLD_MS) {
      await ingest.removeOld();
      this.#removedAt = now;
      await this.#retain();
    }
    if (now - this.#settledAt >= SETTLE_EVERY_MS) {
      this.#settledAt = now;
      const outbox = (this.#courier as Courier).settle();
      if (this.#working === undefined && outbox.length !== this.#state.outbox.length) {
        this.#state = { ...this.#state, outbox: [...outbox] };
        await this.#save();
      }
    }
    if (now - this.#progressAt >= 1000) {
      this.#progressAt = now;
      this.#options.progress?.(this.status);
    }
  }

  /** Removes days that are older than asked, once a day. */
  async #retain(): Promise<void> {
    const { keep, log } = this.#options;
    const { latest } = this.#watermark;
    if (keep === undefined || latest === undefined) return;
    const before = new Date(Number((latest - keep) / 1_000_000n)).toISOString().slice(0, 10);
    if (before === this.#droppedBefore) return;
    this.#droppedBefore = before;
    const dropped = await (this.#ingest as LiveIngest).drop(before);
    if (dropped.events > 0) log('info', 'dropped', { before, events: dropped.events, bytes: dropped.bytes });
  }

  /** With everything read: whether everything is judged, too. */
  async #isDone(): Promise<boolean> {
    if (this.#working !== undefined) {
      await Promise.race([this.#working, sleep(200)]);
      return false;
    }
    if (this.#learning.isTraining && this.#state.model === null) return false;
    const { latest } = this.#watermark;
    const events = this.#storedEvents;
    const isDue = this.#detection.due(this.#state, { watermark: latest, events, drain: true }) !== undefined;
    const manifest = (this.#ingest as LiveIngest).manifest;
    if ((isDue && this.#detection.problem === undefined) || this.#learning.due(this.#state, manifest, latest))
      return false;
    if (this.#detection.problem !== undefined) throw new Error(this.#detection.problem);
    if (!(await (this.#courier as Courier).drain(DRAIN_SINKS_MS)))
      this.#options.log('warn', 'outbox', { waiting: this.#state.outbox.length });
    return true;
  }

  async close(): Promise<void> {
    await this.#intake?.close();
    await this.#detection.close();
    await this.#learning.close();
    await this.#working?.catch(() => undefined);
    if (this.#courier !== undefined) {
      await this.#courier.drain(this.#options.signal.aborted ? 2000 : 0);
      this.#state = { ...this.#state, outbox: [...this.#courier.settle()] };
      await this.#courier.close();
      await this.#save();
    }
    await this.#server?.close();
    await this.#ingest?.close();
    const peakMiB = Math.round(process.resourceUsage().maxRSS / 1024);
    this.#options.log('info', 'stopped', { events: this.#intake?.events ?? 0, peakMiB });
  }

  #save(): Promise<void> {
    this.#writing = this.#writing.then(() =>
      writeCheckpoint(this.#options.folder.checkpoint, this.#state).then(async () => {
        this.#checkpointed = Date.now();
        await this.#useModel();
      }),
    );
    return this.#writing;
  }

  /** Detection opens models by their own names, so that a failure here does not stop it. */
  async #useModel(): Promise<void> {
    const { folder, log } = this.#options;
    const file = this.#state.model?.file ?? this.#used;
    if (file === this.#used) return;
    this.#used = file;
    await folder.use(file).catch((error: Error) => log('warn', 'model-name', { error: error.message }));
  }

  /** Events of the store that the detection has not seen count as new after a restart. */
  get #storedEvents(): number {
    return (this.#ingest as LiveIngest).manifest.ingests.reduce(
      (sum, { summary }) => sum + summary.events,
      0,
    );
  }

  #lateBefore(): bigint | undefined {
    const { closed } = this.#state;
    return closed === null ? undefined : BigInt(closed);
  }

  #seeStored(): void {
    const limit = BigInt(Date.now()) * 1_000_000n + DAY_NS / 24n;
    for (const { kind, host, lastTs } of partsOf((this.#ingest as LiveIngest).manifest.segments))
      if (kind === 'events' && lastTs !== null && BigInt(lastTs) <= limit)
        this.#watermark.see(host, BigInt(lastTs), Date.now());
  }

  #health(): Health {
    const problems = [
      ...(this.#intake?.problem === undefined ? [] : [`store: ${this.#intake.problem}`]),
      ...(this.#detection.problem === undefined ? [] : [`judge: ${this.#detection.problem}`]),
    ];
    return { ok: problems.length === 0, phase: this.#phase, problems };
  }

  async #measure(): Promise<void> {
    const metrics = this.#metrics;
    const now = Date.now();
    for (const phase of ['learning', 'training', 'detecting'])
      metrics.set('recal_phase', Number(phase === this.#phase), { phase });
    const { latest } = this.#watermark;
    if (latest !== undefined)
      metrics.set('recal_ingest_lag_seconds', (now - Number(latest / 1_000_000n)) / 1000);
    for (const source of this.#options.sources)
      metrics.set('recal_source_lag_bytes', (await source.lag()).bytes, { source: source.name });
    metrics.set('recal_outbox_notifications', this.#courier?.settle().length ?? 0);
    metrics.set('recal_checkpoint_age_seconds', (now - this.#checkpointed) / 1000);
    metrics.set('recal_store_segments', this.#ingest?.manifest.segments.length ?? 0);
    const { model } = this.#state;
    if (model !== null) metrics.set('recal_model_age_seconds', (now - model.trained) / 1000);
  }
}

function rolledBack(state: WatchState): WatchState {
  if (state.previous === null)
    throw new RecalError('no-earlier-model', 'no earlier model is kept', {
      hint: 'leave out --rollback',
      exit: EXIT.usage,
    });
  return { ...state, model: state.previous, previous: state.model, next: null };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}
